/*
 * explore_kv.c - a parser of commands for a small hash table: p, g and d with a key of a to d, q
 * ends.
 *
 * Two bytes a command, all of them input. Slots are found by a symbolic key, so loads and stores go
 * through symbolic addresses; -DCOMMANDS=N says how many commands there are.
 */
#include <stdint.h>
#include <unistd.h>

#ifndef COMMANDS
#define COMMANDS 4
#endif

enum { SLOTS = 16 };

static uint32_t table[SLOTS];
static unsigned char used[SLOTS];

static unsigned slot_of(unsigned key, unsigned i)
{
	return (key * 7 + i) % SLOTS;
}

static int put(unsigned key, unsigned value)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		unsigned s = slot_of(key, i);

		if (!used[s]) {
			used[s] = 1;
			table[s] = key << 8 | value;
			return 1;
		}
		if (table[s] >> 8 == key) {
			table[s] = key << 8 | value;
			return 2;
		}
	}
	return 0;
}

static int get(unsigned key)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		unsigned s = slot_of(key, i);

		if (!used[s])
			return -1;
		if (table[s] >> 8 == key)
			return table[s] & 255;
	}
	return -1;
}

static int del(unsigned key)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		unsigned s = slot_of(key, i);

		if (!used[s])
			return 0;
		if (table[s] >> 8 == key) {
			table[s] = 0xffffff00U;
			return 1;
		}
	}
	return 0;
}

static int run(const unsigned char *b)
{
	int r = 0;

	for (unsigned i = 0; i < COMMANDS; i++) {
		unsigned char c = b[2 * i], k = b[2 * i + 1];
		int known = k >= 'a' && k <= 'd';

		if (c == 'q')
			return r;
		if (c == 'p')
			r += known ? put(k - 'a', i) * 3 : 1;
		else if (c == 'g')
			r += known ? get(k - 'a') + 7 : 2;
		else if (c == 'd')
			r += known ? del(k - 'a') * 11 : 3;
		else
			r += 100;
	}
	return r;
}

int main(void)
{
	unsigned char b[2 * COMMANDS];

	return read(0, b, sizeof(b)) != sizeof(b) ? 64 : run(b) & 63;
}

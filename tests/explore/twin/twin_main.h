/*
 * twin_main.h - a generated program by itself, on standard input; or on all inputs that there are.
 *
 *	twin NUMBER          prints the path of the input that it reads
 *	twin NUMBER all      prints each path once, over all inputs
 *	twin NUMBER paths    for each input that it reads, one after the other: its path
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

static u64 path_of(const struct program *p, const u8 *bytes)
{
	u8 in[4] = {0};

	memcpy(in, bytes, p->bytes);
	path = 0xcbf29ce484222325ULL;
	p->run(in, p->bytes);
	return path;
}

static void print_path(void)
{
	char text[17];

	for (int i = 0; i < 16; i++)
		text[i] = "0123456789abcdef"[path >> (60 - 4 * i) & 15];
	text[16] = '\n';
	if (write(1, text, sizeof(text)) != sizeof(text))
		exit(3);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* 3 bytes are used as 5 bits each (gen). */
static void all_paths(const struct program *p)
{
	u32 bits = p->bytes == 3 ? 5 : 8, most = 1u << bits * p->bytes, n = 0;
	u64 *seen = malloc(most * sizeof(*seen));

	for (u32 i = 0; i < most; i++) {
		u8 in[4] = {0};

		for (u32 k = 0; k < p->bytes; k++)
			in[k] = (u8)(i >> bits * k & ((1u << bits) - 1));
		seen[i] = path_of(p, in);
	}
	qsort(seen, most, sizeof(*seen), compare);
	for (u32 i = 0; i < most; i++) {
		if (i && seen[i] == seen[i - 1])
			continue;
		path = seen[i];
		print_path();
		n++;
	}
	free(seen);
}

static int read_input(u8 *in, u32 n)
{
	u32 got = 0;

	while (got < n) {
		ssize_t r = read(0, in + got, n - got);

		if (r <= 0)
			return 0;
		got += (u32)r;
	}
	return 1;
}

int main(int argc, char **argv)
{
	const struct program *p = programs;
	u32 i, n = sizeof(programs) / sizeof(programs[0]);
	u8 in[4] = {0};

	for (i = 0; i < n && argc > 1; i++)
		if (programs[i].number == atoi(argv[1]))
			p = &programs[i];
	if (argc > 2 && strcmp(argv[2], "all") == 0) {
		all_paths(p);
		return 0;
	}
	while (read_input(in, p->bytes)) {
		path_of(p, in);
		print_path();
		if (argc < 3)
			return 0;
	}
	return argc < 3;
}

/* env.c - see env.h. Everything is private memory, so a snapshot keeps it. */
#include "runtime/base/env.h"
#include "base/hash.h"
#include "runtime/base/rt.h"
#include <string.h>

enum { STEP = 1000 };

static struct {
	int64_t passed;
	uint64_t drawn; /* words of random numbers drawn so far */
	uint64_t asked; /* how often the time was asked for */
	uint32_t child;
} world;

int64_t pd_env_now(void)
{
	return PD_ENV_START + world.passed;
}

uint64_t pd_env_asked(void)
{
	return world.drawn + world.asked;
}

int64_t pd_env_advance(int64_t ns)
{
	world.passed += ns;
	return pd_env_now();
}

int64_t pd_env_tick(void)
{
	world.asked++;
	return pd_env_advance(STEP);
}

int pd_env_pid(void)
{
	return PD_ENV_PID + (int)world.child;
}

void pd_env_forked(uint32_t serial)
{
	world.child = world.child * 16 + serial + 1;
}

void pd_env_random(void *buf, size_t n)
{
	uint8_t *b = buf;

	while (n) {
		uint64_t w = pd_mix(pd_mix(pd_rt.numbers + 0x9e3779b97f4a7c15ULL) + ++world.drawn);
		size_t k = PD_MIN(n, sizeof(w));

		memcpy(b, &w, k);
		b += k;
		n -= k;
	}
}

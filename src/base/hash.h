/*
 * hash.h - mixing for hash tables, and a 128-bit digest for telling states apart.
 *
 * The digest is two independent 64-bit lanes. It is not meant against an adversary: states are
 * taken for equal when their digests are, and 128 bits make an accident less likely than a bit
 * flip.
 */
#ifndef PD_BASE_HASH_H
#define PD_BASE_HASH_H

#include "base/types.h"

/* The finaliser of MurmurHash3: every input bit reaches every output bit. */
static inline uint64_t pd_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

struct pd_digest {
	uint64_t a;
	uint64_t b;
};

#define PD_DIGEST_INIT ((struct pd_digest){0x9e3779b97f4a7c15ULL, 0xd1b54a32d192ed03ULL})

static inline void pd_digest_u64(struct pd_digest *d, uint64_t x)
{
	d->a = pd_mix(d->a ^ x);
	d->b = pd_mix(d->b + x * 0x9e3779b97f4a7c15ULL + 1);
}

static inline void pd_digest_bytes(struct pd_digest *d, const void *p, size_t n)
{
	const uint8_t *b = p;

	pd_digest_u64(d, n);
	while (n) {
		uint64_t w = 0;
		size_t k = PD_MIN(n, sizeof(w));

		memcpy(&w, b, k);
		pd_digest_u64(d, w);
		b += k;
		n -= k;
	}
}

#endif

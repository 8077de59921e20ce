/* common.c - see common.h. */
#include "engine/explore/common.h"

enum {
	SLOTS = 1 << 15,
	TRIES = 4,   /* slots that an entry may be in */
	WORDS = 6,   /* of values: so many bytes times 8 at most */
	INPUTS = 64, /* that are kept */
};

struct entry {
	uint64_t a, b; /* the digest of the slice */
	uint64_t says; /* answer + 1, and how many values */
	uint64_t value[WORDS];
	uint64_t check; /* of all before it */
};

struct pd_common {
	struct entry slot[SLOTS];
	uint64_t ninputs; /* that were ever kept */
	uint8_t input[];  /* INPUTS times the size of an input */
};

uint64_t pd_common_size(uint32_t input_size)
{
	return sizeof(struct pd_common) + (uint64_t)INPUTS * input_size;
}

static uint64_t check_of(const struct entry *e)
{
	struct pd_digest d = PD_DIGEST_INIT;

	for (const uint64_t *w = &e->a; w < &e->check; w++)
		pd_digest_u64(&d, *w);
	return d.a;
}

static void copy(struct entry *to, const struct entry *from)
{
	const uint64_t *f = &from->a;
	uint64_t *t = &to->a;

	for (uint32_t i = 0; i < sizeof(*to) / sizeof(*t); i++)
		__atomic_store_n(t + i, __atomic_load_n(f + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

bool pd_common_find(const struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    uint8_t *input, enum pd_ask_answer *answer)
{
	struct entry e;

	for (uint32_t i = 0; i < TRIES; i++) {
		copy(&e, &c->slot[(d.a + i) % SLOTS]);
		if (e.a != d.a || e.b != d.b || e.check != check_of(&e))
			continue;
		*answer = (enum pd_ask_answer)((e.says & 255) - 1);
		if (*answer == PD_ASK_YES && e.says >> 8 != l->byte.n)
			return false;
		for (uint32_t k = 0; *answer == PD_ASK_YES && k < l->byte.n; k++)
			input[l->byte.v[k]] = (uint8_t)(e.value[k / 8] >> k % 8 * 8);
		return true;
	}
	return false;
}

static void keep_input(struct pd_common *c, const uint8_t *input, uint32_t input_size)
{
	uint64_t at = __atomic_load_n(&c->ninputs, __ATOMIC_RELAXED);

	memcpy(c->input + at % INPUTS * input_size, input, input_size);
	__atomic_store_n(&c->ninputs, at + 1, __ATOMIC_RELEASE);
}

/* One that is free, or any: the older one goes. */
static struct entry *slot_for(struct pd_common *c, struct pd_digest d)
{
	for (uint32_t i = 0; i < TRIES; i++)
		if (!c->slot[(d.a + i) % SLOTS].says)
			return &c->slot[(d.a + i) % SLOTS];
	return &c->slot[(d.a + d.b % TRIES) % SLOTS];
}

void pd_common_keep(struct pd_common *c, struct pd_digest d, const struct pd_slice *l,
		    const uint8_t *input, uint32_t input_size, enum pd_ask_answer answer)
{
	struct entry e = {.a = d.a, .b = d.b, .says = (uint64_t)answer + 1};

	if (answer == PD_ASK_UNKNOWN)
		return;
	if (answer == PD_ASK_YES) {
		keep_input(c, input, input_size);
		if (l->byte.n > WORDS * 8)
			return;
		e.says |= (uint64_t)l->byte.n << 8;
		for (uint32_t k = 0; k < l->byte.n; k++)
			e.value[k / 8] |= (uint64_t)input[l->byte.v[k]] << k % 8 * 8;
	}
	e.check = check_of(&e);
	copy(slot_for(c, d), &e);
}

bool pd_common_next(const struct pd_common *c, uint64_t *seen, uint8_t *input, uint32_t input_size)
{
	uint64_t n = __atomic_load_n(&c->ninputs, __ATOMIC_ACQUIRE);

	if (*seen >= n)
		return false;
	*seen = PD_MAX(*seen, n > INPUTS ? n - INPUTS : 0);
	memcpy(input, c->input + *seen % INPUTS * input_size, input_size);
	(*seen)++;
	return true;
}

/* losses.c - see losses.h. */
#include "drive/losses.h"
#include "base/hash.h"
#include "finding/text.h"
#include <ctype.h>
#include <string.h>

static bool is_number(const char *word, size_t n)
{
	bool hex = n > 2 && word[0] == '0' && word[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < n; i++)
		if (!(hex ? isxdigit((unsigned char)word[i]) : isdigit((unsigned char)word[i])))
			return false;
	return n > 0;
}

static uint64_t cause_of(const struct pd_trace_record *r)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, r->event.aux);
	pd_digest_u64(&d, r->event.site);
	for (size_t at = 0; at < r->text_n;) {
		const char *word = r->text + at;
		const char *blank = memchr(word, ' ', r->text_n - at);
		size_t n = blank ? (size_t)(blank - word) : r->text_n - at;

		if (is_number(word, n))
			pd_digest_u64(&d, UINT64_MAX); /* separates words: not a length */
		else
			pd_digest_bytes(&d, word, n);
		at += n + 1;
	}
	return d.a >> 1; /* UINT64_MAX is not a key */
}

bool pd_losses_take(struct pd_losses *l, struct pd_arena *a, const struct pd_trace_record *r)
{
	uint64_t *at = pd_map_put(&l->by_cause, a, cause_of(r));
	struct pd_lost *lost;

	if (!at)
		return false;
	if (*at) {
		lost = &l->all.v[*at - 1];
		lost->count++;
		lost->varied |= !pd_text_is(r->text, r->text_n, lost->what);
		return true;
	}
	lost = pd_vec_push(&l->all, a);
	if (!lost)
		return false;
	*lost = (struct pd_lost){(enum pd_loss)r->event.aux, r->event.site, 1, false,
				 pd_arena_strndup(a, r->text, r->text_n)};
	*at = l->all.n;
	return true;
}

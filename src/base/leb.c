/* leb.c - see leb.h. */
#include "base/leb.h"

void pd_leb_put_text(struct pd_leb_writer *w, const char *s)
{
	size_t n = 0, room = w->size - PD_MIN(w->n + 16, w->size);

	while (s && s[n] && n < PD_MIN(PD_LEB_TEXT_MAX, room))
		n++;
	pd_leb_put(w, s ? n + 1 : 0);
	if (n)
		pd_leb_put_bytes(w, s, n);
}

const char *pd_leb_get_text(struct pd_leb_reader *r, struct pd_arena *a)
{
	uint64_t n = pd_leb_get(r);
	const char *from, *s;

	if (!n || !pd_leb_ok(r))
		return NULL;
	from = pd_leb_get_bytes(r, n - 1);
	if (!from)
		return NULL;
	s = pd_arena_strndup(a, from, n - 1);
	r->bad |= !s;
	return s;
}

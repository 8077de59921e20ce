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
	char *s;

	if (!n || !pd_leb_ok(r))
		return NULL;
	if (n - 1 > (size_t)(r->end - r->p)) {
		r->more = true;
		return NULL;
	}
	s = pd_arena_strndup(a, (const char *)r->p, n - 1);
	r->bad |= !s;
	r->p += n - 1;
	return s;
}

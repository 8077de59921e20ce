/* bounded.c - see bounded.h. A turn takes 12 bits: 10 of its step, 2 of its pick. */
#include "engine/linear/bounded.h"

enum { TURN_BITS = 12, PICK_BITS = 2 };

uint64_t pd_bounded_number(const struct pd_bounded *s)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < s->n; i++)
		number |= (uint64_t)(s->turn[i].step << PICK_BITS | s->turn[i].pick)
			  << TURN_BITS * i;
	return number;
}

struct pd_bounded pd_bounded_of(uint64_t number)
{
	struct pd_bounded s = {0};

	for (; s.n < PD_BOUNDED_TURNS && number; number >>= TURN_BITS, s.n++) {
		s.turn[s.n].step = number >> PICK_BITS & PD_BOUNDED_STEPS;
		s.turn[s.n].pick = number & PD_BOUNDED_PICKS;
	}
	return s;
}

uint32_t pd_bounded_pick(const struct pd_bounded *s, struct pd_bounded_log *log, uint32_t n,
			 bool preempts)
{
	uint32_t others = PD_MIN(n - 1, PD_BOUNDED_PICKS), step = ++log->n;

	log->left_out += n - 1 - others;
	if (step > PD_BOUNDED_STEPS)
		return 0;
	log->others[step] = (uint8_t)(others | (preempts ? PD_BOUNDED_PREEMPTS : 0));
	for (uint32_t i = 0; i < s->n; i++)
		if (s->turn[i].step == step && s->turn[i].pick <= others)
			return s->turn[i].pick;
	return 0;
}

bool pd_bounded_next(struct pd_bounded_search *s, uint64_t *number)
{
	if (s->given && !s->todo.n)
		return false;
	s->now = s->given++ ? s->todo.v[--s->todo.n] : (struct pd_bounded_todo){0};
	*number = s->now.number;
	return true;
}

static void add(struct pd_bounded_search *s, const struct pd_bounded *next, uint32_t preemptions)
{
	struct pd_bounded_todo *t = pd_vec_push(&s->todo, s->arena);

	if (t)
		*t = (struct pd_bounded_todo){pd_bounded_number(next), preemptions};
	else
		s->beyond++;
}

void pd_bounded_feed(struct pd_bounded_search *s, const struct pd_bounded_log *log)
{
	struct pd_bounded next = pd_bounded_of(s->now.number);
	uint32_t from = next.n ? next.turn[next.n - 1].step + 1 : 1, at = next.n;
	uint32_t steps = PD_MIN(log->n, PD_BOUNDED_STEPS);

	s->beyond += log->left_out + (log->n - steps);
	/* From the last step back, so that the next schedule taken from the list departs as early
	 * as possible */
	for (uint32_t step = steps; step >= from; step--) {
		uint32_t cost = log->others[step] & PD_BOUNDED_PREEMPTS ? 1 : 0;
		uint32_t others = log->others[step] & ~PD_BOUNDED_PREEMPTS;

		if (s->now.preemptions + cost > s->bound)
			continue;
		if (at == PD_BOUNDED_TURNS) {
			s->beyond += others;
			continue;
		}
		next.n = at + 1;
		next.turn[at].step = step;
		for (uint32_t pick = 1; pick <= others; pick++) {
			next.turn[at].pick = pick;
			add(s, &next, s->now.preemptions + cost);
		}
	}
}

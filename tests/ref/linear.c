/* linear.c - see linear.h. */
#include "ref/linear.h"
#include <string.h>

#define NONE UINT64_MAX

/* ---- little specifications ------------------------------------------------------------------ */

static int find(const struct ref_state *s, uint64_t key)
{
	for (int i = 0; i < s->n; i++)
		if (s->key[i] == key)
			return i;
	return -1;
}

static int find_pair(const struct ref_state *s, uint64_t key, uint64_t value)
{
	for (int i = 0; i < s->n; i++)
		if (s->key[i] == key && s->value[i] == value)
			return i;
	return -1;
}

static void add(struct ref_state *s, uint64_t key, uint64_t value)
{
	s->key[s->n] = key;
	s->value[s->n++] = value;
}

static void drop(struct ref_state *s, int i)
{
	for (s->n--; i < s->n; i++) {
		s->key[i] = s->key[i + 1];
		s->value[i] = s->value[i + 1];
	}
	s->key[s->n] = s->value[s->n] = 0;
}

static bool is(const struct ref_op *op, const char *name)
{
	return strcmp(op->name, name) == 0;
}

static uint64_t least_from(const struct ref_state *s, uint64_t from)
{
	uint64_t best = NONE;

	for (int i = 0; i < s->n; i++)
		if (s->key[i] >= from && s->key[i] < best)
			best = s->key[i];
	return best;
}

static void scan(struct ref_way *w, uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t key = least_from(&w->to, from);

	for (w->result = 0; key != NONE && key <= to && w->result < n; w->result++) {
		w->pairs[w->npairs++] = key;
		w->pairs[w->npairs++] = w->to.value[find(&w->to, key)];
		key = least_from(&w->to, key + 1);
	}
}

static void map(struct ref_way *w, const struct ref_op *op)
{
	struct ref_state *s = &w->to;
	uint64_t k = op->op.arg[0].word, v = op->op.arg[1].word, most = 0;
	int at = find(s, k);
	bool there = at >= 0;

	if (is(op, "put") || is(op, "upsert")) {
		w->result = is(op, "upsert") ? !there : there ? s->value[at] : NONE;
		if (there)
			s->value[at] = v;
		else
			add(s, k, v);
	} else if (is(op, "insert") || is(op, "add")) {
		w->result = !there;
		if (!there)
			add(s, k, v);
	} else if (is(op, "update")) {
		w->result = there;
		if (there)
			s->value[at] = v;
	} else if (is(op, "replace")) {
		w->result = there && s->value[at] == v;
		if (w->result)
			s->value[at] = op->op.arg[2].word;
	} else if (is(op, "get")) {
		w->result = there ? s->value[at] : NONE;
	} else if (is(op, "contains")) {
		w->result = there;
	} else if (is(op, "remove") || is(op, "erase")) {
		w->result = is(op, "erase") ? there : there ? s->value[at] : NONE;
		if (there)
			drop(s, at);
	} else if (is(op, "size") || is(op, "clear")) {
		w->result = (uint64_t)s->n;
		if (is(op, "clear"))
			memset(s, 0, sizeof(*s));
	} else if (is(op, "scan")) {
		scan(w, k, v, 100);
	} else if (is(op, "scan_n")) {
		scan(w, k, NONE, v);
	} else if (is(op, "first")) {
		w->result = least_from(s, 0);
	} else if (is(op, "next")) {
		w->result = least_from(s, k + 1);
	} else if (is(op, "last")) {
		for (int i = 0; i < s->n; i++)
			most = s->key[i] > most ? s->key[i] : most;
		w->result = s->n ? most : NONE;
	}
}

static void set(struct ref_way *w, const struct ref_op *op)
{
	map(w, op);
	if (is(op, "remove"))
		w->result = w->result != NONE;
}

static int multimap(struct ref_way *way, const struct ref_op *op)
{
	struct ref_state s = way->to;
	uint64_t k = op->op.arg[0].word, v = op->op.arg[1].word;
	int at = find_pair(&s, k, v), n = 0;

	if (is(op, "get")) {
		for (int i = 0; i < s.n; i++)
			if (s.key[i] == k)
				way[n++] = (struct ref_way){.to = s, .result = s.value[i]};
		way[n].to = s;
		way[n].result = NONE;
		return n ? n : 1;
	}
	if (is(op, "add")) {
		way->result = 1;
		add(&way->to, k, v);
	} else if (is(op, "contains")) {
		way->result = at >= 0;
	} else if (is(op, "remove")) {
		way->result = at >= 0;
		if (at >= 0)
			drop(&way->to, at);
	} else if (is(op, "count") || is(op, "remove_all")) {
		while ((at = find(&s, k)) >= 0) {
			drop(&s, at);
			n++;
		}
		way->result = (uint64_t)n;
		if (is(op, "remove_all"))
			way->to = s;
	} else if (is(op, "size")) {
		way->result = (uint64_t)s.n;
	}
	return 1;
}

static int priority_queue(struct ref_way *way, const struct ref_op *op)
{
	struct ref_state s = way->to;
	uint64_t k = op->op.arg[0].word, least = least_from(&s, 0);
	int n = 0;

	if (is(op, "push") || is(op, "insert")) {
		way->result = 1;
		add(&way->to, k, is(op, "push") ? k : op->op.arg[1].word);
	} else if (is(op, "min")) {
		way->result = least;
	} else if (is(op, "size")) {
		way->result = (uint64_t)s.n;
	} else if (s.n == 0) {
		way->result = NONE;
	} else {
		for (int i = 0; i < s.n; i++) {
			if (s.key[i] != least)
				continue;
			way[n] = (struct ref_way){.to = s};
			way[n].result = is(op, "pop") ? least : s.value[i];
			drop(&way[n++].to, i);
		}
		return n;
	}
	return 1;
}

/* Queues take the first, stacks the last. */
static void sequence(struct ref_way *w, const struct ref_op *op, bool queue)
{
	struct ref_state *s = &w->to;
	int at = queue ? 0 : s->n - 1;

	if (is(op, "enqueue") || is(op, "push")) {
		w->result = 1;
		add(s, 0, op->op.arg[0].word);
	} else if (is(op, "size")) {
		w->result = (uint64_t)s->n;
	} else {
		w->result = s->n ? s->value[at] : NONE;
		if (s->n && (is(op, "dequeue") || is(op, "pop")))
			drop(s, at);
	}
}

static void words(struct ref_way *w, const struct ref_op *op)
{
	uint64_t *x = &w->to.word, a = op->op.arg[0].word;

	w->result = *x;
	if (is(op, "write")) {
		w->result = 1;
		*x = a;
	} else if (is(op, "swap")) {
		*x = a;
	} else if (is(op, "cas")) {
		w->result = *x == a;
		*x = *x == a ? op->op.arg[1].word : *x;
	} else if (is(op, "increment")) {
		w->result = ++*x;
	} else if (is(op, "decrement")) {
		w->result = --*x;
	} else if (is(op, "fetch_add")) {
		*x += a;
	}
}

/* Word: length + 1; 0: without bounds. */
static void array(struct ref_way *w, const struct ref_op *op)
{
	struct ref_state *s = &w->to;
	uint64_t i = op->op.arg[0].word;
	bool inside = s->word == 0 || i < s->word - 1;
	int at = find(s, i);

	if (is(op, "length")) {
		w->result = s->word ? s->word - 1 : NONE;
	} else if (is(op, "resize")) {
		w->result = 1;
		s->word = i + 1;
		for (int j = s->n - 1; j >= 0; j--)
			if (s->key[j] >= i)
				drop(s, j);
	} else if (!inside) {
		w->result = is(op, "set") ? 0 : NONE;
	} else {
		w->result = is(op, "set") ? 1 : at >= 0 ? s->value[at] : 0;
		if (is(op, "get"))
			return;
		if (at >= 0)
			drop(s, at);
		if (op->op.arg[1].word)
			add(s, i, op->op.arg[1].word);
	}
}

static int apply(const char *spec, struct ref_way *way, const struct ref_op *op)
{
	if (strcmp(spec, "map") == 0 || strcmp(spec, "ordered-map") == 0)
		map(way, op);
	else if (strcmp(spec, "set") == 0)
		set(way, op);
	else if (strcmp(spec, "multimap") == 0)
		return multimap(way, op);
	else if (strcmp(spec, "priority-queue") == 0)
		return priority_queue(way, op);
	else if (strcmp(spec, "array") == 0)
		array(way, op);
	else if (strcmp(spec, "queue") == 0 || strcmp(spec, "stack") == 0)
		sequence(way, op, spec[0] == 'q');
	else
		words(way, op);
	return 1;
}

int ref_apply(const char *spec, const struct ref_state *s, const struct ref_op *op,
	      struct ref_way way[REF_WAYS])
{
	int n;

	memset(way, 0, REF_WAYS * sizeof(*way));
	way->to = *s;
	n = apply(spec, way, op);
	if (op->op.flags & PD_MAY_FAIL) {
		memset(&way[n], 0, sizeof(way[n]));
		way[n].to = *s;
		way[n++].result = PD_FAILED;
	}
	return n;
}

/* ---- every order ---------------------------------------------------------------------------- */

static bool agrees(const struct ref_op *op, const struct ref_way *w)
{
	if (op->ret == UINT64_MAX || !op->op.returned)
		return true;
	return op->op.result.word == w->result && op->op.result.size == (size_t)w->npairs * 8 &&
	       (!w->npairs || memcmp(op->op.result.data, w->pairs, op->op.result.size) == 0);
}

/* Whether i may come after those that are placed and before all others of these eras. */
static bool may_be_next(const struct ref_history *h, const bool *placed, int i, int era)
{
	for (int j = 0; j < h->n; j++) {
		if (!placed[j] && h->op[j].ret < h->op[i].call &&
		    (era < 0 || h->op[j].era == era) && !(h->op[j].op.flags & PD_SYNC))
			return false;
		if (h->condition == PD_STRICT && placed[j] && h->op[i].ret == UINT64_MAX &&
		    h->op[j].era > h->op[i].era)
			return false;
	}
	return true;
}

/* The rest can be placed; era: only those of it, -1: of all. */
static bool explains(const struct ref_history *h, bool *placed, const struct ref_state *s, int era)
{
	bool done = true;

	for (int i = 0; i < h->n; i++)
		done &= placed[i] || h->op[i].ret == UINT64_MAX ||
			(era >= 0 && h->op[i].era != era) || (h->op[i].op.flags & PD_SYNC);
	if (done)
		return true;
	for (int i = 0; i < h->n; i++) {
		struct ref_way way[REF_WAYS];
		int n;

		if (placed[i] || (era >= 0 && h->op[i].era != era) ||
		    (h->op[i].op.flags & PD_SYNC) || !may_be_next(h, placed, i, era))
			continue;
		n = ref_apply(h->spec, s, &h->op[i], way);
		placed[i] = true;
		for (int w = 0; w < n; w++)
			if (agrees(&h->op[i], &way[w]) && explains(h, placed, &way[w].to, era))
				return true;
		placed[i] = false;
	}
	return false;
}

/* All that a sync has made durable is there. */
static bool is_cut(const struct ref_history *h, const bool *placed, int era)
{
	for (int s = 0; s < h->n; s++)
		for (int i = 0; i < h->n; i++)
			if ((h->op[s].op.flags & PD_SYNC) && h->op[s].era == era &&
			    h->op[s].ret != UINT64_MAX && h->op[i].era == era && !placed[i] &&
			    !(h->op[i].op.flags & PD_SYNC) && h->op[i].ret < h->op[s].call)
				return false;
	return true;
}

static bool begins(const struct ref_history *h, const struct ref_state *s, int era);

/* Whether some cut of the era that has these placed leads to what comes after. */
static bool cuts(const struct ref_history *h, bool *placed, const struct ref_state *s, int era)
{
	if (is_cut(h, placed, era) && begins(h, s, era + 1))
		return true;
	for (int i = 0; i < h->n; i++) {
		struct ref_way way[REF_WAYS];
		int n;

		if (placed[i] || h->op[i].era != era || (h->op[i].op.flags & PD_SYNC) ||
		    !may_be_next(h, placed, i, era))
			continue;
		n = ref_apply(h->spec, s, &h->op[i], way);
		placed[i] = true;
		for (int w = 0; w < n; w++)
			if (agrees(&h->op[i], &way[w]) && cuts(h, placed, &way[w].to, era))
				return true;
		placed[i] = false;
	}
	return false;
}

static bool begins(const struct ref_history *h, const struct ref_state *s, int era)
{
	bool placed[REF_OPS] = {false};

	if (!explains(h, placed, s, era))
		return false;
	memset(placed, 0, sizeof(placed));
	return era == h->ncrashes || cuts(h, placed, s, era);
}

bool ref_linearizable(const struct ref_history *h)
{
	struct ref_state s = {0};
	bool placed[REF_OPS] = {false};

	if (h->condition == PD_BUFFERED)
		return begins(h, &s, 0);
	return explains(h, placed, &s, -1);
}

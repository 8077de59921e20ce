/*
 * spin.c - recognises locks made of atomics, by what happens to a word.
 *
 * A thread that changes a word by compare-and-swap or exchange from v to something else, and later
 * puts v back itself while nobody else has changed the word, has held a lock in between: that
 * defines a lock, whatever it is called (test-and-set, CAS with a thread's number, xchg in inline
 * assembly). At the first change this is not known yet, so the thread is assumed to hold the word
 * until the opposite is seen:
 *
 * - another thread changes the word, or the holder changes it to something but v: it is no lock;
 * - more than SPIN_PENDING words are changed at this place and never put back: the place takes no
 *   locks.
 *
 * Version locks. The value put back need not be v: in a word that is a version as well, one bit
 * means taken, and the number in the other bits has grown when the bit is cleared (CAS from v to v
 * + 1, then + 1; a node's version with a lock bit, released by an addition or a plain store). A
 * counter looks the same when one thread counts twice; but it is changed at one place each time,
 * whereas a lock is taken at some places and released at others. A place that does both takes no
 * locks.
 *
 * Flags. A version lock may have flags as well (whose page it is, Viper): a change that leaves the
 * lock's bit alone neither takes nor releases it, whoever makes it, and counts no readers: those
 * look at the version. A flag that is set before the
 * lock is taken for the first time looks like an acquisition, until a second bit is set while the
 * first one stays. What the thread did in between was not done under the lock, so the lock gets a
 * new number then, and only a version that has grown shows that it is one.
 *
 * A guess hides nothing: a pair is excluded only if both threads held the word, and then the first
 * one has put v back.
 *
 * Until a word has been released once, its changes are also those of any atomic: edges, and stores
 * to PM that need to be durable. Afterwards they are neither; a lock in PM is not data.
 *
 * Counted readers. Once a word is known as a lock, a thread that adds something to it holds it for
 * reading until it subtracts the same, whoever else is counted meanwhile; so does one that adds, by
 * compare-and-swap, the same as an earlier reader that is still in. A reader that enters while a
 * writer holds the word may wait, or leave again; if it loads data in PM while the writer is there,
 * the word is no lock. A count that no thread ever takes exclusively is data: reference counts look
 * like that.
 *
 * ticket.c has ticket locks, look.c readers that only look at a version twice. Not recognised:
 * words outside PM that are released by a store which no front end sees. Those need --locks.
 */
#include "engine/lockset/state.h"

enum { SPIN_PENDING = 8, COUNTED = 16 };

struct site {
	uint32_t pending;
	bool not_lock;
	bool takes;	    /* a lock may have been taken here */
	bool gives;	    /* version locks are released here */
	bool shares;	    /* several threads took one here at the same time: readers */
	struct spin *first; /* held since a change here */
};

struct spin {
	uint64_t addr;
	uint64_t free; /* the value while nobody holds it */
	uint64_t taken;
	struct site *site;
	struct spin *next; /* of the same site */
	uint32_t lock;
	uint32_t size;
	uint16_t tid;
	bool held;
	bool is;      /* was released at least once */
	bool not;     /* is no lock */
	bool flagged; /* a flag was set before it was taken for the first time */
	uint64_t bit; /* set while a version lock is taken; 0: not known to be one */
	/* Readers: which thread has added what and not subtracted it yet */
	uint64_t value; /* current value */
	uint64_t inside;
	uint32_t n;
	struct {
		uint16_t tid;
		uint64_t by;
	} in[COUNTED];
};

static uint64_t value_of(const struct pd_event *e)
{
	uint64_t v = 0;

	if (e->data)
		memcpy(&v, e->data, PD_MIN(e->size, sizeof(v)));
	return v;
}

static struct spin *known(const struct pd_lockset *l, uint64_t addr)
{
	uint64_t *at = l->nspin ? pd_map_get(&l->spins, addr) : NULL;

	return at ? (struct spin *)(uintptr_t)*at : NULL;
}

static void *made(struct pd_lockset *l, struct pd_map *m, uint64_t key, size_t size)
{
	uint64_t *at = pd_map_put(m, l->arena, key);

	if (at && !*at)
		*at = (uintptr_t)pd_arena_alloc(l->arena, size);
	if (!at || !*at)
		l->failed = true;
	return at ? (void *)(uintptr_t)*at : NULL;
}

static void leave_site(struct spin *s)
{
	struct spin **link = &s->site->first;

	while (*link && *link != s)
		link = &(*link)->next;
	if (*link)
		*link = s->next;
	s->site->pending--;
}

static void let_go(struct pd_lockset *l, struct spin *s)
{
	struct pd_ls_thread *t = pd_ls_thread(l, s->tid);

	s->held = false;
	leave_site(s);
	if (t)
		pd_ls_give(l, s->tid, s->lock);
}

static bool in_pm(const struct spin *s)
{
	return !(s->addr & PD_ADDR_OUTSIDE);
}

static void leave(struct pd_lockset *l, struct spin *s, uint32_t i)
{
	uint32_t tid = s->in[i].tid;
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	s->inside -= s->in[i].by;
	s->in[i] = s->in[--s->n];
	if (!t)
		return;
	t->early = t->early == s->addr + 1 ? 0 : t->early;
	pd_ls_give(l, tid, s->lock);
}

static void is_none(struct pd_lockset *l, struct spin *s)
{
	if (s->held)
		let_go(l, s);
	while (s->n)
		leave(l, s, s->n - 1);
	if (in_pm(s) && !s->is)
		pd_ls_taking(l, s->addr, false);
	if (in_pm(s) && s->is)
		pd_ls_is_no_lock(l, s->addr, s->size);
	s->not = true;
}

/* The place takes no locks, and the words changed there are none. */
static void site_is_none(struct pd_lockset *l, struct site *site)
{
	site->not_lock = true;
	while (site->first)
		is_none(l, site->first);
}

static bool is_one_bit(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* The one bit that was set is clear, and the rest has grown. (A known one may begin anew.) */
static bool is_next_version(const struct spin *s, uint64_t value)
{
	uint64_t bit = s->taken ^ s->free;

	return bit & s->taken && is_one_bit(bit) && !(value & bit) &&
	       (value > s->free || bit == s->bit);
}

static void give_back(struct pd_lockset *l, struct spin *s)
{
	let_go(l, s);
	s->is = true;
	l->locks.locks.v[s->lock].guess = false;
	if (in_pm(s))
		pd_ls_is_lock(l, s->addr, s->size);
}

/* The low bytes of a value that the word has room for. */
static uint64_t cut(const struct spin *s, uint64_t value)
{
	return s->size < 8 ? value & ((1ULL << 8 * s->size) - 1) : value;
}

/* Whether this change by the holder releases the lock; may update the value that means free. */
static bool gives_back(struct pd_lockset *l, struct spin *s, const struct pd_event *e)
{
	uint64_t value = value_of(e);
	struct site *site;

	if (!s->held || s->tid != e->tid || e->size != s->size || !e->data)
		return false;
	if (value == cut(s, s->free + s->inside) && (s->is || !s->flagged))
		return true;
	if (s->n || !is_next_version(s, value))
		return false;
	site = made(l, &l->spin_sites, e->site, sizeof(*site));
	if (!site || site->takes)
		return false;
	site->gives = true;
	s->bit = s->taken ^ s->free;
	s->free = value;
	return true;
}

/* Whether a known version lock is as taken, or as free, as it was; remembers its flags. */
static bool is_flag(struct spin *s, const struct pd_event *e, uint64_t before)
{
	uint64_t change = value_of(e) ^ before;

	if (!s->bit || e->size != s->size || !e->data || change & s->bit)
		return false;
	s->free ^= change;
	s->taken ^= change;
	return true;
}

/* Whether what seemed to take the lock has set a flag only: this sets another bit. */
static bool was_flag(const struct spin *s, const struct pd_event *e, uint64_t before)
{
	uint64_t first = s->taken ^ s->free, second = value_of(e) ^ s->taken;

	return s->held && !s->is && !s->n && before == s->taken && e->size == s->size &&
	       is_one_bit(first) && is_one_bit(second) && first != second && value_of(e) & second;
}

static bool can_take(struct pd_lockset *l, const struct pd_event *e, struct spin *s,
		     struct site **site)
{
	*site = made(l, &l->spin_sites, e->site, sizeof(**site));
	if (!*site || (*site)->not_lock || (*site)->gives)
		return false;
	if (s->is && e->aux - 1 != s->free) {
		is_none(l, s);
		return false;
	}
	if ((*site)->pending < SPIN_PENDING)
		return true;
	site_is_none(l, *site);
	return false;
}

/* ---- readers that are counted --------------------------------------------------------------- */

static bool enter(struct pd_lockset *l, struct spin *s, uint32_t tid, uint32_t place, uint64_t by)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	if (!t || s->n == COUNTED)
		return false;
	if (!pd_ls_take(l, tid, s->lock, true, true, place))
		return false;
	s->in[s->n].tid = (uint16_t)tid;
	s->in[s->n++].by = by;
	s->inside += by;
	if (s->held)
		t->early = s->addr + 1;
	return true;
}

/* The word changes by `by`: whether that is a reader that enters or leaves. */
static bool counts(struct pd_lockset *l, struct spin *s, const struct pd_event *e, uint64_t by)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->in[i].tid == e->tid) {
			if (cut(s, s->in[i].by + by))
				return false;
			leave(l, s, i);
			return true;
		}
	if (!by || by > cut(s, UINT64_MAX) / 2)
		return false;
	return enter(l, s, e->tid, e->site, by);
}

/*
 * The holder turns out to be a reader: another thread has entered at the same place, in the same
 * way.
 */
static bool is_shared(struct pd_lockset *l, struct spin *s, const struct pd_event *e, uint64_t by)
{
	uint32_t holder = s->tid, place = e->site;
	struct site *site = s->held ? s->site : NULL;

	if (!site || holder == e->tid || by != cut(s, s->taken - s->free) ||
	    site != made(l, &l->spin_sites, e->site, sizeof(*site)))
		return false;
	let_go(l, s);
	site->shares = true;
	return enter(l, s, holder, place, by) && enter(l, s, e->tid, e->site, by);
}

/* Whether this change concerns readers of a known lock, or shows that there are some. */
static bool is_of_readers(struct pd_lockset *l, struct spin *s, const struct pd_event *e)
{
	bool exchange = e->aux;
	uint64_t by = cut(s, value_of(e) - (exchange ? e->aux - 1 : s->value));
	struct site *site;

	if (e->size != s->size || !e->data || (s->held && s->tid == e->tid))
		return false;
	if (exchange && !s->n && !s->held) {
		site = made(l, &l->spin_sites, e->site, sizeof(*site));
		return site && site->shares && e->aux - 1 == s->free && counts(l, s, e, by);
	}
	if (exchange && is_shared(l, s, e, by))
		return true;
	if (exchange && s->held)
		return false;
	return (s->is || s->n || s->held) && counts(l, s, e, by);
}

/*
 * A reader that entered while a writer was there loads data: if the writer still is, the word is no
 * lock.
 */
void pd_ls_spin_early(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e)
{
	struct spin *s = known(l, t->early - 1);

	if (!s || !s->held || s->not)
		t->early = 0;
	else if (e->addr >= s->addr + s->size || e->addr + e->size <= s->addr)
		is_none(l, s);
}

/* ---- those who have it alone ---------------------------------------------------------------- */

static void take(struct pd_lockset *l, const struct pd_event *e, struct spin *s)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	struct site *site;

	if (!t || !can_take(l, e, s, &site))
		return;
	s->lock = pd_locks_at(&l->locks, e->addr);
	if (s->lock == UINT32_MAX || !pd_ls_take(l, e->tid, s->lock, false, true, e->site)) {
		l->failed = true;
		return;
	}
	l->locks.locks.v[s->lock].guess = !s->is;
	s->held = true;
	s->tid = e->tid;
	s->free = e->aux - 1;
	s->taken = value_of(e);
	s->size = (uint32_t)e->size;
	s->site = site;
	s->next = site->first;
	site->first = s;
	site->pending++;
	site->takes = true;
}

/* Nobody has held it yet: what was done since the flag was set keeps the old number. Only an
 * exchange may take it now. */
static void take_flagged(struct pd_lockset *l, const struct pd_event *e, struct spin *s)
{
	let_go(l, s);
	if (in_pm(s))
		pd_ls_taking(l, s->addr, false);
	if (!pd_locks_anew(&l->locks, s->addr)) {
		l->failed = true;
		return;
	}
	s->flagged = true;
	if (e->aux)
		take(l, e, s);
}

/* aux: 1 + the previous value; 0: not an exchange, or not reported. */
enum pd_ls_spin pd_ls_spin_rmw(struct pd_lockset *l, const struct pd_event *e)
{
	bool exchange = e->aux && e->size <= 8;
	struct spin *s = known(l, e->addr);
	uint64_t before = exchange ? e->aux - 1 : s ? s->value : 0;

	if (!l->spin || (!s && !exchange))
		return PD_LS_NO_LOCK;
	if (!s) {
		s = made(l, &l->spins, e->addr, sizeof(*s));
		if (!s)
			return PD_LS_NO_LOCK;
		s->addr = e->addr;
		l->nspin++;
	}
	if (s->not)
		return PD_LS_NO_LOCK;
	if (exchange && e->aux - 1 == value_of(e) && !s->is)
		return s->held ? PD_LS_STILL_TAKEN : PD_LS_NO_LOCK;
	if (exchange && e->aux - 1 == value_of(e))
		return PD_LS_IS_LOCK;
	if (gives_back(l, s, e))
		give_back(l, s);
	else if (is_flag(s, e, before) || is_of_readers(l, s, e))
		; /* neither; or entered, or left */
	else if (was_flag(s, e, before))
		take_flagged(l, e, s);
	else if (s->held || s->n || !exchange)
		is_none(l, s);
	else
		take(l, e, s);
	s->value = value_of(e);
	if (s->is && !s->not)
		return PD_LS_IS_LOCK;
	return s->held && !s->free ? PD_LS_TAKING : PD_LS_NO_LOCK;
}

/* After the store of the same event: marks it as a possible acquisition. */
void pd_ls_spin_done(struct pd_lockset *l, const struct pd_event *e)
{
	struct spin *s = known(l, e->addr);

	if (s && s->held && !s->is && s->tid == e->tid && in_pm(s))
		pd_ls_taking(l, e->addr, true);
}

bool pd_ls_spin_store(struct pd_lockset *l, const struct pd_event *e)
{
	struct spin *s = known(l, e->addr);

	if (!s || s->not)
		return false;
	if (gives_back(l, s, e))
		give_back(l, s);
	else if (s->held && s->tid == e->tid && is_flag(s, e, s->value))
		; /* still taken */
	else if (s->n || (s->held && value_of(e) != s->taken))
		is_none(l, s);
	s->value = value_of(e);
	return s->is && !s->not;
}

bool pd_ls_spin_is(const struct pd_lockset *l, uint64_t addr)
{
	const struct spin *s = known(l, addr);

	return s && s->is && !s->not;
}

enum pd_ls_word_is pd_ls_spin_word(const struct pd_lockset *l, uint64_t addr)
{
	const struct spin *s = known(l, addr);

	if (!s)
		return PD_LS_WORD_UNKNOWN;
	if (s->not)
		return PD_LS_WORD_NO_LOCK;
	if (s->held)
		return s->is ? PD_LS_WORD_TAKEN : PD_LS_WORD_TAKING;
	return s->is ? PD_LS_WORD_FREE : PD_LS_WORD_UNKNOWN;
}

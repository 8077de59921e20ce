/*
 * watch/place.c - a place as frames, and which of them to show. See watched.h.
 *
 * Three kinds of frames are looked through:
 *   system, agents  what does what its caller wants (owner.h); and headers of the system
 *   wrappers  for flushes and fences only: functions whose name says that they do nothing else
 *             (pm_persist, clflush, flush_range). What is shown is the instruction, but what it is about
 *             is the first frame beyond them: the caller
 */
#include "drive/owner.h"
#include "drive/watch/watched.h"
#include "finding/text.h"
#include "host/demangle.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool starts(const char *s, const char *with)
{
	return s && strncmp(s, with, strlen(with)) == 0;
}

/* ---- frames --------------------------------------------------------------------------------- */

struct raw {
	struct pd_frame f;
	enum pd_owner owner;
	bool header; /* of the system, in the user's code */
	const char *object;
};

struct raws {
	uint32_t n;
	struct raw v[PD_WIRE_FRAMES * 2];
};

static void push(struct raws *to, struct pd_frame f, enum pd_owner owner, const char *object)
{
	bool header = pd_frame_is_system(&f) && owner == PD_OWNER_USER;

	if (to->n < PD_LEN(to->v))
		to->v[to->n++] = (struct raw){f, header ? PD_OWNER_SYSTEM : owner, header, object};
}

static void push_site(struct pd_watched *w, uint32_t id, struct raws *to)
{
	for (uint32_t depth = 0; id && depth < PD_WIRE_FRAMES; depth++) {
		uint64_t *at = pd_map_get(&w->sites, id);
		const struct pd_watched_site *s = at ? (const void *)(uintptr_t)*at : NULL;

		if (!s)
			return;
		push(to, (struct pd_frame){s->function, s->file, s->line, s->column}, PD_OWNER_USER,
		     NULL);
		id = s->inlined_at;
	}
}

static const struct pd_wire_module *module_of(const struct pd_watched *w, uint64_t pc)
{
	for (uint32_t i = w->modules.n; i-- > 0;)
		if (pc - w->modules.v[i].low < w->modules.v[i].high - w->modules.v[i].low)
			return &w->modules.v[i];
	return NULL;
}

static bool ready(struct pd_watched *w)
{
	if (!w->symbols)
		w->symbols = pd_symbols_empty();
	for (; w->symbols && w->loaded < w->modules.n; w->loaded++)
		pd_symbols_load(w->symbols, w->modules.v[w->loaded].path,
				w->modules.v[w->loaded].base);
	return w->symbols;
}

static const char *unnamed(struct pd_watched *w, const struct pd_wire_module *m, uint64_t pc)
{
	const char *name = pd_symbols_name(w->symbols, w->arena, pc);
	char text[300];

	if (name)
		return name;
	snprintf(text, sizeof(text), "%.200s+0x%lx", base_name(m->path),
		 (unsigned long)(pc - m->base));
	return pd_arena_strndup(w->arena, text, strlen(text));
}

/* The frames of an address: looking them up takes libdw long, and stacks have most of them in
 * common. */
struct resolved {
	uint32_t loaded; /* modules, then */
	uint32_t n;
	struct pd_frame f[8];
};

static const struct resolved *resolve(struct pd_watched *w, const struct pd_wire_module *m,
				      uint64_t pc)
{
	uint64_t *at = pd_map_put(&w->frames, w->arena, pc);
	struct resolved *x = at ? (struct resolved *)(uintptr_t)*at : NULL;

	if (x && x->loaded == w->loaded)
		return x;
	if (!x)
		x = pd_new(w->arena, struct resolved);
	if (!at || !x)
		return NULL;
	*at = (uintptr_t)x;
	x->loaded = w->loaded;
	x->n = pd_symbols_frames(w->symbols, w->arena, pc, x->f, PD_LEN(x->f));
	if (!x->n)
		x->f[x->n++] = (struct pd_frame){.function = unnamed(w, m, pc)};
	return x;
}

static void push_pc(struct pd_watched *w, uint64_t pc, struct raws *to)
{
	const struct pd_wire_module *m = module_of(w, pc);
	const struct resolved *x = m && ready(w) ? resolve(w, m, pc) : NULL;

	for (uint32_t i = 0; x && i < x->n; i++)
		push(to, x->f[i], pd_owner_of(m->path, m->instrumented, x->f[i].function), m->path);
}

/*
 * The first address is in the function that the static site is in, unless that ended in a jump to
 * the runtime: then it is in its caller. And the site is from before the optimiser: the function
 * may have been inlined since. So its frames are the caller's from where they go on after the
 * site's function.
 */
static void push_first_pc(struct pd_watched *w, uint64_t pc, struct raws *to)
{
	struct raws more = {0};
	const char *outermost = to->n ? to->v[to->n - 1].f.function : NULL;
	/* An overload of the same name, or itself, may be inlined in it */
	uint32_t from = 0, skip = 0;

	push_pc(w, pc, &more);
	for (uint32_t i = 0; outermost && i < to->n; i++)
		skip += to->v[i].f.function && strcmp(to->v[i].f.function, outermost) == 0;
	for (uint32_t i = 0; skip && i < more.n; i++)
		if (more.v[i].f.function && strcmp(more.v[i].f.function, outermost) == 0) {
			from = i + 1;
			skip--;
		}
	for (uint32_t i = from; i < more.n; i++)
		push(to, more.v[i].f, more.v[i].owner, more.v[i].object);
}

static void push_text(struct pd_watched *w, const struct pd_wire_frame *f, struct raws *to)
{
	struct pd_frame frame = {f->function ? pd_demangle(w->arena, f->function) : NULL, f->file,
				 f->line, f->column};

	push(to, frame, pd_owner_of(f->object, false, f->function), f->object);
}

static bool is_ours(const struct raw *r)
{
	const char *name = base_name(r->object);

	return starts(name, "vgpreload_perdure") || starts(name, "libperdure_rt");
}

/* Without perdure's own frames between the program's, and what started a thread. */
static void tidy(struct raws *r)
{
	uint32_t n = 0, end = r->n;
	bool between = false;

	while (end > 0 && r->v[end - 1].owner == PD_OWNER_SYSTEM && !r->v[end - 1].header)
		end--;
	if (!end)
		return;
	for (uint32_t i = 0; i < end; i++) {
		between |= r->v[i].owner == PD_OWNER_USER;
		if (!between || !is_ours(&r->v[i]))
			r->v[n++] = r->v[i];
	}
	r->n = n;
}

static void collect(struct pd_watched *w, const struct pd_wire_record *r, struct raws *to)
{
	for (uint32_t i = 0; i < r->nframes; i++) {
		const struct pd_wire_frame *f = &r->frames[i];

		if (f->how == PD_WIRE_SITE)
			push_site(w, f->site, to);
		else if (f->how == PD_WIRE_TEXT)
			push_text(w, f, to);
		else if (i == 1 && r->frames[0].how == PD_WIRE_SITE)
			push_first_pc(w, f->pc, to);
		else
			push_pc(w, f->pc, to);
		/* What is above main is the system's. */
		if (to->n && to->v[to->n - 1].owner == PD_OWNER_USER &&
		    to->v[to->n - 1].f.function && strcmp(to->v[to->n - 1].f.function, "main") == 0)
			break;
	}
	tidy(to);
}

/* ---- which one to show ---------------------------------------------------------------------- */

/* Words of which the names of functions are made that flush or fence and do nothing else: what they
 * do, */
static const char *const wrapper_verbs[] = {
	"clwb",
	"clflush",
	"clflushopt",
	"flush",
	"flushopt",
	"pflush",
	"persist",
	"drain",
	"nodrain",
	"fence",
	"sfence",
	"mfence",
	"pfence",
	"sync",
	"psync",
	"wb",
	"pwb",
	"writeback",
	"back",
	"barrier",
	"predrain",
	"wmb",
	/* PMDK's own, where that was built with debug information: */
	"xflush",
	"xpersist",
};

/* and to what. */
static const char *const wrapper_words[] = {
	"pm",	     "pmem",	   "pmem2",  "nv",	"nvm",	  "nvmm",   "my",      "do",
	"mm",	     "cl",	   "x86",    "asm",	"cache",  "caches", "line",    "lines",
	"cacheline", "cachelines", "range",  "region",	"buffer", "buf",    "addr",    "ptr",
	"object",    "mem",	   "memory", "data",	"opt",	  "all",    "deep",    "from",
	"to",	     "no",	   "nvms",   "pcommit", "smp",	  "write",  "pmemops", "pmemobj",
	"obj",	     "norep",	   "rep",    "util",	"auto",
};

/* A number behind it is no part of a word: flush1, clwb2. */
static bool is_among(const char *const *words, size_t n, const char *s, size_t len)
{
	if (len > 1 && isdigit((unsigned char)s[len - 1]) && is_among(words, n, s, len - 1))
		return true;
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], s, len) == 0)
			return true;
	return false;
}

/* How long the first word of a name is: up to what is no letter or digit, or FlushRange's second
 * capital. */
static size_t word_length(const char *s)
{
	size_t n = 1;

	while (isalnum((unsigned char)s[n]) &&
	       !(!isupper((unsigned char)s[n - 1]) && isupper((unsigned char)s[n])))
		n++;
	return n;
}

/* "persist" of a::B::persist; of what has no name of its own, that of its class or function. */
static const char *last_word(const char *function, size_t *n)
{
	size_t end = strlen(function), at;

	while (end > 2) {
		for (at = end; at >= 2 && strncmp(function + at - 2, "::", 2) != 0; at--)
			;
		at = at < 2 ? 0 : at;
		*n = end - at;
		if (!at || (strncmp(function + at, "operator()", *n) != 0 &&
			    strncmp(function + at, "{lambda}", *n) != 0))
			return function + at;
		end = at - 2;
	}
	*n = end;
	return function;
}

static bool is_wrapper(const char *function)
{
	bool does = false;
	size_t left;

	if (!function)
		return false;
	for (const char *p = last_word(function, &left); left;) {
		size_t n = *p == '_' ? 1 : PD_MIN(word_length(p), left);

		if (*p != '_') {
			bool verb = is_among(wrapper_verbs, PD_LEN(wrapper_verbs), p, n);

			if (!verb && !is_among(wrapper_words, PD_LEN(wrapper_words), p, n))
				return false;
			does |= verb;
		}
		p += n;
		left -= n;
	}
	return does;
}

/* perdure.h is inlined into the program. */
static bool looked_through(const struct raw *r)
{
	return r->owner == PD_OWNER_SYSTEM || r->owner == PD_OWNER_AGENT ||
	       (r->f.file && strcmp(base_name(r->f.file), "perdure.h") == 0);
}

/* A library's transactions are its user's. */
static bool is_of_caller(const struct raw *r, enum pd_role role)
{
	return r->owner == PD_OWNER_LIBRARY && (role == PD_ROLE_LOG || role == PD_ROLE_TX);
}

static bool may_be_wrapped(enum pd_role role)
{
	return role == PD_ROLE_FLUSH || role == PD_ROLE_FENCE || role == PD_ROLE_BEFORE;
}

/*
 * A flush by a function without a name that the user seems to have called: he called one with a
 * name, which ended in a jump, as pmemobj_persist does. Entries that do more have frames of their
 * own.
 */
static bool left_by_jump(const struct raws *r, uint32_t k, uint32_t up)
{
	return up == k + 1 && r->v[k].owner == PD_OWNER_LIBRARY && r->v[k].f.function &&
	       strstr(r->v[k].f.function, "+0x");
}

/* A library's own frames below an entry that acts for its caller (pmemobj_persist) act for it,
 * too. */
static uint32_t beyond_agent(const struct raws *r, uint32_t k, enum pd_role role)
{
	uint32_t up = k;

	while (up < r->n && r->v[up].owner != PD_OWNER_USER)
		up++;
	if (up == k || up == r->n)
		return k;
	return r->v[up - 1].owner == PD_OWNER_AGENT ||
			       (may_be_wrapped(role) && left_by_jump(r, k, up))
		       ? up
		       : k;
}

/* The first frame beyond wrappers; n: there are none, or nothing else. */
static uint32_t beyond_wrappers(const struct raws *r, uint32_t k)
{
	uint32_t i = k;

	while (i < r->n && (looked_through(&r->v[i]) ||
			    (r->v[i].owner == PD_OWNER_USER && is_wrapper(r->v[i].f.function))))
		i++;
	return i == k ? r->n : i;
}

bool pd_watched_place(struct pd_watched *w, uint32_t place, enum pd_role role,
		      struct pd_watched_place *p)
{
	uint64_t *at = pd_map_get(&w->places, place);
	struct raws *r = calloc(1, sizeof(*r));
	uint32_t k = 0;

	memset(p, 0, sizeof(*p));
	if (at && r)
		collect(w, (const struct pd_wire_record *)(uintptr_t)*at, r);
	if (!r || !r->n) {
		free(r);
		return false;
	}
	while (k < r->n && (looked_through(&r->v[k]) || is_of_caller(&r->v[k], role)))
		k++;
	k = beyond_agent(r, k, role);
	if (k == r->n) /* nothing but those: the innermost one, then */
		k = 0;
	for (uint32_t i = 0; i < r->n; i++)
		p->frame[p->n++] = r->v[i].f;
	p->at = k;
	p->caller = p->n;
	p->system = r->v[0].owner == PD_OWNER_SYSTEM && r->v[0].object && !r->v[0].header;
	if (r->v[k].owner != PD_OWNER_USER && r->v[k].object)
		p->library = pd_owner_library(w->arena, r->v[k].object);
	for (uint32_t i = k; p->library && i < r->n && p->caller == p->n; i++)
		if (r->v[i].owner == PD_OWNER_USER)
			p->caller = i;
	if (!p->library && may_be_wrapped(role))
		p->caller = beyond_wrappers(r, k);
	free(r);
	return true;
}

void pd_watched_locate(const struct pd_watched *w, struct pd_fact *f)
{
	for (uint32_t i = 0; i < w->pools.n; i++) {
		const struct pd_watched_pool *p = &w->pools.v[i];

		if (p->name && f->number - p->base < p->size) {
			f->number -= p->base;
			f->text = p->name;
			return;
		}
	}
}

void pd_watched_address(const struct pd_watched *w, uint64_t addr, char *buf, size_t n)
{
	for (uint32_t i = 0; i < w->pools.n; i++) {
		const struct pd_watched_pool *p = &w->pools.v[i];

		if (p->name && addr - p->base < p->size) {
			snprintf(buf, n, "%s+0x%lx", base_name(p->name),
				 (unsigned long)(addr - p->base));
			return;
		}
	}
	snprintf(buf, n, "PM 0x%lx", (unsigned long)addr);
}

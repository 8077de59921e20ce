/* place.c - see place.h. */
#include "finding/place.h"
#include "base/glob.h"
#include "finding/text.h"

/* ---- stacks --------------------------------------------------------------------------------- */

void pd_stack_push(struct pd_stack *s, struct pd_frame f, enum pd_owner owner, const char *object)
{
	bool header = pd_frame_is_system(&f) && owner == PD_OWNER_USER;

	if (s->n < PD_STACK_FRAMES)
		s->v[s->n++] = (struct pd_owned_frame){f, header ? PD_OWNER_SYSTEM : owner, header,
						       object};
}

static bool is_ours(const struct pd_owned_frame *r)
{
	const char *name = pd_text_base(r->object);

	return pd_text_starts(name, "vgpreload_perdure") || pd_text_starts(name, "libperdure_rt");
}

void pd_stack_tidy(struct pd_stack *r)
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

/* ---- names of wrappers ---------------------------------------------------------------------- */

/* Words in the names of functions that only flush or fence: what they do, */
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
	/* PMDK's own, if it was built with debug information: */
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

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_alnum(char c)
{
	return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z');
}

/* Whether s is the word, whatever its case. */
static bool same_letters(const char *word, const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && word[i] && word[i] == (is_upper(s[i]) ? s[i] + ('a' - 'A') : s[i]))
		i++;
	return i == n && !word[i];
}

/* A trailing digit is not part of a word: flush1, clwb2. */
static bool is_among(const char *const *words, size_t n, const char *s, size_t len)
{
	if (len > 1 && is_digit(s[len - 1]) && is_among(words, n, s, len - 1))
		return true;
	for (size_t i = 0; i < n; i++)
		if (same_letters(words[i], s, len))
			return true;
	return false;
}

/* The length of the first word of a name: up to a character that is no letter or digit, or to the
 * next capital, as in FlushRange. */
static size_t word_length(const char *s)
{
	size_t n = 1;

	while (is_alnum(s[n]) && !(!is_upper(s[n - 1]) && is_upper(s[n])))
		n++;
	return n;
}

/*
 * "persist" of a::B::persist; for an unnamed function the name of its class or enclosing function.
 */
static const char *last_word(const char *function, size_t *n)
{
	size_t end = pd_text_len(function), at;

	while (end > 2) {
		for (at = end; at >= 2 && !pd_text_starts(function + at - 2, "::"); at--)
			;
		at = at < 2 ? 0 : at;
		*n = end - at;
		if (!at || (!pd_text_is(function + at, *n, "operator()") &&
			    !pd_text_is(function + at, *n, "{lambda}")))
			return function + at;
		end = at - 2;
	}
	*n = end;
	return function;
}

bool pd_place_is_wrapper(const char *function)
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

static const char *const checksum_words[] = {
	"crc",	      "crc8",	"crc16",   "crc32", "crc32c", "crc64",	"sum",
	"checksum",   "cksum",	"chksum",  "csum",  "hash",   "digest", "fletcher",
	"fletcher64", "adler",	"adler32", "fnv",   "fnv1a",  "xxh",	"xxh32",
	"xxh64",      "xxhash", "murmur",  "md5",   "sha1",   "sha256", "siphash",
};

bool pd_place_is_checksum(const char *function)
{
	size_t left, n;

	if (!function)
		return false;
	for (const char *p = last_word(function, &left); left; p += n, left -= n) {
		n = *p == '_' ? 1 : PD_MIN(word_length(p), left);
		if (is_among(checksum_words, PD_LEN(checksum_words), p, n))
			return true;
	}
	return false;
}

/* ---- which one to show ---------------------------------------------------------------------- */

/* perdure.h is inlined into the program. */
static bool looked_through(const struct pd_owned_frame *r)
{
	return r->owner == PD_OWNER_SYSTEM || r->owner == PD_OWNER_AGENT ||
	       (r->f.file && pd_text_cmp(pd_text_base(r->f.file), "perdure.h") == 0);
}

/* A library's transactions belong to its user. */
static bool is_of_caller(const struct pd_owned_frame *r, enum pd_role role)
{
	return r->owner == PD_OWNER_LIBRARY && (role == PD_ROLE_LOG || role == PD_ROLE_TX);
}

static bool may_be_wrapped(enum pd_role role)
{
	return role == PD_ROLE_FLUSH || role == PD_ROLE_FENCE || role == PD_ROLE_BEFORE;
}

/*
 * A flush by an unnamed function that the user seems to have called: he called one with a name,
 * which ended in a jump, as pmemobj_persist does. Entry points that do more have frames of their
 * own.
 */
static bool left_by_jump(const struct pd_stack *r, uint32_t k, uint32_t up)
{
	return up == k + 1 && r->v[k].owner == PD_OWNER_LIBRARY && r->v[k].f.function &&
	       pd_text_find(r->v[k].f.function, "+0x");
}

/* A library's own frames below an entry point that acts for its caller (pmemobj_persist) act for
 * it, too. */
static uint32_t beyond_agent(const struct pd_stack *r, uint32_t k, enum pd_role role)
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
static uint32_t beyond_wrappers(const struct pd_stack *r, uint32_t k)
{
	uint32_t i = k;

	while (i < r->n && (looked_through(&r->v[i]) || (r->v[i].owner == PD_OWNER_USER &&
							 pd_place_is_wrapper(r->v[i].f.function))))
		i++;
	return i == k ? r->n : i;
}

/* Whether the frames inside the one shown are libc's functions for locks. */
static bool takes_lock(const struct pd_place *p)
{
	static const char *const locks[] = {"*pthread*", "*lll_*",  "*mutex*",
					    "*rwlock*",	 "*cond_*", "*sem_*",
					    "*_once*",	 "mtx_*",   "cnd_*"};

	for (uint32_t i = 0; i < PD_MAX(p->at, 1); i++)
		for (uint32_t k = 0; k < PD_LEN(locks); k++)
			if (p->frame[i].function && pd_glob_name(locks[k], p->frame[i].function))
				return true;
	return false;
}

static uint32_t shown(const struct pd_stack *s, enum pd_role role)
{
	uint32_t k = 0;

	while (k < s->n && (looked_through(&s->v[k]) || is_of_caller(&s->v[k], role)))
		k++;
	k = beyond_agent(s, k, role);
	return k == s->n ? 0 : k; /* nothing but those: show the innermost one */
}

static uint32_t user_above(const struct pd_stack *s, uint32_t k)
{
	while (k < s->n && s->v[k].owner != PD_OWNER_USER)
		k++;
	return k;
}

bool pd_place_choose(struct pd_arena *a, const struct pd_stack *s, enum pd_role role,
		     struct pd_place *p)
{
	const struct pd_owned_frame *at;

	memset(p, 0, sizeof(*p));
	if (!s->n)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		p->frame[p->n++] = s->v[i].f;
	p->at = shown(s, role);
	at = &s->v[p->at];
	p->system = s->v[0].owner == PD_OWNER_SYSTEM && s->v[0].object && !s->v[0].header;
	p->locks = p->system && takes_lock(p);
	if (at->owner != PD_OWNER_USER && at->object)
		p->library = pd_owner_library(a, at->object);
	p->caller = p->library		   ? user_above(s, p->at)
		    : may_be_wrapped(role) ? beyond_wrappers(s, p->at)
					   : p->n;
	return true;
}

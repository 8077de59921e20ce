/* site.c - see site.h. */
#include "runtime/place/site.h"
#include "base/out.h"
#include "base/vec.h"
#include "finding/owner.h"
#include "finding/text.h"
#include "runtime/place/foreign.h"
#include "runtime/base/rt.h"
#include "runtime/thread/door.h"
#include <dlfcn.h>
#include <link.h>

struct registered {
	struct pd_module *module;
	uint32_t first; /* number of its first site */
	/* Path, or the name of an archive of PMDK's (finding/owner.h); NULL: the program */
	const char *library;
};

static struct {
	struct pd_arena arena;
	PD_VEC(struct registered) modules;
	PD_VEC(uint64_t) used; /* a bit per site */
	uint32_t next;
} sites = {.next = 1};

PD_EXPORT _Thread_local const struct pd_site *__pd_call_site;

void __pd_module(struct pd_module *m);

/* "x.c:12: cld; rep stosq": where it is, then the text of inline asm in one line. */
static void describe(char *text, size_t room, const struct pd_static_loss *l)
{
	struct pd_outbuf b;
	char last = ';';

	pd_outbuf_init(&b, text, room);
	if (l->site && l->site->line)
		pd_outf(&b.out, "%s:%u: ", pd_text_base(l->site->file), l->site->line);
	for (const char *s = l->what; *s; s++) {
		/* LLVM's $0 and $$5 are the source's %0 and $5 */
		bool operand = *s == '$' && ((s[1] >= '0' && s[1] <= '9') || s[1] == '{');
		bool line = *s == '\n' || *s == '\r', space = line || *s == '\t' || *s == ' ';

		if (*s == '$' && s[1] == '$')
			s++;
		if (!space)
			pd_outf(&b.out, "%c", last = operand ? '%' : *s);
		else if (line && last != ';')
			pd_outf(&b.out, "%c", last = ';');
		else if (s[1] && s[1] != ' ' && s[1] != '\t' && s[1] != '\n' && b.n)
			pd_outf(&b.out, " ");
	}
}

static void name_losses(const struct pd_module *m)
{
	char text[PD_CHANNEL_WHAT];

	for (uint32_t i = 0; i < m->nlosses; i++) {
		const struct pd_static_loss *l = &m->losses[i];

		describe(text, sizeof(text), l);
		pd_rt_loss(l->kind, l->site ? l->site->id : 0, text);
	}
}

/* The library's path; NULL: the program, which is the first of all. */
static const char *library_of(const struct pd_module *m)
{
	struct dl_find_object of; /* dladdr would look at all symbols of the library */
	struct link_map *l = _dl_find_object((void *)m, &of) == 0 ? of.dlfo_link_map : NULL;

	return l && l->l_prev ? l->l_name : NULL;
}

/*
 * Names of places are looked up in the library itself, also after dlclose, so it is kept loaded.
 * Alone, it is unloaded as usual. Not before its constructors run: dlopen would run them.
 */
static void keep_library(const struct pd_module *m)
{
	static const char *last;
	const char *name = library_of(m);

	if (name && name != last)
		dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	last = name ? name : last;
}

/* The archive of PMDK, if it is linked statically. */
static const char *archive_of(const struct pd_module *m)
{
	for (uint32_t i = 0; i < m->nsites; i++)
		if (pd_text_cmp(pd_text_base(m->sites[i].file), pd_text_base(m->source)) == 0)
			return pd_owner_archive(m->sites[i].file);
	return NULL;
}

/* All modules of a program must be built for the same modes. Names the one to rebuild: not the one
 * that can do more; else the later one. */
static void check_build(const struct pd_module *m)
{
	const struct pd_module *first = sites.modules.n ? sites.modules.v[0].module : m;
	bool more = (m->build & first->build) == first->build;
	const struct pd_module *good = more ? m : first, *bad = more ? first : m;

	if (m->abi != PD_ABI)
		pd_rt_fail(2,
			   "'%s' was compiled by another version of perdure (%u, this is %u); "
			   "recompile it",
			   m->source, m->abi, PD_ABI);
	if ((m->build & pd_rt.needs) != pd_rt.needs)
		pd_rt_fail(2,
			   "'%s' was compiled by '%s', not for symbolic execution; recompile the "
			   "program with 'perdure cc --symbolic'",
			   m->source, m->command);
	if (m->build != first->build)
		pd_rt_fail(2,
			   "'%s' was compiled by '%s', but '%s' by '%s'; recompile '%s' with '%s'",
			   good->source, good->command, bad->source, bad->command, bad->source,
			   good->command);
}

/* Gives numbers to its sites. */
static void number_sites(struct pd_module *m)
{
	struct registered *r;

	if (!sites.arena.host.grow)
		pd_arena_init(&sites.arena, pd_rt_memory());
	r = pd_vec_push(&sites.modules, &sites.arena);
	if (!r)
		pd_rt_fail(4, "out of memory");
	*r = (struct registered){.module = m, .first = sites.next};
	for (uint32_t i = 0; i < m->nsites; i++)
		m->sites[i].id = sites.next++;
	if (pd_rt.driven) {
		const char *archive = archive_of(m);

		r->library = library_of(m);
		if (archive && pd_owner_of(r->library, true, NULL) == PD_OWNER_USER) {
			pd_rt.has_pmdk = !r->library;
			r->library = archive;
		}
	}
}

static bool has_numbers(const struct pd_module *m)
{
	uint32_t i = m->nsites ? sites.modules.n : 0;

	while (i < sites.modules.n && sites.modules.v[i].module != m)
		i++;
	return m->nsites ? m->sites[0].id != 0 : i < sites.modules.n;
}

PD_EXPORT void __pd_module(struct pd_module *m)
{
	pd_rt_init();
	check_build(m);
	if (!has_numbers(m))
		number_sites(m);
	if (pd_rt.driven)
		keep_library(m);
	pd_rt.channel->modules++;
	name_losses(m);
}

/* ---- before their constructors have run ----------------------------------------------------- */

struct found {
	struct pd_arena arena;
	PD_VEC(struct pd_module *) modules;
};

static bool is_ours(const ElfW(Nhdr) * n)
{
	return n->n_type == PD_NOTE_MODULE && n->n_namesz == sizeof(PD_NOTE_NAME) &&
	       n->n_descsz == sizeof(int64_t) &&
	       memcmp(n + 1, PD_NOTE_NAME, sizeof(PD_NOTE_NAME)) == 0;
}

static void find_notes(struct found *to, uint64_t at, uint64_t end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const void *)at;
		const struct pd_note *note = (const void *)at;
		struct pd_module **m = NULL;

		if (is_ours(n) && (m = pd_vec_push(&to->modules, &to->arena)))
			*m = (void *)((uint64_t)&note->record + (uint64_t)note->record);
		at += sizeof(*n) + ((n->n_namesz + 3) & ~3u) + ((n->n_descsz + 3) & ~3u);
	}
}

static int find_modules(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE && p->p_align <= 4)
			find_notes(ctx, info->dlpi_addr + p->p_vaddr,
				   info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	return 0;
}

/* What is wrong with one is reported when its constructor runs. */
static bool fits(const struct pd_module *m, const struct pd_module *other)
{
	return m->abi == PD_ABI && m->build == other->build &&
	       (m->build & pd_rt.needs) == pd_rt.needs;
}

void pd_site_number_all(void)
{
	struct found found = {0};
	bool ok = true;

	pd_arena_init(&found.arena, pd_rt_memory());
	dl_iterate_phdr(find_modules, &found);
	for (uint32_t i = 0; i < found.modules.n; i++)
		ok = ok && fits(found.modules.v[i], found.modules.v[0]);
	for (uint32_t i = found.modules.n; ok && i-- > 0;) /* the program comes last */
		if (!has_numbers(found.modules.v[i]))
			number_sites(found.modules.v[i]);
	pd_arena_finish(&found.arena);
}

static bool has_site(const struct registered *r, uint32_t id)
{
	return id - r->first < r->module->nsites;
}

static const struct registered *module_of(uint32_t id)
{
	static uint32_t last; /* the next one is often in the same module */
	uint32_t lo = 0, hi = sites.modules.n;

	if (!id || id >= sites.next)
		return NULL;
	if (has_site(&sites.modules.v[last], id))
		return &sites.modules.v[last];
	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;

		if (sites.modules.v[mid].first <= id)
			lo = mid;
		else
			hi = mid;
	}
	last = lo;
	return has_site(&sites.modules.v[lo], id) ? &sites.modules.v[lo] : NULL;
}

const struct pd_site *pd_site_get(uint32_t id)
{
	const struct registered *r = module_of(id);

	return r ? &r->module->sites[id - r->first] : NULL;
}

const char *pd_site_library(uint32_t id)
{
	const struct registered *r = module_of(id);

	return r ? r->library : NULL;
}

void pd_site_each_module(void (*each)(void *ctx, const struct pd_module *m, uint32_t first),
			 void *ctx)
{
	for (uint32_t i = 0; i < sites.modules.n; i++)
		each(ctx, sites.modules.v[i].module, sites.modules.v[i].first);
}

bool pd_site_first_use(uint32_t id)
{
	uint64_t bit = 1ULL << (id % 64);

	while (sites.used.n <= id / 64) {
		uint64_t *word = pd_vec_push(&sites.used, &sites.arena);

		if (!word)
			pd_rt_fail(4, "out of memory");
		*word = 0;
	}
	if (sites.used.v[id / 64] & bit)
		return false;
	sites.used.v[id / 64] |= bit;
	return true;
}

bool pd_site_any(void)
{
	const struct link_map *l = sites.modules.n ? NULL : _r_debug.r_map;

	while (l && !pd_foreign_is_instrumented(l->l_ld))
		l = l->l_next;
	return sites.modules.n || l;
}

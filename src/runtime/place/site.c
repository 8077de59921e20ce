/* site.c - see site.h. */
#include "runtime/place/site.h"
#include "base/vec.h"
#include "finding/owner.h"
#include "finding/text.h"
#include "runtime/place/foreign.h"
#include "runtime/base/rt.h"
#include "runtime/thread/door.h"
#include <dlfcn.h>

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

static void name_losses(const struct pd_module *m)
{
	for (uint32_t i = 0; i < m->nlosses; i++)
		pd_rt_loss(m->losses[i].kind, m->losses[i].site ? m->losses[i].site->id : 0,
			   m->losses[i].what);
}

/*
 * Names of places are looked up in the library itself, also after dlclose, so it is kept loaded.
 * Alone, it is unloaded as usual. (The program itself is the first of all.) Returns its path; NULL:
 * the program.
 */
static const char *keep_library(const struct pd_module *m)
{
	static const struct link_map *last;
	struct dl_find_object of; /* dladdr would look at all symbols of the library */
	struct link_map *l = _dl_find_object((void *)m, &of) == 0 ? of.dlfo_link_map : NULL;

	if (!l || !l->l_prev)
		return NULL;
	if (l != last)
		dlopen(l->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	last = l;
	return l->l_name;
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

PD_EXPORT void __pd_module(struct pd_module *m)
{
	struct registered *r;

	pd_rt_init();
	check_build(m);
	if (!sites.arena.host.grow)
		pd_arena_init(&sites.arena, pd_rt_memory());
	r = pd_vec_push(&sites.modules, &sites.arena);
	if (!r)
		pd_rt_fail(4, "out of memory");
	*r = (struct registered){.module = m, .first = sites.next};
	for (uint32_t i = 0; i < m->nsites; i++)
		m->sites[i].id = sites.next++;
	pd_rt.channel->modules++;
	if (pd_rt.driven) {
		const char *archive = archive_of(m);

		r->library = keep_library(m);
		if (archive && pd_owner_of(r->library, true, NULL) == PD_OWNER_USER) {
			pd_rt.has_pmdk = !r->library;
			r->library = archive;
		}
	}
	name_losses(m);
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

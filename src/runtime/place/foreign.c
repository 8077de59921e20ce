/* foreign.c - see foreign.h. */
#include "runtime/place/foreign.h"
#include "runtime/thread/door.h"
#include "runtime/place/stack.h"
#include "base/map.h"
#include "base/names.h"
#include "event/x86.h"
#include "finding/owner.h"
#include "finding/text.h"
#include <dlfcn.h>
#include <string.h>

#define RUNTIME "libperdure_rt.so"

static struct {
	struct pd_arena arena;
	struct pd_map by_name; /* address of a name -> enum verdict */
	struct pd_map readers; /* address of code -> how often it has read */
} table;

enum verdict { NOT_ASKED, HARMLESS, STORES_TO, STORES };

/* ---- objects -------------------------------------------------------------------------------- */

static const char *strings_of(const ElfW(Dyn) * dynamic)
{
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			return (const char *)d->d_un.d_ptr;
	return NULL;
}

bool pd_foreign_is_instrumented(const ElfW(Dyn) * dynamic)
{
	const char *strings = strings_of(dynamic);

	for (const ElfW(Dyn) *d = dynamic; strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && !strcmp(strings + d->d_un.d_val, RUNTIME))
			return true;
	return false;
}

/* ---- functions of PMDK ---------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/* For libpmem2 the functions that it returns count; libpmem's own get the site. */
static enum verdict by_name(const char *name)
{
	static const char *const harmless[] = {
		"pmem_is_pmem",	       "pmem_map_file",
		"pmem_unmap",	       "pmem_msync",
		"pmem_has_auto_flush", "pmem_has_hw_drain",
		"pmem_errormsg",       "pmem_check_version",
		"pmemobj_errormsg",    "pmemobj_check_version",
		"pmemblk_errormsg",    "pmemblk_check_version",
		"pmemlog_errormsg",    "pmemlog_check_version",
	};
	static const char *const flushing[] = {
		"pmem_persist",		"pmem_flush",	      "pmem_drain",
		"pmem_deep_persist",	"pmem_deep_flush",    "pmem_deep_drain",
		"pmem2_get_persist_fn", "pmem2_get_flush_fn", "pmem2_get_drain_fn",
		"pmem2_deep_flush",
	};
	static const char *const given[] = {"pmem2_get_memcpy_fn", "pmem2_get_memmove_fn",
					    "pmem2_get_memset_fn"};

	if (is_one_of(name, harmless, PD_LEN(harmless)))
		return HARMLESS;
	if (is_one_of(name, flushing, PD_LEN(flushing)))
		return pd_rt.sees_flushes		 ? HARMLESS
		       : strncmp(name, "pmem2_", 6) == 0 ? STORES
		       : strstr(name, "drain")		 ? STORES
							 : STORES_TO;
	if (strncmp(name, "pmem2_", 6) == 0)
		return is_one_of(name, given, PD_LEN(given)) ? STORES : HARMLESS;
	if (strncmp(name, "pmemobj_", 8) == 0 || strncmp(name, "pmemblk_", 8) == 0 ||
	    strncmp(name, "pmemlog_", 8) == 0)
		return STORES;
	return strncmp(name, "pmem_", 5) == 0 ? STORES_TO : HARMLESS;
}

/* The object that a call of this name goes to; NULL: not known, as in a program that does not
 * export it. */
static const struct link_map *object_of(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, name);
	struct link_map *l = NULL;
	Dl_info info;

	return f && dladdr1(f, &info, (void **)&l, RTLD_DL_LINKMAP) ? l : NULL;
}

bool pd_foreign_is_pmdk(const void *pc)
{
	Dl_info info;
	struct link_map *l = NULL;
	enum pd_owner owner;

	if (!dladdr1(pc, &info, (void **)&l, RTLD_DL_LINKMAP))
		return false;
	if (pd_rt.has_pmdk && l && !l->l_prev)
		return true;
	owner = pd_owner_of(info.dli_fname, true, NULL);
	return owner == PD_OWNER_LIBRARY || owner == PD_OWNER_AGENT;
}

static enum verdict judge(const char *name)
{
	enum verdict v = by_name(name);
	const struct link_map *l = v == HARMLESS ? NULL : object_of(name);

	return !l || pd_foreign_is_instrumented(l->l_ld) ? HARMLESS : v;
}

static void report_call(const char *name, uint32_t site)
{
	const char *library = pd_text_base(object_of(name)->l_name);
	struct pd_outbuf b;
	char what[300];

	if (pd_rt.must_see)
		pd_rt_fail(2,
			   "it calls %s of %s, which was not compiled with 'perdure cc', so its "
			   "stores cannot be seen; 'perdure pmdk' builds PMDK's libraries so that "
			   "they can (other libraries: CC='perdure cc'; name their directory in "
			   "LD_LIBRARY_PATH); 'perdure lint' takes all as they are",
			   name, library);
	pd_outbuf_init(&b, what, sizeof(what));
	pd_outf(&b.out, "a call of %s of %s, which was not instrumented", name, library);
	pd_rt_loss(PD_LOSS_BLIND, site, what);
}

bool pd_foreign_called(const char *name, uint64_t first, uint32_t site)
{
	uint64_t *known;

	if (strncmp(name, "pmem", 4) != 0)
		return false;
	if (!table.arena.host.grow)
		pd_arena_init(&table.arena, pd_rt_memory());
	known = pd_map_put(&table.by_name, &table.arena, (uintptr_t)name);
	if (!known)
		pd_rt_fail(4, "out of memory");
	if (*known == NOT_ASKED)
		*known = judge(name);
	if (*known == STORES || (*known == STORES_TO && PD_IS_PM(first)))
		report_call(name, site);
	return *known != HARMLESS;
}

/* ---- who it was ----------------------------------------------------------------------------- */

bool pd_foreign_is_system(const char *path)
{
	const char *name = pd_text_base(path);
	static const char *const names[] = {
		RUNTIME,	 "libc.so",   "libm.so",     "libdl.so",     "librt.so",
		"libpthread.so", "ld-linux",  "libgcc_s.so", "libstdc++.so", "libc++",
		"libatomic.so",	 "libunwind", "linux-vdso"};

	for (size_t i = 0; i < PD_LEN(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_foreign(const char *name)
{
	for (const struct link_map *l = pd_foreign_is_system(name) ? NULL : _r_debug.r_map; l;
	     l = l->l_next)
		if (strcmp(pd_text_base(l->l_name), pd_text_base(name)) == 0)
			return !pd_foreign_is_instrumented(l->l_ld);
	return false;
}

/* ---- reads ---------------------------------------------------------------------------------- */

static bool is_instrumented(uintptr_t pc, Dl_info *info)
{
	struct link_map *l = NULL;

	return dladdr1((const void *)pc, info, (void **)&l, RTLD_DL_LINKMAP) && l &&
	       pd_foreign_is_instrumented(l->l_ld);
}

/* The function that instrumented code called and that led to pc; pc's own if there is none. */
static void find_reader(uintptr_t pc, Dl_info *reader)
{
	uintptr_t frame[32];
	uint32_t n = pd_rt_stack(frame, PD_LEN(frame)), i = 0;
	Dl_info info = {0}, at = {0};

	if (is_instrumented(pc, reader))
		return; /* an object file from elsewhere that was linked into it */
	while (i < n && frame[i] != pc - 1 && frame[i] != pc)
		i++;
	for (at = *reader; i < n && (frame[i] == pc - 1 || !is_instrumented(frame[i], &info)); i++)
		if (frame[i] != pc - 1)
			at = info;
	if (i < n)
		*reader = at;
}

static bool is_standard(const char *file)
{
	static const char *const libraries[] = {"libc.so", "libm.so", "libstdc++.so", "libc++.so",
						"libgcc_s.so"};

	for (size_t i = 0; i < PD_LEN(libraries); i++)
		if (strncmp(file, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

/* Returns its PD_READER_. */
static uint32_t name_reader(uintptr_t pc, char what[PD_CHANNEL_WHAT])
{
	Dl_info reader = {0};
	struct pd_outbuf b;
	const char *file;

	find_reader(pc, &reader);
	file = reader.dli_fname ? pd_text_base(reader.dli_fname) : NULL;
	pd_outbuf_init(&b, what, PD_CHANNEL_WHAT);
	if (reader.dli_sname)
		pd_outf(&b.out, "%s of ", reader.dli_sname);
	pd_outs(&b.out, file ? file : "code that belongs to no file");
	return file && is_standard(file) ? PD_READER_STANDARD : PD_READER_OTHER;
}

/* Its flushes in the first execution were not seen: no probe is there (access/probe.h). */
static void lose_flush(const char *who)
{
	char what[PD_CHANNEL_WHAT];
	struct pd_outbuf b;

	pd_outbuf_init(&b, what, sizeof(what));
	pd_outs(&b.out, who);
	pd_rt_loss(PD_LOSS_FLUSH, 0, what);
}

void pd_foreign_reads(uintptr_t pc)
{
	char what[PD_CHANNEL_WHAT] = "";
	uint64_t *known;
	struct pd_x86 in;

	if (!table.arena.host.grow)
		pd_arena_init(&table.arena, pd_rt_memory());
	known = pd_map_put(&table.readers, &table.arena, pc);
	if (known && !(*known)++) {
		pd_rt.channel->reader_kinds |= name_reader(pc, what);
		pd_names_add(pd_rt.channel->readers, sizeof(pd_rt.channel->readers), what);
		if (pd_x86_read((const void *)pc, PD_X86_LONGEST, &in) && pd_x86_persists(&in))
			lose_flush(what);
	}
	pd_rt_loss(PD_LOSS_READ, 0, *what ? what : NULL);
}

/* ---- suspects ------------------------------------------------------------------------------- */

void pd_foreign_suspects(char *names, size_t n)
{
	*names = '\0';
	for (const struct link_map *l = _r_debug.r_map; l; l = l->l_next) {
		const char *strings =
			pd_foreign_is_instrumented(l->l_ld) ? strings_of(l->l_ld) : NULL;

		for (const ElfW(Dyn) *d = l->l_ld; strings && d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_NEEDED && is_foreign(strings + d->d_un.d_val))
				pd_names_add(names, n, pd_text_base(strings + d->d_un.d_val));
	}
}

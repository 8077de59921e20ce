/* owner.c - see owner.h. */
#include "finding/owner.h"
#include "base/glob.h"
#include "finding/text.h"

static const char *const system_objects[] = {
	"libc.so*",
	"libc-*.so",
	"ld-linux*",
	"ld-*.so",
	"libm.so*",
	"libm-*.so",
	"libpthread*",
	"librt.so*",
	"libdl.so*",
	"libstdc++.so*",
	"libc++.so*",
	"libgcc_s.so*",
	"libgomp.so*",
	/* It is libc to its program */
	"libasan.so*",
	"linux-vdso*",
	"vgpreload_*",
	"libperdure_rt*",
};

static const char *const agent_objects[] = {"libpmem.so*", "libpmem2.so*", "libpmem.a",
					    "libpmem2.a"};

static const char *const pmdk_objects[] = {"libpmemobj.so*",  "libpmemlog.so*", "libpmemblk.so*",
					   "libpmempool.so*", "libpmemset.so*", "librpmem.so*",
					   "libpmemobj.a"};

/* Functions of libpmemobj and libpmemobj-cpp that act on behalf of their caller. */
static const char *const agent_functions[] = {
	"pmemobj_persist", "pmemobj_xpersist", "pmemobj_flush", "pmemobj_xflush", "pmemobj_drain",
	"pmemobj_mem*",	   "pmem_persist",     "pmem_flush",	"pmem_drain",	  "pmem_mem*",
	"pmem_msync",	   "pmem_deep_*",      "obj_norep_*",	"obj_rep_*",
};

static bool matches(const char *const *globs, size_t n, const char *s)
{
	for (size_t i = 0; s && i < n; i++)
		if (pd_glob_name(globs[i], s))
			return true;
	return false;
}

/* Where systems keep software that their users did not build. */
static bool is_system_path(const char *path)
{
	return pd_text_starts(path, "/lib/") || pd_text_starts(path, "/lib64/") ||
	       pd_text_starts(path, "/usr/lib") || pd_text_starts(path, "/usr/local/lib") ||
	       pd_text_starts(path, "/opt/") || pd_text_starts(path, "/nix/store/");
}

enum pd_owner pd_owner_of(const char *object, bool instrumented, const char *function)
{
	const char *name = object ? pd_text_base(object) : NULL;

	if (!name)
		return PD_OWNER_USER;
	if (matches(system_objects, PD_LEN(system_objects), name))
		return PD_OWNER_SYSTEM;
	if (matches(agent_objects, PD_LEN(agent_objects), name))
		return PD_OWNER_AGENT;
	if (pd_glob_name("libpmemobj*", name) &&
	    matches(agent_functions, PD_LEN(agent_functions), function))
		return PD_OWNER_AGENT;
	if (matches(pmdk_objects, PD_LEN(pmdk_objects), name))
		return PD_OWNER_LIBRARY;
	if (instrumented || !is_system_path(object))
		return PD_OWNER_USER;
	return matches(agent_functions, PD_LEN(agent_functions), function) ? PD_OWNER_AGENT
									   : PD_OWNER_LIBRARY;
}

/*
 * Sources of libpmemobj; those that it shares with others are compiled in its folder, by a path
 * with "..".
 */
static const char *const pmemobj_sources[] = {
	"alloc_class.?", "bucket.?",	 "container_*.?", "critnib.?",	"ctl_debug.?", "heap.?",
	"lane.?",	 "libpmemobj.c", "list.?",	  "memblock.?", "memops.?",    "obj.?",
	"obj_log.?",	 "palloc.?",	 "pmalloc.?",	  "pmemops.h",	"recycler.?",  "stats.?",
	"sync.?",	 "tx.?",	 "ulog.?",
};

const char *pd_owner_archive(const char *file)
{
	static const struct {
		const char *folder, *archive;
	} known[] = {{"/src/libpmem/", "libpmem.a"}, {"/src/libpmem2/", "libpmem2.a"}};
	const char *at = pd_text_find(file, "/src/libpmemobj/");

	if (at && (pd_text_find(at, "/../") ||
		   matches(pmemobj_sources, PD_LEN(pmemobj_sources), pd_text_base(file))))
		return "libpmemobj.a";
	for (size_t i = 0; i < PD_LEN(known); i++)
		if (pd_text_find(file, known[i].folder))
			return known[i].archive;
	return NULL;
}

const char *pd_owner_object(const char *object, const char *file)
{
	const char *archive = pd_owner_archive(file);
	const char *name = object ? pd_text_base(object) : NULL;

	return !archive || matches(agent_objects, PD_LEN(agent_objects), name) ||
			       matches(pmdk_objects, PD_LEN(pmdk_objects), name)
		       ? object
		       : archive;
}

const char *pd_owner_library(struct pd_arena *a, const char *object)
{
	const char *name = pd_text_base(object);
	const char *dot = pd_text_find(name, ".so");

	if (!dot)
		dot = pd_text_find(name, ".a");

	return pd_arena_strndup(a, name, dot ? (size_t)(dot - name) : pd_text_len(name));
}

const char *pd_owner_header(struct pd_arena *a, const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/local/include/"};
	size_t n;

	for (size_t i = 0; i < PD_LEN(folders); i++)
		if (pd_text_starts(file, folders[i])) {
			file += pd_text_len(folders[i]);
			if (pd_text_starts(file + pd_text_until(file, '-'), "-linux-gnu/"))
				file += pd_text_until(file, '/') + 1;
			n = pd_text_until(file, '/');
			if (!file[n] && n > 2 && pd_text_cmp(file + n - 2, ".h") == 0)
				n -= 2;
			return pd_text_starts(file, "c++/") || pd_text_starts(file, "bits/")
				       ? NULL
				       : pd_arena_strndup(a, file, n);
		}
	return NULL;
}

bool pd_owner_wanted(const char *const *libraries, uint32_t n, const char *library)
{
	for (uint32_t i = 0; i < n; i++)
		if (pd_text_cmp(libraries[i], "all") == 0 || pd_glob_name(libraries[i], library))
			return true;
	return false;
}

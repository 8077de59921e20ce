/*
 * foreign.c - memory with labels that is passed to functions that are not instrumented.
 *
 * The result of such a function may depend on the bytes that it is passed, and no path condition
 * shows that: a loss. What the argument points to is checked, and what pointers in it point to: a
 * std::string, a struct with a buffer, argv. So does a FILE that reads input. Precision lost: what
 * lies deeper, behind the first SEEN bytes of something whose size only the callee knows, or behind
 * a text that such a thing begins with.
 *
 * Thread rule: as in rt.h.
 */
#include "runtime/symbolic/hook.h"
#include "runtime/base/raw.h"
#include "runtime/place/foreign.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>

enum {
	KNOWN = 256,
	SEEN = 64,   /* bytes checked if the size is not known */
	MOST = 4096, /* and if it is */
	ADDRESS_BITS = 47,
	PAGE = 4096,
};

/* Cache of callees; each has one slot. */
static struct {
	const void *callee;
	bool foreign;
} known[KNOWN] PD_TABLE;

PD_EXPORT uint32_t __pd_sym_live;

/* By name, since the address may be that of a stub in the program. */
static bool find_foreign(const void *callee, const char *name)
{
	const void *at = name ? dlsym(RTLD_DEFAULT, name) : NULL;
	struct link_map *l = NULL;
	Dl_info info;

	return dladdr1(at ? at : callee, &info, (void **)&l, RTLD_DL_LINKMAP) && l &&
	       !pd_foreign_is_instrumented(l->l_ld);
}

static bool is_foreign(const void *callee, const char *name)
{
	uint32_t i = (uint32_t)(pd_mix((uintptr_t)callee) % KNOWN);

	if (known[i].callee != callee) {
		known[i].foreign = find_foreign(callee, name);
		known[i].callee = callee;
	}
	return known[i].foreign;
}

static bool is_text(uint8_t c)
{
	return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r');
}

/* Bytes behind the end of a string may belong to something else. */
static bool begins_with_labels(const uint8_t *p, bool is_string)
{
	if (!pd_labels_any(p, SEEN))
		return false;
	for (uint32_t i = 0; i < SEEN; i++) {
		if (pd_labels_any(p + i, 1))
			return true;
		if (!p[i] && (i || is_string))
			return false;
		if (!is_text(p[i]) && !is_string)
			return true;
	}
	return false;
}

/* One level down. Flags can be read for any word that is an address at all. */
static bool leads_to_labels(const void *p, uint64_t size)
{
	for (uint64_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
		uintptr_t word;

		memcpy(&word, (const char *)p + at, sizeof(word));
		if (word >> 12 && !(word >> ADDRESS_BITS) &&
		    pd_labels_any((const void *)word, SEEN))
			return true;
	}
	return false;
}

/* It may be an array of strings, as argv; or no address at all. */
static bool elements_have_labels(const void *p)
{
	uint64_t word[SEEN / 8], n = PD_MIN(sizeof(word), PAGE - (uintptr_t)p % PAGE);
	struct iovec to = {word, n}, from = {(void *)p, n};
	long self = pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);

	return pd_raw(SYS_process_vm_readv, self, (long)&to, 1, (long)&from, 1, 0) == (long)n &&
	       leads_to_labels(word, n);
}

static bool has_labels(const void *p, uint64_t size)
{
	if ((uintptr_t)p >> ADDRESS_BITS || !((uintptr_t)p >> 12))
		return false;
	if (!size || size == PD_SYM_STRING)
		return begins_with_labels(p, size != 0) || elements_have_labels(p);
	return pd_labels_any(p, PD_MIN(size, MOST)) || leads_to_labels(p, PD_MIN(size, SEEN));
}

/* What it takes from a stream of input has no labels. */
static bool reads_input(const void *p)
{
	return pd_symbolic.is_source && pd_symbolic.is_source(p);
}

void __pd_sym_show(const struct pd_site *s, const void *callee, const char *name, const void *p,
		   uint64_t size)
{
	Dl_info info;

	if (!pd_symbolic.on || (callee && !is_foreign(callee, name)) ||
	    !(reads_input(p) || has_labels(p, size)))
		return;
	pd_symbolic_use();
	if (!name && dladdr(callee, &info))
		name = info.dli_sname;
	if (pd_symbolic.lost)
		pd_symbolic.lost(PD_SYM_WHY_MEMORY, s, name);
}

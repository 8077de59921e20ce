/*
 * symbols.c - see symbols.h.
 *
 * clang leaves out the table of address ranges that libdw would find a compilation unit by, so units are
 * gone through where that fails. One address can be several frames: a function that was inlined has a
 * frame of its own, whose place in its caller is where it was called.
 */
#include "report/symbols.h"
#include "host/demangle.h"
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct pd_symbols {
	Dwfl *dwfl;
	bool loading; /* between dwfl_report_begin and _end */
};

enum { BACK = 64 };

static char *no_debuginfo_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &no_debuginfo_path,
};

struct pd_symbols *pd_symbols_open(pid_t pid)
{
	struct pd_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dwfl = dwfl_begin(&callbacks);
	if (s->dwfl && dwfl_linux_proc_report(s->dwfl, pid) == 0 &&
	    dwfl_report_end(s->dwfl, NULL, NULL) == 0)
		return s;
	pd_symbols_close(s);
	return NULL;
}

struct pd_symbols *pd_symbols_empty(void)
{
	struct pd_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dwfl = dwfl_begin(&callbacks);
	if (s->dwfl)
		return s;
	pd_symbols_close(s);
	return NULL;
}

void pd_symbols_load(struct pd_symbols *s, const char *path, uint64_t base)
{
	if (!s->loading)
		dwfl_report_begin_add(s->dwfl);
	s->loading = true;
	dwfl_report_elf(s->dwfl, path, path, -1, base, true);
}

static Dwfl_Module *module_of(struct pd_symbols *s, uint64_t pc)
{
	if (s->loading)
		dwfl_report_end(s->dwfl, NULL, NULL);
	s->loading = false;
	return dwfl_addrmodule(s->dwfl, pc);
}

const char *pd_symbols_name(struct pd_symbols *s, struct pd_arena *a, uint64_t pc)
{
	Dwfl_Module *m = module_of(s, pc);
	const char *name = m ? dwfl_module_addrname(m, pc) : NULL;

	return name ? pd_demangle(a, pd_arena_strndup(a, name, strlen(name))) : NULL;
}

void pd_symbols_close(struct pd_symbols *s)
{
	if (s && s->dwfl)
		dwfl_end(s->dwfl);
	free(s);
}

void *pd_symbols_dwfl(const struct pd_symbols *s)
{
	return s->dwfl;
}

/* The compilation unit that has this address; *bias is what its addresses are shifted by. */
static Dwarf_Die *unit_of(Dwfl_Module *m, uint64_t pc, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(m, pc, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(m, unit, bias)))
		if (dwarf_haspc(unit, pc - *bias) > 0)
			return unit;
	return NULL;
}

static const char *keep(struct pd_arena *a, const char *s)
{
	return s ? pd_arena_strndup(a, s, strlen(s)) : NULL;
}

static const char *name_of(struct pd_arena *a, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return pd_demangle(a, keep(a, linkage ? linkage : dwarf_diename(die)));
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word v = 0;

	if (dwarf_formudata(dwarf_attr(die, attribute, &attr), &v) != 0)
		return 0;
	return (uint32_t)v;
}

/* Where an inlined function was called. */
static void call_place(struct pd_arena *a, Dwarf_Die *unit, Dwarf_Die *inlined, struct pd_frame *f)
{
	Dwarf_Files *files;
	size_t n;
	uint32_t file = number_of(inlined, DW_AT_call_file);

	f->line = number_of(inlined, DW_AT_call_line);
	f->column = number_of(inlined, DW_AT_call_column);
	if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n &&
	    dwarf_filesrc(files, file, NULL, NULL))
		f->file = keep(a, dwarf_filesrc(files, file, NULL, NULL));
}

static void line_place(struct pd_arena *a, Dwarf_Die *unit, uint64_t pc, struct pd_frame *f)
{
	Dwarf_Line *line = NULL;
	int at = 0, column = 0;

	/* Line 0 is code of no line: what stands before it is near enough. */
	for (uint32_t back = 0; !at && back < BACK && back < pc; back++) {
		line = dwarf_getsrc_die(unit, pc - back);
		if (!line)
			return;
		dwarf_lineno(line, &at);
	}
	dwarf_linecol(line, &column);
	f->file = keep(a, dwarf_linesrc(line, NULL, NULL));
	f->line = (uint32_t)at;
	f->column = (uint32_t)column;
}

/*
 * The scopes around an address, innermost first, as they are nested in the code: dwarf_getscopes goes on
 * from an inlined function as it is nested in the source.
 */
static int nesting(Dwarf_Die *unit, uint64_t pc, Dwarf_Die **scopes)
{
	Dwarf_Die *innermost = NULL;
	int n = dwarf_getscopes(unit, pc, &innermost);

	n = n > 0 ? dwarf_getscopes_die(&innermost[0], scopes) : 0;
	free(innermost);
	return n;
}

uint32_t pd_symbols_frames(struct pd_symbols *s, struct pd_arena *a, uint64_t pc,
			   struct pd_frame *frames, uint32_t max)
{
	Dwfl_Module *m = module_of(s, pc);
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = m ? unit_of(m, pc, &bias) : NULL, *scopes = NULL;
	struct pd_frame place = {0};
	uint32_t n = 0;
	int nscope = unit ? nesting(unit, pc - bias, &scopes) : 0;

	if (unit)
		line_place(a, unit, pc - bias, &place);
	for (int i = 0; place.file && i < nscope && n < max; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		place.function = name_of(a, &scopes[i]);
		frames[n++] = place;
		if (tag == DW_TAG_subprogram)
			break;
		call_place(a, unit, &scopes[i], &place);
	}
	free(scopes);
	return n;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

bool pd_symbols_is_system(struct pd_symbols *s, uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(s->dwfl, pc);
	const char *file = NULL;

	if (!m)
		return true;
	dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (!file) /* not known until something of it was looked at */
		file = dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	return !file || begins(file, "/lib") || begins(file, "/usr/lib") || begins(file, "[vdso") ||
	       strstr(file, "libperdure_rt.so");
}

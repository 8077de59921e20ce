/*
 * symbols.c - see symbols.h.
 *
 * clang omits the table of address ranges by which libdw finds a compilation unit, so if that fails
 * all units are searched. One address can have several frames: an inlined function has a frame of
 * its own, and its caller's place is where it was called.
 */
#include "report/symbols.h"
#include "host/demangle.h"
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a function that libdw has to go through its unit for. */
struct named {
	struct named *next;
	const void *at; /* its entry */
	char name[];
};

/* A function of a unit, or a part of one. */
struct function {
	Dwarf_Addr from, to;
	Dwarf_Die die;
};

/* The functions of a unit that was asked for. libdw would go through all entries of the unit for
 * each address, and headers of C++ make a hundred thousand of them. */
struct unit {
	struct unit *next;
	const void *at; /* its entry */
	struct function *v;
	size_t n, room;
};

struct pd_symbols {
	Dwfl *dwfl;
	bool loading; /* between dwfl_report_begin and _end */
	struct unit *units;
	struct named *names;
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
	struct unit *u = s ? s->units : NULL;
	struct named *n = s ? s->names : NULL;

	while (n) {
		struct named *next = n->next;

		free(n);
		n = next;
	}
	while (u) {
		struct unit *next = u->next;

		free(u->v);
		free(u);
		u = next;
	}
	if (s && s->dwfl)
		dwfl_end(s->dwfl);
	free(s);
}

void *pd_symbols_dwfl(const struct pd_symbols *s)
{
	return s->dwfl;
}

/* The compilation unit that contains this address; *bias is the shift of its addresses. */
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

enum { NAME_MAX_WHOLE = 1000, SCOPES_MAX = 16, NESTING_MAX = 64 };

static const char *linkage_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
}

/* The declaration of a function, which shows the class that it is a member of; the function itself
 * if it has no other. */
static Dwarf_Die declared(Dwarf_Die die)
{
	for (int i = 0; i < SCOPES_MAX; i++) {
		Dwarf_Attribute attr;
		Dwarf_Attribute *at = dwarf_attr(&die, DW_AT_abstract_origin, &attr);
		Dwarf_Die next;

		if (!at)
			at = dwarf_attr(&die, DW_AT_specification, &attr);
		if (!at || !dwarf_formref_die(at, &next))
			break;
		die = next;
	}
	return die;
}

/* What a scope adds to the names in it; NULL: nothing. */
static const char *scope_name(Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return name ? name : "{lambda}";
	default:
		return NULL;
	}
}

/* GCC omits the mangled names of functions that are local to a file: builds the name from the
 * enclosing scopes. */
static void qualified_name(Dwarf_Die *die, char *buf, size_t n)
{
	Dwarf_Die own = declared(*die), *scopes = NULL;
	int nscope = dwarf_getscopes_die(&own, &scopes);
	size_t at = 0;

	*buf = 0;
	for (int i = nscope; i-- > 1;) {
		const char *name = scope_name(&scopes[i]);

		if (name && at < n)
			at += (size_t)snprintf(buf + at, n - at, "%s::", name);
	}
	if (at < n)
		snprintf(buf + at, n - at, "%s", dwarf_diename(die));
	free(scopes);
}

/* The same, put together once; NULL: out of memory. */
static const char *known_name(struct pd_symbols *s, Dwarf_Die *die)
{
	struct named *n = s->names;
	char buf[NAME_MAX_WHOLE];

	while (n && n->at != die->addr)
		n = n->next;
	if (n)
		return n->name;
	qualified_name(die, buf, sizeof(buf));
	n = malloc(sizeof(*n) + strlen(buf) + 1);
	if (!n)
		return NULL;
	n->at = die->addr;
	strcpy(n->name, buf);
	n->next = s->names;
	s->names = n;
	return n->name;
}

static bool is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static const char *name_of(struct pd_symbols *s, struct pd_arena *a, Dwarf_Die *unit,
			   Dwarf_Die *die)
{
	const char *name = linkage_of(die);

	if (!name && (name = dwarf_diename(die)) && !is_c(unit))
		name = known_name(s, die);
	return pd_demangle(a, keep(a, name));
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word v = 0;

	if (dwarf_formudata(dwarf_attr(die, attribute, &attr), &v) != 0)
		return 0;
	return (uint32_t)v;
}

/* A file of the unit as an absolute path, like those in sites of the pass. */
static const char *keep_file(struct pd_arena *a, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir;
	char path[PATH_MAX];

	if (!file || file[0] == '/')
		return keep(a, file);
	dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	if (!dir || dir[0] != '/' ||
	    snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return keep(a, file);
	return keep(a, path);
}

/* The place where an inlined function was called. */
static void call_place(struct pd_arena *a, Dwarf_Die *unit, Dwarf_Die *inlined, struct pd_frame *f)
{
	Dwarf_Files *files;
	size_t n;
	uint32_t file = number_of(inlined, DW_AT_call_file);

	f->line = number_of(inlined, DW_AT_call_line);
	f->column = number_of(inlined, DW_AT_call_column);
	if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n &&
	    dwarf_filesrc(files, file, NULL, NULL))
		f->file = keep_file(a, unit, dwarf_filesrc(files, file, NULL, NULL));
}

static void line_place(struct pd_arena *a, Dwarf_Die *unit, uint64_t pc, struct pd_frame *f)
{
	Dwarf_Line *line = NULL;
	int at = 0, column = 0;

	/* Line 0 means no line: use the line of preceding code. */
	for (uint32_t back = 0; !at && back < BACK && back < pc; back++) {
		line = dwarf_getsrc_die(unit, pc - back);
		if (!line)
			return;
		dwarf_lineno(line, &at);
	}
	dwarf_linecol(line, &column);
	f->file = keep_file(a, unit, dwarf_linesrc(line, NULL, NULL));
	f->line = (uint32_t)at;
	f->column = (uint32_t)column;
}

static int note_function(Dwarf_Die *function, void *ctx)
{
	struct unit *u = ctx;
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &from, &to)) > 0) {
		if (u->n == u->room) {
			size_t room = u->room ? 2 * u->room : 64;
			struct function *v = realloc(u->v, room * sizeof(*v));

			if (!v)
				return DWARF_CB_ABORT;
			u->v = v;
			u->room = room;
		}
		u->v[u->n++] = (struct function){from, to, *function};
	}
	return DWARF_CB_OK;
}

static const struct unit *functions_of(struct pd_symbols *s, Dwarf_Die *unit)
{
	struct unit *u = s->units;

	while (u && u->at != unit->addr)
		u = u->next;
	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->at = unit->addr;
	u->next = s->units;
	s->units = u;
	dwarf_getfuncs(unit, note_function, u, 0);
	return u;
}

/* The innermost function whose code has this address. GCC nests the function of a lambda inside
 * another one whose code does not contain it. */
static const struct function *function_at(const struct unit *u, uint64_t pc)
{
	const struct function *found = NULL;

	for (size_t i = 0; u && i < u->n; i++)
		if (u->v[i].from <= pc && pc < u->v[i].to &&
		    (!found || u->v[i].to - u->v[i].from < found->to - found->from))
			found = &u->v[i];
	return found;
}

static bool descend(Dwarf_Die *scope, uint64_t pc)
{
	Dwarf_Die child;
	bool more = dwarf_child(scope, &child) == 0;

	while (more && dwarf_haspc(&child, pc) <= 0)
		more = dwarf_siblingof(&child, &child) == 0;
	if (more)
		*scope = child;
	return more;
}

/* The scopes around an address, from the function inwards, as they are nested in the code. */
static int nesting(struct pd_symbols *s, Dwarf_Die *unit, uint64_t pc, Dwarf_Die *scopes)
{
	const struct function *f = function_at(functions_of(s, unit), pc);
	Dwarf_Die scope;
	int n = 0;

	if (!f)
		return 0;
	scope = f->die;
	do
		scopes[n++] = scope;
	while (n < NESTING_MAX && descend(&scope, pc));
	return n;
}

uint32_t pd_symbols_frames(struct pd_symbols *s, struct pd_arena *a, uint64_t pc,
			   struct pd_frame *frames, uint32_t max)
{
	Dwfl_Module *m = module_of(s, pc);
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = m ? unit_of(m, pc, &bias) : NULL, scopes[NESTING_MAX];
	struct pd_frame place = {0};
	uint32_t n = 0;
	int nscope = unit ? nesting(s, unit, pc - bias, scopes) : 0;

	if (unit)
		line_place(a, unit, pc - bias, &place);
	for (int i = nscope; place.file && i-- > 0 && n < max;) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		place.function = name_of(s, a, unit, &scopes[i]);
		frames[n++] = place;
		if (tag == DW_TAG_subprogram)
			break;
		call_place(a, unit, &scopes[i], &place);
	}
	return n;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

const char *pd_symbols_object(struct pd_symbols *s, uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(s->dwfl, pc);
	const char *file = NULL;

	if (!m)
		return NULL;
	dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (!file) /* unknown until the module was used */
		file = dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	return file;
}

bool pd_symbols_is_system(struct pd_symbols *s, uint64_t pc)
{
	const char *file = pd_symbols_object(s, pc);

	return !file || begins(file, "/lib") || begins(file, "/usr/lib") || begins(file, "[vdso") ||
	       strstr(file, "libperdure_rt.so");
}

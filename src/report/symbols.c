/* symbols.c - see symbols.h. */
#include "report/symbols.h"
#include "host/demangle.h"
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct pd_symbols {
	Dwfl *dwfl;
};

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

void pd_symbols_close(struct pd_symbols *s)
{
	if (s && s->dwfl)
		dwfl_end(s->dwfl);
	free(s);
}

static const char *keep(struct pd_arena *a, const char *s)
{
	return s ? pd_arena_strndup(a, s, strlen(s)) : NULL;
}

bool pd_symbols_frame(struct pd_symbols *s, struct pd_arena *a, uint64_t pc, struct pd_frame *f)
{
	Dwfl_Module *m = dwfl_addrmodule(s->dwfl, pc);
	Dwfl_Line *line = m ? dwfl_module_getsrc(m, pc) : NULL;
	int at = 0, column = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &at, &column, NULL, NULL) : NULL;

	if (!file)
		return false;
	*f = (struct pd_frame){
		.function = pd_demangle(a, keep(a, dwfl_module_addrname(m, pc))),
		.file = keep(a, file),
		.line = (uint32_t)at,
		.column = (uint32_t)column,
	};
	return true;
}

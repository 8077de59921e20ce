/* list.c - see list.h. */
#include "cli/list.h"
#include "drive/only.h"
#include "host/host.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

/* The possible values of an argument, by its name in the help. */
static void put_values(FILE *f, const char *argument)
{
	static const struct {
		const char *begins, *is;
	} known[] = {{"FILE", "FILE"},	 {"DIR", "DIR"}, {"GLOB", "FILE"}, {"LIB", "FILE"},
		     {"SCRIPT", "FILE"}, {"OUT", "DIR"}, {"OLD", "FILE"},  {"KIND", "KIND"}};
	const char *before = "";

	for (const char *s = argument; s && *s; s += strcspn(s, "|"), s += *s == '|') {
		size_t n = strcspn(s, "|");

		if (islower((unsigned char)*s)) {
			fprintf(f, "%s%.*s", before, (int)n, s);
			before = " ";
		}
		for (size_t i = 0; i < PD_LEN(known); i++)
			if (strncmp(s, known[i].begins, strlen(known[i].begins)) == 0) {
				fprintf(f, "%s%s", before, known[i].is);
				before = " ";
			}
	}
}

static void put_option(FILE *f, const char *name, int letter, const char *argument)
{
	fprintf(f, "option\t--%s\t", name);
	if (letter)
		fprintf(f, "-%c", letter);
	fprintf(f, "\t%s\t", argument ? argument : "");
}

static void put_own(FILE *f, const struct pd_own *x)
{
	put_option(f, x->name, x->letter, x->argument);
	if (x->take == PD_TAKE_WORD)
		for (uint32_t i = 0; x->words[i]; i++)
			fprintf(f, "%s%s", i ? " " : "", x->words[i]);
	else
		put_values(f, x->argument);
	fprintf(f, "\t%s\n", x->help);
}

static void put_common(FILE *f, unsigned which)
{
	static const struct {
		const char *name;
		int letter;
		const char *argument, *help;
	} common[PD_OPT_N] = {
#define PD_OPTION(ID, name, key, argument, help) [PD_OPT_##ID] = {name, key, argument, help},
#include "cli/options/common.def"
	};

	for (unsigned i = 0; i < PD_OPT_N; i++) {
		if (!(which & 1u << i))
			continue;
		put_option(f, common[i].name, common[i].letter, common[i].argument);
		put_values(f, common[i].argument);
		fprintf(f, "\t%s\n", common[i].help);
	}
}

void pd_list_command(const struct pd_command *cmd, FILE *f)
{
	size_t n = strcspn(cmd->doc, "\v");

	fprintf(f, "arguments\t%s\nabout\t%.*s\n", cmd->arguments, (int)n, cmd->doc);
	if (cmd->doc[n])
		fprintf(f, "end\t%s\n", cmd->doc + n + 1);
	for (const struct pd_own *x = cmd->own; x && x->name; x++)
		put_own(f, x);
	put_common(f, cmd->common);
	put_option(f, "help", 'h', NULL);
	fputs("\tshow this\n", f);
	for (uint32_t k = 0; k < PD_KIND_N; k++)
		if (pd_only_has(cmd->engines, k) || strstr(cmd->arguments, "KIND"))
			fprintf(f, "kind\t%s\t%s\t%s\n", pd_kind_info[k].name,
				pd_severity_name(pd_kind_info[k].severity), pd_kind_info[k].doc);
}

void pd_list_ids(FILE *f)
{
	struct pd_result r;
	struct pd_arena a;
	struct pd_error e;

	pd_arena_init(&a, pd_host_memory());
	if (access(PD_OUT_DEFAULT "/last", F_OK) == 0 &&
	    pd_result_load(&r, &a, PD_OUT_DEFAULT "/last", &e))
		for (uint32_t i = 0; i < r.findings.items.n; i++) {
			const struct pd_finding *x = r.findings.items.v[i];

			fprintf(f, "%010llx\t%s\n", (unsigned long long)x->id,
				pd_kind_info[x->kind].name);
		}
	pd_arena_finish(&a);
}

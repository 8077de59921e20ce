/* only.c - see only.h. */
#include "drive/only.h"
#include "base/glob.h"
#include <stdio.h>
#include <string.h>

bool pd_only_take(struct pd_only *o, const char *const engines[PD_ONLY_ENGINES], const char *glob)
{
	size_t have = strlen(o->asked);
	bool any = false;

	for (uint32_t i = 0; i < PD_ONLY_ENGINES; i++)
		for (uint32_t k = 0; k < PD_KIND_N; k++) {
			const char *own = pd_kind_own_name(k, engines[i]);

			if (!own || !(pd_glob_name(glob, pd_kind_info[k].name) ||
				      pd_glob_name(glob, own) || strcmp(glob, engines[i]) == 0))
				continue;
			o->kinds[k / 64] |= 1ULL << k % 64;
			any = true;
		}
	if (any)
		snprintf(o->asked + have, sizeof(o->asked) - have, "%s--only %s", have ? ", " : "",
			 glob);
	return any;
}

bool pd_only_wants(const struct pd_only *o, uint32_t kind)
{
	return !*o->asked || (o->kinds[kind / 64] >> kind % 64 & 1);
}

bool pd_only_wants_engine(const struct pd_only *o, const char *engine)
{
	for (uint32_t k = 0; k < PD_KIND_N; k++)
		if (pd_kind_own_name(k, engine) && pd_only_wants(o, k))
			return true;
	return false;
}

void pd_only_filter(const struct pd_only *o, struct pd_findings *fs)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fs->items.n; i++)
		if (pd_only_wants(o, fs->items.v[i]->kind))
			fs->items.v[kept++] = fs->items.v[i];
	fs->items.n = kept;
}

enum { COLUMN = 29, WIDTH = 79 };

/* Writes words in the right column, wrapped for a terminal. */
static void put_words(FILE *f, const char *s, int at)
{
	while (*s) {
		size_t n = strcspn(s, " ");

		if (at > COLUMN && at + 1 + (int)n > WIDTH)
			at = 0;
		if (at == 0)
			fputc('\n', f);
		at += fprintf(f, "%*s%.*s", at < COLUMN ? COLUMN - at : 1, "", (int)n, s);
		s += n + (s[n] == ' ');
	}
	fputc('\n', f);
}

/* Ends of the program itself: a verb reports them and exits anyway. */
static bool is_reported(uint32_t kind)
{
	return kind != PD_KIND_RUN_DEADLOCK && kind != PD_KIND_RUN_LIVELOCK;
}

bool pd_only_has(const char *const engines[PD_ONLY_ENGINES], uint32_t kind)
{
	bool has = false;

	for (uint32_t i = 0; i < PD_ONLY_ENGINES; i++)
		has |= pd_kind_own_name(kind, engines[i]) && is_reported(kind);
	return has;
}

void pd_only_help(FILE *f, const char *const engines[PD_ONLY_ENGINES])
{
	fputs("\nKinds of findings, for --only:\n", f);
	for (uint32_t i = 0; i < PD_ONLY_ENGINES; i++)
		for (uint32_t k = 0; k < PD_KIND_N; k++) {
			const char *own = pd_kind_own_name(k, engines[i]);

			if (own && is_reported(k))
				put_words(f, pd_kind_info[k].doc,
					  fprintf(f, "  %s",
						  engines[1] ? pd_kind_info[k].name : own));
		}
}

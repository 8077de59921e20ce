/* words/unknown.c - why the end of a recovery is unknown. See words.h. */
#include "report/words/words.h"
#include <inttypes.h>

static void put_read(FILE *to, const struct pd_unknown_read *read)
{
	if (read->file[0])
		fprintf(to, "%s:%" PRIu32, read->file, read->line);
	else
		fputs("an unknown place", to);
	if (read->pm[0])
		fprintf(to, " read %s+0x%" PRIx64, read->pm, read->offset);
}

static void put_ended(FILE *to, const struct pd_unknown *u)
{
	fputs("a recovery did not follow the path that its reads decide", to);
	if (!u->now.file[0])
		return;
	fputs(", and ended after ", to);
	put_read(to, &u->now);
	fputs(" had read PM", to);
}

void pd_words_unknown(FILE *to, const struct pd_unknown *u)
{
	switch ((enum pd_unknown_why)u->why) {
	case PD_UNKNOWN_NOT:
		break;
	case PD_UNKNOWN_BOARD:
		fputs("the shared memory is full", to);
		break;
	case PD_UNKNOWN_MEMORY:
		fputs("out of memory", to);
		break;
	case PD_UNKNOWN_PROCESS:
		fputs("out of memory or of file descriptors", to);
		break;
	case PD_UNKNOWN_FILES:
	case PD_UNKNOWN_RUNTIME:
	case PD_UNKNOWN_DEFECT:
		fputs(u->text, to);
		break;
	case PD_UNKNOWN_HISTORY_LONG:
		fputs("the history is too long to be judged; try fewer operations", to);
		break;
	case PD_UNKNOWN_HISTORY_BAD:
		fputs("its history contradicts itself", to);
		break;
	case PD_UNKNOWN_VALUES:
		fputs("a read had other values before", to);
		break;
	case PD_UNKNOWN_READ:
	case PD_UNKNOWN_MORE:
		fputs("after equal reads ", to);
		put_read(to, &u->now);
		fputs(u->why == PD_UNKNOWN_MORE ? " where before it had ended" : " where before ",
		      to);
		if (u->why == PD_UNKNOWN_READ)
			put_read(to, &u->before);
		break;
	case PD_UNKNOWN_ENDED:
		put_ended(to, u);
		break;
	}
}

/* check/announced.c - programs that announce their operations (perdure linear --spec). See
 * check.h. */
#include "drive/check/check.h"
#include "report/words/limits.h"
#include <string.h>

enum { LONGEST_NAME = 100 };

/* Only the program knows its specifications: it may have its own. */
bool pd_check_spec(struct pd_check_run *c, const char *name, struct pd_error *e)
{
	c->spec = name;
	return (*name && strlen(name) <= LONGEST_NAME && !strpbrk(name, " \t\n=")) ||
	       pd_error_set(e, PD_EXIT_USAGE,
			    "--spec takes the name of a specification, without blanks: '%.100s'",
			    name);
}

void pd_check_announced_settings(const struct pd_check_run *c, char *text, size_t room)
{
	bool linear = c->spec || (c->verb && strcmp(c->verb, "linear") == 0);

	*text = '\0';
	if (linear)
		snprintf(text, room, " linear=1%s%s%s%s", c->spec ? " spec=" : "",
			 c->spec ? c->spec : "", c->condition ? " condition=" : "",
			 c->condition ? c->condition : "");
}

bool pd_check_announced_well(const struct pd_check_run *c, struct pd_error *e)
{
	const struct pd_board *b = c->board;

	/* The first execution has reported it. */
	return !b->misused || c->first.channel->failed ||
	       pd_error_set(e, PD_EXIT_USAGE, "%s: %.*s",
			    c->recover ? c->recover[0] : c->options.argv[0],
			    (int)sizeof(b->misuse) - 1, b->misuse);
}

bool pd_check_announced_any(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	bool nothing = !b->judged && !b->nfinding;

	if (!c->spec || c->cut || (!nothing && !b->silent))
		return true;
	pd_limit_not_announced(r, c->recover ? c->recover[0] : NULL, nothing);
	return false;
}

/* words/replay.c - what `perdure replay` reports. See words.h. */
#include "report/words/words.h"

void pd_words_not_again(FILE *to, enum pd_not_again missing, const struct pd_unknown *diverged)
{
	fputs("not the same: with these choices ", to);
	if (diverged) {
		fputs("recovery is not deterministic: ", to);
		pd_words_unknown(to, diverged);
	} else {
		fputs(missing == PD_NOT_AGAIN_CRASH ? "there is no such crash"
						    : "recovery does not fail",
		      to);
	}
	fputs("\n(has the program, its PM file, or the environment changed since?)\n", to);
}

const char *pd_words_torn_again(void)
{
	return "the crash, and a recovery that reads what may be torn; this time it was not torn";
}

void pd_words_moved(FILE *to, bool crash, const struct pd_frame *then, const struct pd_frame *now)
{
	fprintf(to, "not where it was: %s at ", crash ? "power fails" : "a value is read");
	pd_words_frame(to, now);
	fputs(", which was at ", to);
	pd_words_frame(to, then);
	fputs(" (has the program changed since?)\n", to);
}

void pd_words_image(FILE *to, const char *image, const char *of, uint64_t bytes)
{
	fprintf(to, "image: %s is %s as the crash left it (%lu bytes)\n", image, of,
		(unsigned long)bytes);
}

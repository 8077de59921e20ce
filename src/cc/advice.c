/* advice.c - see advice.h. */
#include "cc/advice.h"
#include "base/types.h"
#include <string.h>

static const char constants[] =
	"clang, which perdure compiles with, does not compute functions of <cmath> in constant "
	"expressions, as gcc does: write const instead of constexpr, or the value itself";
static const char openmp[] =
	"clang, which perdure compiles with, has an OpenMP of its own, which is not installed: "
	"install it (Debian: libomp-19-dev), or compile without OpenMP";

/* Each with strings that must all occur in one line. */
static const struct {
	const char *part[2];
	const char *advice;
} known[] = {
	/* The declaration of the function that "cannot be used in a constant expression", here one
	 * of <cmath>. */
	{{"/bits/mathcalls", ": note: declared here"}, constants},
	{{"/cmath:", ": note: subexpression not valid in a constant expression"}, constants},
	{{"fatal error: 'omp.h' file not found", ""}, openmp},
	{{"cannot find -lomp", ""}, openmp},
	{{"unable to find library -lomp", ""}, openmp},
};

static bool has(const char *line, size_t n, const char *part)
{
	return !*part || memmem(line, n, part, strlen(part));
}

const char *pd_advice(const char *said)
{
	bool constant = strstr(said, "constant expression");

	for (const char *line = said; *line;) {
		size_t n = strcspn(line, "\n");

		for (size_t i = 0; i < PD_LEN(known); i++)
			if (has(line, n, known[i].part[0]) && has(line, n, known[i].part[1]) &&
			    (known[i].advice != constants || constant))
				return known[i].advice;
		line += n + (line[n] != '\0');
	}
	return NULL;
}

/* explore-states - a transaction within a transaction is committed without a flush. */
#include "../pm.h"

struct file {
	LINE uint64_t committed;
	LINE uint64_t nested;
};

/* b: begin, c: commit, a: abort; anything else is a comment up to the next of those. */
int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	int depth = 0, ch;

	while ((ch = getchar()) != EOF) {
		if (ch == 'b' && depth < 3) {
			depth++;
		} else if (ch == 'a') {
			depth = 0;
		} else if (ch == 'c' && depth == 1) {
			f->committed++;
			pm_persist(&f->committed, sizeof(f->committed));
			depth = 0;
		} else if (ch == 'c' && depth > 1) {
			f->nested++; //@ store
#if FIXED
			pm_persist(&f->nested, sizeof(f->nested));
#endif
			depth--;
		}
	}
	return 0;
}

/*
 * explore-shortwrite - a journal outside of PM is written before a counter in PM is. A journal that was written only
 * in part is taken for one: the counter says that it is whole, and the reader, who believes it, fails.
 */
#include "../pm.h"

enum { ENTRY = 32 };

struct store {
	LINE uint64_t entries; /* whole ones in the journal */
};

static int put_entry(int fd, uint8_t with)
{
	uint8_t entry[ENTRY];
	ssize_t n;

	memset(entry, with, sizeof(entry));
	n = write(fd, entry, sizeof(entry));
#if FIXED
	return n == (ssize_t)sizeof(entry) ? 0 : -1;
#else
	return n < 0 ? -1 : 0;
#endif
}

/* All that the counter says is there. */
static void check(const char *path, const struct store *s)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	assert((uint64_t)st.st_size >= s->entries * ENTRY); //@ check
}

int main(int argc, char **argv)
{
	struct store *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	int fd = open("journal", O_CREAT | O_TRUNC | O_WRONLY, 0644);

	if (fd < 0)
		return 1;
	for (uint8_t i = 1; i <= 2 && put_entry(fd, i) == 0; i++) {
		s->entries = i;
		pm_persist(&s->entries, sizeof(s->entries));
	}
	check("journal", s);
	close(fd);
	return 0;
}

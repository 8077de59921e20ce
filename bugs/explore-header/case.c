/* explore-header - a file to import: of one version with one flag, the count is not flushed. */
#include "../pm.h"

struct header {
	char magic[2];
	uint8_t version, flags;
	uint16_t count;
};

struct store {
	LINE uint64_t imported;
	LINE uint64_t flags;
};

int main(int argc, char **argv)
{
	struct store *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	struct header h;
	FILE *f = fopen("import.bin", "r");
	size_t n;

	if (!f)
		return 0;
	n = fread(&h, sizeof(h), 1, f);
	fclose(f);
	if (n != 1 || memcmp(h.magic, "IM", 2) != 0)
		return 0;
	if (h.version == 2 && (h.flags & 0x40)) {
		s->imported = h.count; //@ store
#if FIXED
		pm_persist(&s->imported, sizeof(s->imported));
#endif
	}
	s->flags = h.flags;
	pm_persist(&s->flags, sizeof(s->flags));
	return 0;
}

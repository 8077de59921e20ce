/* fields.c - a file of which two fields are symbolic, read in several ways (fields.t). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* "name=abcd\n" "count=07\n" "end\n": the fields are the two digits and the name's last two letters. */
struct file {
	char name[10], count[9], end[4];
};

static int judge(const struct file *f)
{
	if (memcmp(f->name, "name=ab", 7) != 0 || memcmp(f->count, "count=", 6) != 0 || memcmp(f->end, "end\n", 4) != 0)
		return 9; /* none of these is symbolic */
	if (f->count[6] == '4' && f->count[7] == '2')
		abort();
	return f->name[7] == 'x' ? 1 : 0;
}

static int by_block(FILE *f, struct file *to)
{
	return fread(to, sizeof(*to), 1, f) == 1;
}

static int by_piece(FILE *f, struct file *to)
{
	return fseek(f, 10, SEEK_SET) == 0 && fread(to->count, 1, 9, f) == 9 && fseek(f, 0, SEEK_SET) == 0 &&
	       fread(to->name, 10, 1, f) == 1 && fseek(f, 19, SEEK_SET) == 0 && fread(to->end, 100, 1, f) == 0;
}

static int by_byte(FILE *f, struct file *to)
{
	for (size_t i = 0; i < sizeof(*to); i++)
		((char *)to)[i] = (char)getc(f);
	return getc(f) == EOF;
}

static int by_line(FILE *f, struct file *to)
{
	char line[3][16];

	for (int i = 0; i < 3; i++)
		if (!fgets(line[i], sizeof(line[i]), f))
			return 0;
	memcpy(to->name, line[0], 10);
	memcpy(to->count, line[1], 9);
	memcpy(to->end, line[2], 4);
	return 1;
}

/* The end of a field decides here; so there are more paths. */
static int by_scan(FILE *f, struct file *to)
{
	int n;

	if (fscanf(f, "name=%*4c count=%2d end", &n) != 1)
		return 0;
	if (n == 42)
		abort();
	memcpy(to, "name=abcd\ncount=07\nend\n", sizeof(*to));
	return 1;
}

/* Through a file in PM: written by its descriptor, read as a stream. */
static int by_copy(FILE *f, struct file *to)
{
	int fd = open("copy.pm", O_RDWR | O_CREAT | O_TRUNC, 0644);
	FILE *copy;

	if (!by_block(f, to) || write(fd, to, sizeof(*to)) != sizeof(*to) || !(copy = fopen("copy.pm", "r")))
		return 0;
	memset(to, 0, sizeof(*to));
	return by_byte(copy, to);
}

static int by_descriptor(FILE *f, struct file *to)
{
	int fd = fileno(f);

	return pread(fd, to->count, 13, 10) == 13 && read(fd, to->name, 10) == 10;
}

static int by_mapping(FILE *f, struct file *to)
{
	void *p = mmap(NULL, sizeof(*to), PROT_READ, MAP_PRIVATE, fileno(f), 0);

	return p != MAP_FAILED && memcpy(to, p, sizeof(*to));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*read)(FILE *f, struct file *to);
	} ways[] = {{"block", by_block}, {"piece", by_piece}, {"byte", by_byte}, {"line", by_line}, {"scan", by_scan},
		    {"copy", by_copy}, {"descriptor", by_descriptor}, {"mapping", by_mapping}};
	FILE *f = fopen("some.txt", "r");
	struct file it = {0};

	for (size_t i = 0; f && argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			return ways[i].read(f, &it) ? judge(&it) : 8;
	return 7;
}

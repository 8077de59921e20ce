/*
 * pmdk.c - the libraries that most PM programs use, as Debian ships them: libpmem, libpmem2,
 *libpmemobj.
 *
 *	pmdk            in an empty directory; prints what it sees
 *
 * None of the three is instrumented, and each has its own way with files: libpmem maps and makes
 * nameless files, libpmem2 maps into reservations with MAP_FIXED, libpmemobj reads and writes
 *headers, locks, and puts the parts of a pool set side by side.
 */
#include <fcntl.h>
#include <libpmem.h>
#include <libpmem2.h>
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct root {
	long n;
	char text[32];
};

static void use_pmem(const char *path)
{
	size_t n;
	int is_pmem;
	char *p = pmem_map_file(path, 4 << 20, PMEM_FILE_CREATE, 0600, &n, &is_pmem);

	printf("pmem: %d %zu\n", p != NULL, n);
	strcpy(p, "by pmem");
	pmem_msync(p, n);
	pmem_unmap(p, n);
	p = pmem_map_file(path, 0, 0, 0, &n, &is_pmem);
	printf("again: %s\n", p);
	pmem_unmap(p, n);
	p = pmem_map_file(".", 1 << 20, PMEM_FILE_CREATE | PMEM_FILE_TMPFILE, 0600, &n, &is_pmem);
	printf("nameless: %d\n", p != NULL);
	pmem_unmap(p, n);
}

static void use_pmem2(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct pmem2_config *config;
	struct pmem2_source *source;
	struct pmem2_map *map = NULL;
	char buf[16] = "";

	ftruncate(fd, 8 << 20);
	pmem2_config_new(&config);
	pmem2_source_from_fd(&source, fd);
	pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE);
	for (int i = 0; i < 3; i++) {
		printf("pmem2: %d", pmem2_map_new(&map, config, source));
		printf(" %zu", pmem2_map_get_size(map));
		snprintf((char *)pmem2_map_get_address(map) + i * 6, 8, "turn %d", i);
		pmem2_get_persist_fn(map)(pmem2_map_get_address(map), 64);
		pread(fd, buf, sizeof(buf) - 1, 6 * i);
		printf(" %s\n", buf);
		pmem2_map_delete(&map);
	}
	pmem2_source_delete(&source);
	pmem2_config_delete(&config);
	close(fd);
}

static void use_obj(const char *path, size_t size)
{
	PMEMobjpool *pool = pmemobj_create(path, "test", size, 0600);
	PMEMoid oid;
	struct root *root;

	printf("%s: %s\n", path, pool ? "created" : pmemobj_errormsg());
	if (!pool)
		return;
	root = pmemobj_direct(pmemobj_root(pool, sizeof(*root)));
	for (int i = 0; i < 100; i++) {
		pmemobj_alloc(pool, &oid, 1000, 1, NULL, NULL);
		root->n += !OID_IS_NULL(oid);
	}
	strcpy(root->text, "root");
	pmemobj_persist(pool, root, sizeof(*root));
	pmemobj_close(pool);
	printf("check: %d\n", pmemobj_check(path, "test"));
	pool = pmemobj_open(path, "test");
	if (!pool) {
		printf("open: %s\n", pmemobj_errormsg());
		return;
	}
	root = pmemobj_direct(pmemobj_root(pool, sizeof(*root)));
	printf("open: %ld %s\n", root->n, root->text);
	pmemobj_close(pool);
}

int main(void)
{
	struct stat st;

	use_pmem("a.pm");
	use_pmem2("b.pm");
	use_obj("c.pm", PMEMOBJ_MIN_POOL * 2);
	use_obj("set", 0);
	printf("part: %d", stat("part1.pm", &st));
	printf(" %ld\n", (long)st.st_size);
	return 0;
}

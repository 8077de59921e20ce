/*
 * libpmemobj.c - a stand-in for libpmemobj, for tests: the same soname, the headers of the real one,
 * and the same client requests to pmemcheck, in few lines.
 *
 * A pool is a file that is mapped: a header, an undo log, and objects, allocated one behind the other
 * and never reused. A transaction has its ranges copied to the log before they change; each entry is
 * durable before the count says that it is there. Committing makes the ranges durable, then empties
 * the log. Opening a pool whose log is not empty writes the old contents back.
 *
 * Invariant: what recovery sees is either as before the transaction or as after it, whatever the
 * crash left, if all that the transaction stores to was logged or allocated in it.
 *
 * One pool and one thread at a time. No redo logs, no lanes, no types.
 */
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <libpmemobj.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

enum { LINE = 64, ENTRIES = 64, ENTRY = 512, RANGES = 256, UUID = 7 };

#define MAGIC 0x64656e6d75746174ULL

/* ---- what pmemcheck is asked and told -------------------------------------------------------- */

enum {
	BASE = 'P' << 24 | 'C' << 16,
	REGISTER_MAPPING = BASE,
	REMOVE_MAPPING = BASE + 2,
	IS_MAPPING = BASE + 3,
	START_TX = BASE + 18,
	END_TX = BASE + 20,
	ADD_TO_TX = BASE + 22,
	REMOVE_FROM_TX = BASE + 24,
	IGNORE = BASE + 28,
};

static int on_pmemcheck;

static uintptr_t ask(uintptr_t what, const void *p, uintptr_t n)
{
	return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, what, p, n, 0, 0, 0);
}

static void say(uintptr_t what, const void *p, uintptr_t n)
{
	if (on_pmemcheck)
		ask(what, p, n);
}

__attribute__((constructor)) static void start(void)
{
	if (!RUNNING_ON_VALGRIND)
		return;
	ask(REGISTER_MAPPING, &on_pmemcheck, sizeof(on_pmemcheck));
	on_pmemcheck = ask(IS_MAPPING, &on_pmemcheck, sizeof(on_pmemcheck)) != 0;
	ask(REMOVE_MAPPING, &on_pmemcheck, sizeof(on_pmemcheck));
}

/* ---- a pool --------------------------------------------------------------------------------- */

struct entry {
	uint64_t off, size;
	unsigned char old[ENTRY - 16];
};

struct pmemobjpool {
	uint64_t magic, size, sum;
	_Alignas(LINE) uint64_t top; /* where the next object goes */
	uint64_t root, root_size;
	uint64_t run; /* how often it was opened: what locks of other runs are known by */
	_Alignas(LINE) uint64_t n; /* entries that count */
	_Alignas(LINE) struct entry log[ENTRIES];
};

static PMEMobjpool *pool;

__thread struct _pobj_pcache _pobj_cached_pool;
int _pobj_cache_invalidate;

static void flush(const void *p, size_t n)
{
	for (uintptr_t at = (uintptr_t)p & ~(uintptr_t)(LINE - 1); at < (uintptr_t)p + n;
	     at += LINE)
		_mm_clflushopt((void *)at);
}

static void persist(const void *p, size_t n)
{
	flush(p, n);
	_mm_sfence();
}

/* As PMDK names it: reads of it are of one checksum. */
static uint64_t util_checksum_compute(const uint32_t *p, size_t n)
{
	uint32_t lo = 0, hi = 0;

	for (size_t i = 0; i < n / 4; i++) {
		lo += p[i];
		hi += lo;
	}
	return (uint64_t)hi << 32 | lo;
}

static void roll_back(PMEMobjpool *p)
{
	for (uint64_t i = p->n; i-- > 0;) {
		const struct entry *e = &p->log[i];

		memcpy((char *)p + e->off, e->old, e->size);
		flush((char *)p + e->off, e->size);
	}
	_mm_sfence();
	p->n = 0;
	persist(&p->n, 8);
}

static PMEMobjpool *map(int fd, size_t size)
{
	PMEMobjpool *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	say(REGISTER_MAPPING, p, size);
	say(IGNORE, p, offsetof(PMEMobjpool, log) + sizeof(p->log));
	_pobj_cache_invalidate++;
	return pool = p;
}

PMEMobjpool *pmemobj_create(const char *path, const char *layout, size_t size, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, mode);
	PMEMobjpool *p;

	(void)layout;
	if (fd < 0)
		return NULL;
	if (posix_fallocate(fd, 0, (off_t)size) || !(p = map(fd, size)))
		return NULL;
	p->size = size;
	p->top = (sizeof(*p) + LINE - 1) / LINE * LINE;
	p->sum = util_checksum_compute((uint32_t *)&p->size, 8);
	persist(p, sizeof(*p) - sizeof(p->log));
	p->magic = MAGIC;
	persist(&p->magic, 8);
	return p;
}

PMEMobjpool *pmemobj_open(const char *path, const char *layout)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	PMEMobjpool *p;

	(void)layout;
	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	if ((size_t)st.st_size < sizeof(*p)) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	p = map(fd, (size_t)st.st_size);
	if (p && (p->magic != MAGIC || p->sum != util_checksum_compute((uint32_t *)&p->size, 8))) {
		pmemobj_close(p);
		errno = EINVAL;
		return NULL;
	}
	if (p && p->n)
		roll_back(p);
	if (p) {
		p->run++;
		persist(&p->run, 8);
	}
	return p;
}

void pmemobj_close(PMEMobjpool *p)
{
	size_t size = p->size;

	pool = NULL;
	_pobj_cache_invalidate++;
	say(REMOVE_MAPPING, p, size);
	munmap(p, size);
}

int pmemobj_check(const char *path, const char *layout)
{
	int fd = open(path, O_RDONLY);
	uint64_t magic = 0;
	ssize_t n = fd < 0 ? -1 : read(fd, &magic, 8);

	(void)layout;
	close(fd);
	return n < 0 ? -1 : n == 8 && magic == MAGIC;
}

const char *pmemobj_errormsg(void)
{
	return strerror(errno);
}

PMEMobjpool *pmemobj_pool_by_oid(PMEMoid oid)
{
	return oid.pool_uuid_lo == UUID ? pool : NULL;
}

#undef pmemobj_direct
void *pmemobj_direct(PMEMoid oid)
{
	return oid.off ? (char *)pool + oid.off : NULL;
}

void pmemobj_persist(PMEMobjpool *p, const void *addr, size_t n)
{
	(void)p;
	persist(addr, n);
}

void pmemobj_flush(PMEMobjpool *p, const void *addr, size_t n)
{
	(void)p;
	flush(addr, n);
}

void pmemobj_drain(PMEMobjpool *p)
{
	(void)p;
	_mm_sfence();
}

void *pmemobj_memcpy_persist(PMEMobjpool *p, void *to, const void *from, size_t n)
{
	(void)p;
	memcpy(to, from, n);
	persist(to, n);
	return to;
}

/* ---- transactions --------------------------------------------------------------------------- */

static struct {
	PMEMobjpool *p;
	enum pobj_tx_stage stage;
	uint32_t depth;
	int error;
	jmp_buf env[8];
	uint32_t n; /* ranges to be made durable */
	struct range {
		char *p;
		size_t n;
	} range[RANGES];
} tx;

static void note(void *p, size_t n)
{
	if (tx.n == RANGES)
		abort();
	tx.range[tx.n++] = (struct range){p, n};
}

static bool is_logged(const char *p, size_t n)
{
	for (uint32_t i = 0; i < tx.n; i++)
		if (p >= tx.range[i].p && p + n <= tx.range[i].p + tx.range[i].n)
			return true;
	return false;
}

/* The old contents, durable before the count. */
static void record(void *p, size_t n)
{
	struct entry *e = &tx.p->log[tx.p->n];

	if (tx.p->n == ENTRIES || n > sizeof(e->old))
		abort();
	e->off = (uint64_t)((char *)p - (char *)tx.p);
	e->size = n;
	memcpy(e->old, p, n);
	persist(e, 16 + n);
	tx.p->n++;
	persist(&tx.p->n, 8);
}

static PMEMoid allocate(size_t n, bool zero)
{
	PMEMoid oid = {UUID, tx.p->top};
	size_t size = (n + 15) / 16 * 16;
	char *at = (char *)tx.p + oid.off;

	if (oid.off + size > tx.p->size) {
		tx.error = ENOMEM;
		pmemobj_tx_abort(ENOMEM);
		return OID_NULL;
	}
	if (!is_logged((char *)&tx.p->top, 8)) {
		record(&tx.p->top, 8);
		note(&tx.p->top, 8);
	}
	tx.p->top += size;
	note(at, n);
	say(ADD_TO_TX, at, n);
	if (zero)
		memset(at, 0, n);
	return oid;
}

int pmemobj_tx_begin(PMEMobjpool *p, jmp_buf env, ...)
{
	if (tx.depth == 8)
		abort();
	if (!tx.depth++) {
		tx.p = p;
		tx.n = 0;
		tx.error = 0;
	}
	if (env)
		memcpy(tx.env[tx.depth - 1], env, sizeof(jmp_buf));
	tx.stage = TX_STAGE_WORK;
	say(START_TX, NULL, 0);
	return 0;
}

enum pobj_tx_stage pmemobj_tx_stage(void)
{
	return tx.stage;
}

int pmemobj_tx_errno(void)
{
	return tx.error;
}

int pmemobj_tx_add_range_direct(const void *p, size_t n)
{
	if (is_logged(p, n))
		return 0;
	record((void *)p, n);
	note((void *)p, n);
	say(ADD_TO_TX, p, n);
	return 0;
}

int pmemobj_tx_add_range(PMEMoid oid, uint64_t off, size_t n)
{
	return pmemobj_tx_add_range_direct((char *)tx.p + oid.off + off, n);
}

PMEMoid pmemobj_tx_alloc(size_t n, uint64_t type)
{
	(void)type;
	return allocate(n, false);
}

PMEMoid pmemobj_tx_zalloc(size_t n, uint64_t type)
{
	(void)type;
	return allocate(n, true);
}

int pmemobj_tx_free(PMEMoid oid)
{
	(void)oid; /* nothing is used again */
	return 0;
}

void pmemobj_tx_commit(void)
{
	if (tx.depth == 1) {
		for (uint32_t i = 0; i < tx.n; i++) {
			flush(tx.range[i].p, tx.range[i].n);
			say(REMOVE_FROM_TX, tx.range[i].p, tx.range[i].n);
		}
		_mm_sfence();
		tx.p->n = 0;
		persist(&tx.p->n, 8);
	}
	tx.stage = TX_STAGE_ONCOMMIT;
}

void pmemobj_tx_abort(int error)
{
	tx.error = error;
	if (tx.depth == 1)
		roll_back(tx.p);
	tx.stage = TX_STAGE_ONABORT;
	longjmp(tx.env[tx.depth - 1], error);
}

void pmemobj_tx_process(void)
{
	if (tx.stage == TX_STAGE_WORK)
		pmemobj_tx_commit();
	else
		tx.stage = tx.stage == TX_STAGE_FINALLY ? TX_STAGE_NONE : TX_STAGE_FINALLY;
}

int pmemobj_tx_end(void)
{
	say(END_TX, NULL, 0);
	tx.stage = --tx.depth ? TX_STAGE_WORK : TX_STAGE_NONE;
	return tx.error;
}

/* ---- locks: volatile, initialised when they are first used in a run -------------------------- */

struct lock {
	volatile uint64_t run;
	pthread_mutex_t mutex;
};

int pmemobj_mutex_lock(PMEMobjpool *p, PMEMmutex *m)
{
	struct lock *l = (struct lock *)m;

	if (l->run != p->run + 1) {
		say(REMOVE_MAPPING, l, LINE);
		l->run = 0;
		pthread_mutex_init(&l->mutex, NULL);
		l->run = p->run + 1;
	}
	return pthread_mutex_lock(&l->mutex);
}

int pmemobj_mutex_unlock(PMEMobjpool *p, PMEMmutex *m)
{
	(void)p;
	return pthread_mutex_unlock(&((struct lock *)m)->mutex);
}

/* ---- the root ------------------------------------------------------------------------------- */

PMEMoid pmemobj_root(PMEMobjpool *p, size_t n)
{
	if (!p->root) {
		uint64_t at = p->top;

		p->top += (n + LINE - 1) / LINE * LINE;
		p->root_size = n;
		persist(&p->top, 24);
		p->root = at;
		persist(&p->root, 8);
	}
	return (PMEMoid){UUID, p->root};
}

size_t pmemobj_root_size(PMEMobjpool *p)
{
	return p->root_size;
}

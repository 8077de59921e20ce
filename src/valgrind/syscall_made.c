/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall_made.c - the effects of system calls on PM, as events. See syscall.h. */
#include "syscall.h"
#include "core.h"
#include "vg.h"

enum { PIECE = 4096 };
/* O_DSYNC, which O_SYNC contains: what is written is durable when the call returns. */
enum { DSYNC = 010000 };
enum { RWF_DSYNC = 2, RWF_SYNC = 4 };

/* Reads back bytes of a pool that were written through a descriptor. */
static void read_back(const struct vg_pool *p, Int fd, UChar *to, SizeT n, ULong at)
{
	vg_sys(__NR_pread64, (UWord)(p->fd < 0 ? fd : p->fd), (UWord)to, n, at, 0, 0);
}

/* Zeros behind the old end need not be stored: extending the file creates them. */
static ULong stored_part(const struct vg_pool *p, Int fd, ULong at, ULong n)
{
	static UChar buf[PIECE];
	ULong end = at + n, before = at < p->size ? p->size - at : 0;

	if (end <= p->size)
		return n;
	for (ULong k, from = at + before; from < end; from += k) {
		k = PD_MIN(end - from, (ULong)PIECE);
		read_back(p, fd, buf, k, from);
		for (ULong i = 0; i < k; i++)
			if (buf[i])
				return n;
	}
	return before;
}

/* synced: the call itself says that what it writes is durable when it returns. */
static void report_written(ThreadId tid, struct vg_pool *p, Int fd, ULong at, ULong n, Bool synced)
{
	static UChar buf[PIECE];
	struct pd_event e = {.kind = PD_EV_STORE, .order = PD_ORDER_NONE, .data = buf};
	Int flags = VG_(fcntl)(fd, VKI_F_GETFL, 0);
	ULong from = at, size = n;

	n = stored_part(p, fd, at, n);
	vg_pool_resized(p, fd);
	e.site = vg_place_here(tid);
	for (; n; at += e.size, n -= e.size) {
		e.size = PD_MIN(n, (ULong)PIECE);
		read_back(p, fd, buf, e.size, at);
		e.addr = p->base - PD_PM_BASE + at;
		vg_session.channel->bytes_stored += e.size;
		vg_emit(&e);
	}
	if (synced || (flags >= 0 && flags & DSYNC))
		vg_pool_report(PD_EV_MSYNC, p, from, size);
}

static void after_write(ThreadId tid, Int fd, UWord n, Bool synced)
{
	struct vg_pool *p = n ? vg_pool_of_fd(fd) : NULL;

	if (p)
		report_written(tid, p, fd, (ULong)VG_(lseek)(fd, 0, VKI_SEEK_CUR) - n, n, synced);
}

static void after_pwrite(ThreadId tid, Int fd, ULong at, UWord n, Bool synced)
{
	struct vg_pool *p = n ? vg_pool_of_fd(fd) : NULL;

	if (p)
		report_written(tid, p, fd, at, n, synced);
}

static void after_sync(Int fd)
{
	struct vg_pool *p = vg_pool_of_fd(fd);

	if (p)
		vg_pool_report(PD_EV_MSYNC, p, 0, p->size);
}

static void after_resize(Int fd)
{
	struct vg_pool *p = vg_pool_of_fd(fd);

	if (p)
		vg_pool_resized(p, fd);
}

static void after_open(const struct vg_call *c)
{
	if (!c->pool)
		return;
	if (c->made)
		vg_pool_report(PD_EV_POOL_SIZE, c->pool, 0, 0);
	vg_pool_report(PD_EV_POOL_OPEN, c->pool, 0, c->pool->size);
	vg_pool_resized(c->pool, c->pool->fd);
}

/* A memory file has no links; report those of the program's file. */
static void after_stat(const struct vg_pool *p, void *buf)
{
	if (p)
		((struct vki_stat *)buf)->st_nlink = p->links;
}

static void after_statx(const struct vg_pool *p, void *buf)
{
	if (p)
		((UInt *)buf)[4] = p->links; /* stx_nlink */
}

static void after_mmap(const struct vg_call *c, Addr at)
{
	if (c->was_number == __NR_mremap) {
		vg_mapping_add(c->a[0], c->a[1], c->pool, c->a[5]);
		return;
	}
	if (c->pool)
		vg_mapping_add(at, c->a[1], c->pool, c->a[5]);
	else if (PD_IS_PM(at)) /* a reservation, or what replaces one */
		vg_mapping_add(at, c->a[1], NULL, 0);
	else
		vg_mapping_remove(at, c->a[1]);
}

static void after_mremap(Addr old, SizeT from, Addr at, SizeT to)
{
	const struct vg_mapping *m = vg_mapping_at(old);
	struct vg_mapping was = m ? *m : (struct vg_mapping){0};

	if (!m || !m->pool)
		return;
	vg_mapping_remove(old, from);
	vg_mapping_add(at, to, was.pool, was.offset + (old - was.from));
}

static void made_write(ThreadId tid, UInt number, const UWord *a, UWord r)
{
	Bool synced = number == __NR_pwritev2 && (a[5] & (RWF_DSYNC | RWF_SYNC)) != 0;

	switch (number) {
	case __NR_write:
	case __NR_writev:
	case __NR_sendfile:
		after_write(tid, (Int)a[0], r, False);
		break;
	case __NR_pwrite64:
	case __NR_pwritev:
		after_pwrite(tid, (Int)a[0], a[3], r, False);
		break;
	case __NR_pwritev2:
		if ((Long)a[3] == -1)
			after_write(tid, (Int)a[0], r, synced);
		else
			after_pwrite(tid, (Int)a[0], a[3], r, synced);
		break;
	case __NR_copy_file_range:
	case __NR_splice:
		if (a[3])
			after_pwrite(tid, (Int)a[2], *(const ULong *)a[3] - r, r, False);
		else
			after_write(tid, (Int)a[2], r, False);
		break;
	default:
		break;
	}
}

void vg_call_made(ThreadId tid, const struct vg_call *c, UInt number, const UWord *a, UWord r)
{
	switch (number) {
	case __NR_open:
	case __NR_openat:
		after_open(c);
		break;
	case __NR_stat:
		after_stat(c->pool, (void *)a[1]);
		break;
	case __NR_newfstatat:
		after_stat(c->pool		  ? c->pool
			   : *(const HChar *)a[1] ? NULL
						  : vg_pool_of_fd((Int)a[0]),
			   (void *)a[2]);
		break;
	case __NR_statx:
		after_statx(c->pool		   ? c->pool
			    : *(const HChar *)a[1] ? NULL
						   : vg_pool_of_fd((Int)a[0]),
			    (void *)a[4]);
		break;
	case __NR_getdents64:
	case __NR_getdents:
		if (vg_name_differs((Int)a[0]))
			vg_loss(PD_LOSS_SYSCALL, vg_place_here(tid),
				"lists a directory in which PM files were made or deleted: it is "
				"shown as it was");
		break;
	case __NR_fstat:
		after_stat(vg_pool_of_fd((Int)a[0]), (void *)a[1]);
		break;
	case __NR_truncate:
		if (c->pool)
			vg_pool_resized(c->pool, c->pool->fd);
		break;
	case __NR_ftruncate:
	case __NR_fallocate:
		after_resize((Int)a[0]);
		break;
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_syncfs:
		after_sync((Int)a[0]);
		break;
	case __NR_msync:
		vg_mapping_synced(a[0], a[1]);
		break;
	case __NR_mmap:
		after_mmap(c, r);
		break;
	case __NR_munmap:
		vg_mapping_remove(a[0], a[1]);
		break;
	case __NR_mremap:
		after_mremap(a[0], a[1], r, a[2]);
		break;
	default:
		made_write(tid, number, a, r);
	}
}

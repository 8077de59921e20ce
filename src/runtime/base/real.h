/*
 * base/real.h - libc's own version of a function that we interpose.
 *
 *	return PD_REAL(read)(fd, buf, n);
 *
 * Looked up once, by dlsym(RTLD_NEXT). dlsym may allocate, and an allocator may come back to us for
 * memory or a file while the lookup runs: that call gets a system call instead, for the few
 * functions an allocator uses (mmap and its family never ask here at all).
 *
 * Thread rule: any thread; two that look up the same name store the same pointer.
 */
#ifndef PD_RUNTIME_BASE_REAL_H
#define PD_RUNTIME_BASE_REAL_H

void *pd_file_real(const char *name);

#define PD_REAL(fn)                                                                                \
	({                                                                                         \
		static __typeof__(&(fn)) real_;                                                    \
		__typeof__(&(fn)) got_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                \
		if (__builtin_expect(!got_, 0)) {                                                  \
			got_ = (__typeof__(&(fn)))pd_file_real(#fn);                               \
			if (!pd_file_real_busy())                                                  \
				__atomic_store_n(&real_, got_, __ATOMIC_RELAXED);                  \
		}                                                                                  \
		got_;                                                                              \
	})

/* Whether this thread is inside the lookup: then it got a stand-in. */
int pd_file_real_busy(void);

#endif

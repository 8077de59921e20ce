/* libc/alloc.c - memory that may run out (libc/fault.h); see wrap.h. What libc gives is never
 * PM. */
#include "runtime/libc/wrap.h"
#include "runtime/libc/fault.h"

#define W(name, params, args)                                                                      \
	void *__pd_w_##name params                                                                 \
	{                                                                                          \
		if (pd_fault_call(PD_FAULTY_##name))                                               \
			return NULL;                                                               \
		__pd_call_site = NULL;                                                             \
		return name args;                                                                  \
	}

W(malloc, (size_t n), (n))
W(calloc, (size_t n, size_t size), (n, size))
W(reallocarray, (void *p, size_t n, size_t size), (p, n, size))
W(aligned_alloc, (size_t align, size_t n), (align, n))

/* Of 0 bytes it is free(), which cannot fail. */
void *__pd_w_realloc(void *p, size_t n)
{
	if (n && pd_fault_call(PD_FAULTY_realloc))
		return NULL;
	__pd_call_site = NULL;
	return realloc(p, n);
}

int __pd_w_posix_memalign(void **to, size_t align, size_t n)
{
	int err = pd_fault_error(PD_FAULTY_posix_memalign);
	void *p = NULL;

	if (err)
		return err;
	pd_wrap_enter();
	if (!PM(to))
		return posix_memalign(to, align, n);
	err = posix_memalign(&p, align, n);
	if (!err)
		pd_wrap_put(to, &p, sizeof(p));
	return err;
}

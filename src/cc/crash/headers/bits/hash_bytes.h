/*
 * hash_bytes.h - libstdc++'s own, but std::hash does not read PM in the library, unseen: the bytes
 * are copied out first, by code that is compiled with the program.
 */
#include_next <bits/hash_bytes.h>

#ifndef _Hash_bytes
namespace std
{
inline size_t __pd_hash_bytes(const void *p, size_t n, size_t seed)
{
	char here[256], *copy = here;
	size_t hash;

	if ((__UINTPTR_TYPE__)p >> 44 != 1) /* not in the window of PM (event/layout.h) */
		return _Hash_bytes(p, n, seed);
	if (n > sizeof(here))
		copy = (char *)__builtin_malloc(n);
	if (!copy)
		return _Hash_bytes(p, n, seed);
	__builtin_memcpy(copy, p, n);
	hash = _Hash_bytes(copy, n, seed);
	if (copy != here)
		__builtin_free(copy);
	return hash;
}
} // namespace std
#define _Hash_bytes __pd_hash_bytes
#endif

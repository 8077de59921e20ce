/*
 * torn-arm64 - a 64-bit constant whose halves are equal: compilers for ARM64 store it as a pair of
 * 32-bit stores, and a crash between them leaves 0x12345678. Nothing on x86 shows it, and nothing in
 * the language forbids it.
 */
#include "../pm.h"

struct object {
	LINE uint64_t val;
};

int main(int argc, char **argv)
{
	struct object *o = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*o));

	if (o->val != 0) //@ load
		printf("0x%llx\n", (unsigned long long)o->val);
#if FIXED
	pm_set(&o->val, 0x1234567812345678);
#else
	o->val = 0x1234567812345678; //@ store
#endif
	pm_persist(&o->val, sizeof(o->val));
	return 0;
}

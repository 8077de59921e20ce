/* root.c - see root.h. */
#include "engine/crash/root.h"

static struct pd_tree_node *find(struct pd_roots *r, uint32_t n, struct pd_digest files,
				 uint32_t depth)
{
	for (uint32_t i = 0; i < n; i++) {
		struct pd_root *root = &r->v[i];

		if (__atomic_load_n(&root->ready, __ATOMIC_ACQUIRE) && root->files.a == files.a &&
		    root->files.b == files.b && root->depth == depth)
			return &root->node;
	}
	return NULL;
}

struct pd_tree_node *pd_root_get(struct pd_roots *r, const struct pd_tree_memory *mem,
				 struct pd_digest files, uint32_t depth)
{
	uint32_t n = PD_MIN(__atomic_load_n(&r->n, __ATOMIC_ACQUIRE), PD_ROOTS);
	struct pd_tree_node *node = find(r, n, files, depth);

	if (node)
		return node;
	if (n == PD_ROOTS || (n = __atomic_fetch_add(&r->n, 1, __ATOMIC_ACQ_REL)) >= PD_ROOTS)
		return mem->alloc(mem->ctx, sizeof(struct pd_tree_node));
	r->v[n].files = files;
	r->v[n].depth = depth;
	__atomic_store_n(&r->v[n].ready, 1, __ATOMIC_RELEASE);
	return &r->v[n].node;
}

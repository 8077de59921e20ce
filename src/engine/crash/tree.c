/* tree.c - see tree.h. */
#include "engine/crash/tree.h"

uint32_t pd_tree_pack(const uint8_t *block, uint64_t mask, uint8_t *value)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		value[n++] = block[__builtin_ctzll(mask)];
	return n;
}

uint32_t pd_tree_value(const uint8_t *block, uint64_t mask, const struct pd_ask *ask,
		       uint8_t *value)
{
	return ask ? pd_view_look(ask, block + __builtin_ctzll(mask), value)
		   : pd_tree_pack(block, mask, value);
}

static const struct pd_view *find_view(const struct pd_tree_view *from,
				       const struct pd_tree_view *end, const struct pd_view *view)
{
	uint32_t n = pd_view_bytes(view);

	for (; from != end; from = from->next)
		if (pd_view_bytes(&from->view) == n && memcmp(&from->view, view, n) == 0)
			return &from->view;
	return NULL;
}

const struct pd_view *pd_tree_view(struct pd_tree_view **all, const struct pd_tree_memory *mem,
				   const struct pd_view *view)
{
	struct pd_tree_view *head = __atomic_load_n(all, __ATOMIC_ACQUIRE), *v;
	const struct pd_view *known = find_view(head, NULL, view);

	if (known)
		return known;
	v = mem->alloc(mem->ctx, sizeof(*v) + pd_view_bytes(view) - sizeof(v->view));
	if (!v)
		return NULL;
	memcpy(&v->view, view, pd_view_bytes(view));
	v->next = head;
	while (!__atomic_compare_exchange_n(all, &head, v, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		known = find_view(head, v->next, view);
		if (known)
			return known;
		v->next = head;
	}
	return &v->view;
}

/* Among the edges from `e` on, up to `end`. */
static struct pd_tree_node *find(const struct pd_tree_edge *e, const struct pd_tree_edge *end,
				 const uint8_t *value, uint32_t n)
{
	for (; e != end; e = e->next)
		if (e->n == n && memcmp(e->value, value, n) == 0)
			return e->to;
	return NULL;
}

struct pd_tree_node *pd_tree_find(const struct pd_tree_node *node, const uint8_t *value, uint32_t n)
{
	return find(__atomic_load_n(&node->edges, __ATOMIC_ACQUIRE), NULL, value, n);
}

struct pd_tree_node *pd_tree_only(const struct pd_tree_node *node)
{
	return __atomic_load_n(&node->edges, __ATOMIC_ACQUIRE)->to;
}

bool pd_tree_pending(const struct pd_tree_node *node)
{
	return !__atomic_load_n(&node->mask, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&node->outcome, __ATOMIC_ACQUIRE) == PD_OUTCOME_NONE;
}

bool pd_tree_claim(struct pd_tree_node *node, uint32_t owner)
{
	uint32_t nobody = 0;

	return pd_tree_pending(node) &&
	       __atomic_compare_exchange_n(&node->owner, &nobody, owner, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

struct pd_tree_node *pd_tree_add(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				 const uint8_t *value, uint32_t n, uint32_t owner, bool *mine)
{
	struct pd_tree_edge *head = __atomic_load_n(&node->edges, __ATOMIC_ACQUIRE);
	struct pd_tree_edge *e;
	struct pd_tree_node *to = find(head, NULL, value, n);

	*mine = false;
	if (to)
		return to;
	e = mem->alloc(mem->ctx, sizeof(*e) + n);
	to = mem->alloc(mem->ctx, sizeof(*to));
	if (!e || !to)
		return NULL;
	memcpy(e->value, value, n);
	e->n = n;
	e->to = to;
	e->next = head;
	to->owner = owner;
	while (!__atomic_compare_exchange_n(&node->edges, &head, e, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		struct pd_tree_node *other = find(head, e->next, value, n);

		if (other)
			return other;
		e->next = head;
	}
	*mine = true;
	return to;
}

/* Not the builtin: without a popcnt instruction that is a function of the compiler's library. */
static uint32_t bits_in(uint64_t mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Whether it is what others read at this node. */
static bool is_same(const struct pd_tree_node *node, const struct pd_tree_read *read)
{
	if (node->block != read->block || node->mask != read->mask || node->group != read->group)
		return false;
	if (!node->ask || !read->ask.view)
		return !node->ask && !read->ask.view;
	return memcmp(node->ask, &read->ask, sizeof(read->ask)) == 0;
}

/* What a pending node reads, but for the mask; false: memory ran out. */
static bool note_read(struct pd_tree_node *node, const struct pd_tree_memory *mem,
		      const struct pd_tree_read *read)
{
	struct pd_ask *ask = NULL;

	if (read->ask.view) {
		ask = mem->alloc(mem->ctx, sizeof(*ask));
		if (!ask)
			return false;
		*ask = read->ask;
	}
	node->block = read->block;
	node->group = read->group;
	node->ask = ask;
	return true;
}

struct pd_tree_node *pd_tree_step(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				  const struct pd_tree_read *read, const uint8_t *value,
				  uint32_t owner, bool *diverged)
{
	uint32_t n = read->ask.view ? pd_view_seen(read->ask.view) : bits_in(read->mask);
	bool mine, pending = pd_tree_pending(node);
	struct pd_tree_node *to;

	*diverged = !pending && !is_same(node, read);
	if (*diverged || (pending && !note_read(node, mem, read)))
		return NULL;
	to = pd_tree_add(node, mem, value, n, owner, &mine);
	if (to && pending) /* the edge first: a read that is known has one */
		__atomic_store_n(&node->mask, read->mask, __ATOMIC_RELEASE);
	return to;
}

void pd_tree_end(struct pd_tree_node *leaf, uint32_t outcome, uint32_t detail)
{
	leaf->detail = detail;
	__atomic_store_n(&leaf->outcome, outcome, __ATOMIC_RELEASE);
}

static bool is_known(const struct pd_tree_blame *b, uint64_t signature, uint64_t when)
{
	for (; b; b = b->next)
		if (b->signature == signature && b->when <= when)
			return true;
	return false;
}

bool pd_tree_blame_is_new(struct pd_tree_node *leaf, const struct pd_tree_memory *mem,
			  uint64_t signature, uint64_t when)
{
	struct pd_tree_blame *b, *head = __atomic_load_n(&leaf->blames, __ATOMIC_ACQUIRE);

	if (is_known(head, signature, when))
		return false;
	b = mem->alloc(mem->ctx, sizeof(*b));
	if (!b)
		return false;
	b->signature = signature;
	b->when = when;
	b->next = head;
	while (!__atomic_compare_exchange_n(&leaf->blames, &head, b, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		if (is_known(head, signature, when))
			return false;
		b->next = head;
	}
	return true;
}

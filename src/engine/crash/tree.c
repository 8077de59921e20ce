/* tree.c - see tree.h. */
#include "engine/crash/tree.h"
#include "base/vec.h"

/* How many bytes the mask selects, if they lie together; else 0. */
static uint32_t run_of(uint64_t mask)
{
	uint64_t run = mask >> __builtin_ctzll(mask);

	return run & (run + 1) ? 0 : run + 1 ? (uint32_t)__builtin_ctzll(run + 1) : 64;
}

uint32_t pd_tree_pack(const uint8_t *block, uint64_t mask, uint8_t *value)
{
	uint32_t n = mask ? run_of(mask) : 0;

	if (n) {
		memcpy(value, block + __builtin_ctzll(mask), n);
		return n;
	}
	for (; mask; mask &= mask - 1)
		value[n++] = block[__builtin_ctzll(mask)];
	return n;
}

uint32_t pd_tree_value(const uint8_t *block, uint64_t mask, const struct pd_lens *lens,
		       uint8_t *value)
{
	return lens ? pd_view_look(lens, block + __builtin_ctzll(mask), value)
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

static bool leads_to(const struct pd_tree_node *node, const uint8_t *value, uint32_t n)
{
	const uint8_t *mine = n > sizeof(node->value) ? node->value.many : node->value.bytes;

	return memcmp(mine, value, n) == 0;
}

/* Among the nodes from `to` on, up to `end`. */
static struct pd_tree_node *find(struct pd_tree_node *to, const struct pd_tree_node *end,
				 const uint8_t *value, uint32_t n)
{
	while (to != end && !leads_to(to, value, n))
		to = to->next;
	return to != end ? to : NULL;
}

struct pd_tree_node *pd_tree_find(const struct pd_tree_node *node, const uint8_t *value, uint32_t n)
{
	return find(__atomic_load_n(&node->first, __ATOMIC_ACQUIRE), NULL, value, n);
}

struct pd_tree_node *pd_tree_only(const struct pd_tree_node *node)
{
	return __atomic_load_n(&node->first, __ATOMIC_ACQUIRE);
}

bool pd_tree_pending(const struct pd_tree_node *node)
{
	return !__atomic_load_n(&node->read, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&node->outcome, __ATOMIC_ACQUIRE) == PD_OUTCOME_NONE;
}

bool pd_tree_claim(struct pd_tree_node *node, uint32_t owner)
{
	uint32_t nobody = 0;

	return pd_tree_pending(node) &&
	       __atomic_compare_exchange_n(&node->owner, &nobody, owner, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static struct pd_tree_node *new_node(const struct pd_tree_memory *mem, const uint8_t *value,
				     uint32_t n, uint32_t owner)
{
	struct pd_tree_node *node = mem->alloc(mem->ctx, sizeof(*node));
	uint8_t *bytes = node ? node->value.bytes : NULL;

	if (node && n > sizeof(node->value))
		node->value.many = bytes = mem->alloc(mem->ctx, n);
	if (!bytes)
		return NULL;
	memcpy(bytes, value, n);
	node->owner = owner;
	return node;
}

struct pd_tree_node *pd_tree_add(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				 const uint8_t *value, uint32_t n, uint32_t owner, bool *mine)
{
	struct pd_tree_node *head = __atomic_load_n(&node->first, __ATOMIC_ACQUIRE);
	struct pd_tree_node *to = find(head, NULL, value, n);

	*mine = false;
	if (to)
		return to;
	to = new_node(mem, value, n, owner);
	if (!to)
		return NULL;
	to->next = head;
	while (!__atomic_compare_exchange_n(&node->first, &head, to, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		struct pd_tree_node *other = find(head, to->next, value, n);

		if (other)
			return other;
		to->next = head;
	}
	*mine = true;
	return to;
}

/* Not the builtin: without a popcnt instruction that is a function of the compiler's library. */
/* Whether a read is the one known at a node; its site does not matter. */
static bool is_same(const struct pd_tree_read *known, const struct pd_tree_read *read)
{
	return known->block == read->block && known->mask == read->mask &&
	       known->group == read->group && known->lens.view == read->lens.view &&
	       (!known->lens.view || memcmp(&known->lens, &read->lens, sizeof(read->lens)) == 0);
}

static struct pd_tree_read **bucket_of(struct pd_tree_reads *all, const struct pd_tree_read *read)
{
	uint64_t hash = pd_mix(read->block ^ pd_mix(read->mask));

	if (read->lens.view)
		hash = pd_mix(hash ^ (uintptr_t)read->lens.view ^ read->lens.operand[0] ^
			      pd_mix(read->lens.operand[1]));
	return &all->bucket[hash % PD_TREE_BUCKETS];
}

static struct pd_tree_read *find_read(struct pd_tree_read *from, const struct pd_tree_read *end,
				      const struct pd_tree_read *read)
{
	for (; from != end; from = from->next)
		if (from->site == read->site && is_same(from, read))
			return from;
	return NULL;
}

/* NULL: memory ran out. */
static struct pd_tree_read *chunk_at(struct pd_tree_read **at, const struct pd_tree_memory *mem)
{
	struct pd_tree_read *known = __atomic_load_n(at, __ATOMIC_ACQUIRE), *chunk;

	if (known)
		return known;
	chunk = mem->alloc(mem->ctx, PD_TREE_CHUNK * sizeof(*chunk));
	if (chunk && !__atomic_compare_exchange_n(at, &known, chunk, false, __ATOMIC_ACQ_REL,
						  __ATOMIC_ACQUIRE))
		return known; /* another process was faster */
	return chunk;
}

static struct pd_tree_read *new_read(const struct pd_tree_memory *mem)
{
	struct pd_tree_reads *all = mem->reads;
	uint32_t i = all ? __atomic_fetch_add(&all->n, 1, __ATOMIC_RELAXED) : 0;
	struct pd_tree_read *chunk;

	if (!all || i >= PD_TREE_CHUNKS * PD_TREE_CHUNK)
		return mem->alloc(mem->ctx, sizeof(struct pd_tree_read));
	chunk = chunk_at(&all->chunk[i / PD_TREE_CHUNK], mem);
	return chunk ? chunk + i % PD_TREE_CHUNK : NULL;
}

/* The shared read equal to `read`, added if it is new; NULL: memory ran out. */
static struct pd_tree_read *look_up_read(const struct pd_tree_memory *mem,
					 const struct pd_tree_read *read)
{
	struct pd_tree_read **bucket = mem->reads ? bucket_of(mem->reads, read) : NULL;
	struct pd_tree_read *head = bucket ? __atomic_load_n(bucket, __ATOMIC_ACQUIRE) : NULL;
	struct pd_tree_read *known = find_read(head, NULL, read), *r;

	if (known)
		return known;
	r = new_read(mem);
	if (!r)
		return NULL;
	*r = *read;
	r->covered = (struct pd_tree_covered){0};
	r->then = NULL;
	r->next = head;
	while (bucket && !__atomic_compare_exchange_n(bucket, &head, r, false, __ATOMIC_ACQ_REL,
						      __ATOMIC_ACQUIRE)) {
		known = find_read(head, r->next, read);
		if (known)
			return known;
		r->next = head;
	}
	return r;
}

/*
 * The same, but first tries the read that followed the last one on the latest path that had it:
 * paths are alike, and most like those before them.
 */
static struct pd_tree_read *one_read(const struct pd_tree_memory *mem,
				     const struct pd_tree_read *read)
{
	struct pd_tree_read *last = mem->last ? *mem->last : NULL, *r;

	r = last ? __atomic_load_n(&last->then, __ATOMIC_ACQUIRE) : NULL;
	if (r && r->site == read->site && is_same(r, read))
		return r;
	r = look_up_read(mem, read);
	if (last && r)
		__atomic_store_n(&last->then, r, __ATOMIC_RELEASE);
	return r;
}

struct pd_tree_node *pd_tree_step(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				  const struct pd_tree_read *read, const uint8_t *value,
				  uint32_t owner, bool *diverged)
{
	uint32_t n = read->lens.view ? pd_view_seen(read->lens.view) : pd_count_bits(read->mask);
	bool mine, pending = pd_tree_pending(node);
	struct pd_tree_read *one;
	struct pd_tree_node *to;

	*diverged = !pending && !(node->read && is_same(node->read, read));
	if (*diverged)
		return NULL;
	one = pending ? one_read(mem, read) : node->read;
	to = one ? pd_tree_add(node, mem, value, n, owner, &mine) : NULL;
	if (mem->last)
		*mem->last = one;
	if (to && pending) /* after the child is added: a known read has one */
		__atomic_store_n(&node->read, one, __ATOMIC_RELEASE);
	return to;
}

/* Paths are long: no recursion. */
bool pd_tree_disown(struct pd_tree_node *root, struct pd_arena *a)
{
	PD_VEC(struct pd_tree_node *) left = {0};
	struct pd_tree_node **push = pd_vec_push(&left, a);

	if (push)
		*push = root;
	while (push && left.n) {
		struct pd_tree_node *node = left.v[--left.n];

		node->owner = 0;
		for (struct pd_tree_node *to = node->first; push && to; to = to->next) {
			push = pd_vec_push(&left, a);
			if (push)
				*push = to;
		}
	}
	return push;
}

void pd_tree_end(struct pd_tree_node *leaf, uint32_t outcome, uint32_t detail)
{
	leaf->detail = (uint16_t)detail;
	__atomic_store_n(&leaf->outcome, (uint8_t)outcome, __ATOMIC_RELEASE);
}

struct pd_tree_bad *pd_tree_bad(struct pd_tree_node *leaf, const struct pd_tree_memory *mem)
{
	struct pd_tree_bad *known = __atomic_load_n(&leaf->bad, __ATOMIC_ACQUIRE), *bad;

	if (known)
		return known;
	bad = mem->alloc(mem->ctx, sizeof(*bad));
	if (bad && !__atomic_compare_exchange_n(&leaf->bad, &known, bad, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
		return known;
	return bad;
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
	struct pd_tree_bad *bad = pd_tree_bad(leaf, mem);
	struct pd_tree_blame *b,
		*head = bad ? __atomic_load_n(&bad->blames, __ATOMIC_ACQUIRE) : NULL;

	if (!bad || is_known(head, signature, when))
		return false;
	b = mem->alloc(mem->ctx, sizeof(*b));
	if (!b)
		return false;
	b->signature = signature;
	b->when = when;
	b->next = head;
	while (!__atomic_compare_exchange_n(&bad->blames, &head, b, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE)) {
		if (is_known(head, signature, when))
			return false;
		b->next = head;
	}
	return true;
}

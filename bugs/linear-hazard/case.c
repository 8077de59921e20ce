/*
 * Treiber's stack. Nodes are used again, once no thread that pops has one in its hazard slot; slots and the list of what
 * may be used again are in ordinary memory. Who changes the head makes what it has read of it durable first. Broken, a
 * node is flushed only after it has been linked.
 */
#include "../linear.h"
enum { NODES = 600, SLOTS = 8 };
struct node {
	uint64_t value, next, pad[6];
};
struct stack {
	uint64_t head LINE;
	uint64_t limit LINE;
	struct node node[NODES] LINE;
};
static uint64_t hazard[SLOTS], nslots, freed;
static uint64_t unused[NODES];
static __thread uint64_t slot;
static void recover(struct stack *s)
{
	(void)s;
	busy = 0;
	freed = 0;
	nodes_open(&s->limit);
}
RECOVERED(struct stack, recover)
static uint64_t mine(void)
{
	if (!slot)
		slot = 1 + __atomic_fetch_add(&nslots, 1, __ATOMIC_SEQ_CST) % SLOTS;
	return slot - 1;
}
static uint64_t fresh(void)
{
	uint64_t n = 0;
	lock();
	for (uint64_t i = 0; i < freed && !n; i++) {
		int used = 0;
		for (int k = 0; k < SLOTS; k++)
			used |= __atomic_load_n(&hazard[k], __ATOMIC_SEQ_CST) == unused[i];
		if (!used) {
			n = unused[i];
			unused[i] = unused[--freed];
		}
	}
	unlock();
	return n ? n : nodes_take(NODES);
}
static void push(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t n = fresh(), h;
	if (!n) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	pm_set(&s->node[n].value, op->arg[0].word); //@ store
	do {
		h = pm_get(&s->head);
		pm_set(&s->node[n].next, h);
#if FIXED
		pm_persist(&s->node[n], sizeof(struct node));
#endif
		pm_persist(&s->head, 8);
	} while (!pm_cas(&s->head, &h, n));
	pm_persist(&s->head, 8);
#if !FIXED
	pm_persist(&s->node[n], sizeof(struct node));
#endif
	pd_linear_return(op, 1);
}
static void pop(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t h, next, me = mine();
	for (;;) {
		h = pm_get(&s->head);
		__atomic_store_n(&hazard[me], h, __ATOMIC_SEQ_CST);
		if (h != pm_get(&s->head))
			continue;
		if (!h) {
			pm_persist(&s->head, 8);
			pd_linear_return(op, PD_NONE);
			return;
		}
		next = pm_get(&s->node[h].next);
		pm_persist(&s->head, 8);
		if (pm_cas(&s->head, &h, next))
			break;
	}
	pm_persist(&s->head, 8);
	pd_linear_return(op, s->node[h].value);
	__atomic_store_n(&hazard[me], 0, __ATOMIC_SEQ_CST);
	lock();
	if (freed < NODES)
		unused[freed++] = h;
	unlock();
}
static const struct pd_linear_entry table[] = {
	{"push", {PD_VALUE}, push, PD_MAY_FAIL}, {"pop", {PD_NO_ARG}, pop, 0}, PD_LINEAR_END};
PD_LINEAR_DRIVER("stack", PD_DURABLE, table, open_it, close_it)

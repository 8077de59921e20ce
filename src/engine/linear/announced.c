/* announced.c - see announced.h. */
#include "engine/linear/announced.h"
#include "finding/text.h"

static bool is_sync(const char *name)
{
	return pd_text_len(name) == 4 && memcmp(name, "sync", 4) == 0;
}

/* The operation as the specification has it. */
static enum pd_announced_fault resolve(const struct pd_linear_spec *spec,
				       const struct pd_announcement *x, struct pd_linear_op *op)
{
	int fn = pd_spec_op(spec, x->name, pd_text_len(x->name));
	bool sync = fn < 0 && is_sync(x->name);
	uint32_t nargs = fn < 0 ? 0 : (uint32_t)spec->ops[fn].nargs;

	if (fn < 0 && !sync)
		return PD_ANNOUNCED_UNKNOWN;
	if (x->nargs != nargs)
		return PD_ANNOUNCED_ARGUMENTS;
	*op = (struct pd_linear_op){.fn = sync ? 0 : (uint16_t)fn,
				    .nargs = (uint8_t)nargs,
				    .flags = sync ? PD_SYNC : 0};
	for (uint32_t i = 0; i < nargs; i++)
		op->arg[i].word = x->args[i];
	return PD_ANNOUNCED_FINE;
}

enum pd_announced_fault pd_announced_begin(struct pd_announced *a, const struct pd_announcement *x,
					   struct pd_announced_op **at)
{
	struct pd_announced_op *s = pd_vec_at(&a->threads, a->arena, x->thread);
	enum pd_announced_fault f;

	if (!s)
		return PD_ANNOUNCED_NO_MEMORY;
	if (s->open)
		return PD_ANNOUNCED_NESTED;
	f = resolve(a->spec, x, &s->op);
	s->open = f == PD_ANNOUNCED_FINE;
	*at = s;
	return f;
}

enum pd_announced_fault pd_announced_end(struct pd_announced *a, uint32_t thread,
					 struct pd_announced_op **at)
{
	if (!pd_announced_open(a, thread))
		return PD_ANNOUNCED_NOT_BEGUN;
	*at = &a->threads.v[thread];
	(*at)->open = false;
	return PD_ANNOUNCED_FINE;
}

const struct pd_announced_op *pd_announced_open(const struct pd_announced *a, uint32_t thread)
{
	return thread < a->threads.n && a->threads.v[thread].open ? &a->threads.v[thread] : NULL;
}

const char *pd_announced_name(const struct pd_announced *a, const struct pd_linear_op *op)
{
	return op->flags & PD_SYNC ? "sync" : a->spec->ops[op->fn].name;
}

/* ---- in words ------------------------------------------------------------------------------- */

static void put_operations(const struct pd_linear_spec *spec, struct pd_out *out)
{
	for (int i = 0; spec->ops[i].name; i++)
		pd_outf(out, "%s%s", i ? ", " : "", spec->ops[i].name);
}

static void put_arguments(const struct pd_announced *a, const struct pd_announcement *x,
			  struct pd_out *out)
{
	int fn = pd_spec_op(a->spec, x->name, pd_text_len(x->name));
	int n = fn < 0 ? 0 : a->spec->ops[fn].nargs;

	pd_outf(out, "'%s' has %d argument%s in the specification '%s', but was announced with %u",
		x->name, n, n == 1 ? "" : "s", a->spec->name, x->nargs);
}

void pd_announced_put_fault(const struct pd_announced *a, enum pd_announced_fault fault,
			    const struct pd_announcement *x, struct pd_out *out)
{
	const struct pd_announced_op *open = pd_announced_open(a, x->thread);

	switch (fault) {
	case PD_ANNOUNCED_FINE:
		break;
	case PD_ANNOUNCED_UNKNOWN:
		pd_outf(out, "the specification '%s' has no operation '%s'; it has ", a->spec->name,
			x->name);
		put_operations(a->spec, out);
		break;
	case PD_ANNOUNCED_ARGUMENTS:
		put_arguments(a, x, out);
		break;
	case PD_ANNOUNCED_NESTED:
		pd_outf(out,
			"thread %u begins '%s' while its '%s' has not ended; call pd_op_end when "
			"an operation returns, on every path",
			x->thread, x->name, open ? pd_announced_name(a, &open->op) : "");
		break;
	case PD_ANNOUNCED_NOT_BEGUN:
		pd_outf(out,
			"thread %u calls pd_op_end without an operation; call pd_op_begin in the "
			"same thread before",
			x->thread);
		break;
	case PD_ANNOUNCED_NO_MEMORY:
		pd_outs(out, "out of memory for the operations that are announced");
		break;
	}
}

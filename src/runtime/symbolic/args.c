/* symbolic/args.c - arguments behind a format; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <stdarg.h>
#include <string.h>

/* va_list of the x86-64 ABI. */
struct list {
	uint32_t gp_offset, fp_offset;
	const char *overflow_arg_area, *reg_save_area;
};

enum { GP_END = 48, FP_END = 176 };

struct pd_sum_args pd_sum_args_from(const struct pd_sym_call *c, uint32_t first)
{
	return (struct pd_sum_args){.c = c, .next = first};
}

struct pd_sum_args pd_sum_args_list(const struct pd_sym_call *c, uint32_t which)
{
	struct list l;

	memcpy(&l, pd_sum_pointer(c, which), sizeof(l));
	return (struct pd_sum_args){.c = c,
				    .is_list = true,
				    .gp = l.gp_offset,
				    .fp = l.fp_offset,
				    .overflow = l.overflow_arg_area,
				    .save = l.reg_save_area};
}

bool pd_sum_args_next(struct pd_sum_args *a, uint32_t width, struct pd_sum_value *out)
{
	const char *at;

	if (!a->is_list) {
		if (a->next >= a->c->n || a->next >= 8)
			return false;
		out->label = a->c->label[a->next] ? pd_sum_arg(a->c, a->next, width) : 0;
		out->value = a->c->arg[a->next++];
	} else {
		if (a->gp < GP_END) {
			at = a->save + a->gp;
			a->gp += 8;
		} else {
			at = a->overflow;
			a->overflow += 8;
		}
		out->label = pd_labels_any(at, width / 8) ? pd_label_load(at, width / 8) : 0;
		memcpy(&out->value, at, 8);
	}
	if (width < 64)
		out->value &= (1ULL << width) - 1;
	return true;
}

bool pd_sum_args_skip(struct pd_sum_args *a, bool is_long)
{
	if (!a->is_list)
		return ++a->next <= a->c->n && a->next <= 8;
	if (is_long)
		a->overflow = (const char *)(((uintptr_t)a->overflow + 15) & ~(uintptr_t)15) + 16;
	else if (a->fp < FP_END)
		a->fp += 16;
	else
		a->overflow += 8;
	return true;
}

/*
 * hook.h - functions of symbolic.def, as the runtime has them. Those that are called through stub.c
 * have another name.
 */
#ifndef PD_RUNTIME_SYMBOLIC_HOOK_H
#define PD_RUNTIME_SYMBOLIC_HOOK_H

#include "runtime/symbolic/symbolic.h"

uint32_t pd_sym_hook_binary(int how, uint32_t la, uint32_t lb, uint64_t va, uint64_t vb);
uint32_t pd_sym_hook_cast(int how, uint32_t l, uint64_t v);
uint32_t pd_sym_hook_load(void *p, int n);
uint32_t pd_sym_hook_load_at(const struct pd_site *s, uint32_t lp, void *p, int n);
void pd_sym_hook_store(void *p, int n, uint32_t l, uint64_t v);
void pd_sym_hook_store_at(const struct pd_site *s, uint32_t lp, void *p, int n, uint32_t l,
			  uint64_t v);
void pd_sym_hook_branch(const struct pd_site *s, uint32_t l, int taken);
void pd_sym_hook_switch(const struct pd_site *s, uint32_t l, uint64_t v,
			const struct pd_sym_switch *t);
void pd_sym_hook_pin(const struct pd_site *s, uint32_t l, int width, uint64_t v, int why);

PD_EXPORT uint32_t __pd_sym_concat(int how, uint32_t lh, uint32_t ll, uint64_t vh, uint64_t vl);
PD_EXPORT uint32_t __pd_sym_ite(int how, uint32_t lc, uint32_t la, uint32_t lb, uint8_t c,
				uint64_t va, uint64_t vb);
PD_EXPORT uint32_t __pd_sym_compute(int how, uint32_t la, uint32_t lb, uint32_t lc, uint64_t va,
				    uint64_t vb, uint64_t vc);
PD_EXPORT void __pd_sym_copy(void *to, void *from, uint64_t n);
PD_EXPORT void __pd_sym_fill(void *p, uint32_t l, int byte, uint64_t n);
PD_EXPORT void __pd_sym_pin_range(const struct pd_site *s, void *p, uint64_t n, int why);
PD_EXPORT void __pd_sym_untaken(const struct pd_site *s, const void *callee);
PD_EXPORT void __pd_sym_strayed(const struct pd_site *s, const void *by);
PD_EXPORT void __pd_sym_show(const struct pd_site *s, const void *callee, const char *name,
			     const void *p, uint64_t size);
PD_EXPORT void __pd_sym_va_start(void *list);
PD_EXPORT void __pd_sym_begin(void);

/* Of what is stored: as wide as its n bytes, or 0. */
pd_expr pd_sym_stored(uint32_t l, int n, uint64_t v);

/* What an intrinsic computes (enum pd_sym_compute): compute.c */
pd_expr pd_compute(struct pd_exprs *x, enum pd_sym_compute what, pd_expr a, pd_expr b, pd_expr c);

#endif

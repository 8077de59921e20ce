/* check/hold.c - see check/hold.h. */
#include "drive/check/hold.h"
#include <string.h>

/* ---- putting -------------------------------------------------------------------------------- */

static json_t *place(const struct pd_meet_place *p)
{
	json_t *callers = json_array();

	for (uint32_t i = 0; i < p->ncaller; i++)
		json_array_append_new(callers, json_integer((json_int_t)p->caller[i]));
	return json_pack("{s:I, s:o}", "site", (json_int_t)p->site, "callers", callers);
}

bool pd_hold_put(const struct pd_meet_asked *a, json_t *settings)
{
	json_t *loads, *store, *o;

	if (!a->store.site)
		return true;
	store = place(&a->store);
	loads = json_array();
	for (uint32_t i = 0; i < a->nload; i++)
		json_array_append_new(loads, place(&a->load[i]));
	o = json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:I}", "store", store, "loads", loads,
		      "early", a->early, "rarely", a->rarely, "scout", a->scout, "acted", a->acted,
		      "instance", (json_int_t)a->instance);
	return o && json_object_set_new(settings, "hold", o) == 0;
}

/* ---- taking --------------------------------------------------------------------------------- */

static bool take_place(struct pd_meet_place *p, const json_t *j)
{
	const json_t *site = json_object_get(j, "site"), *callers = json_object_get(j, "callers");

	*p = (struct pd_meet_place){.site = (uint32_t)json_integer_value(site),
				    .ncaller = (uint32_t)json_array_size(callers)};
	if (!p->site || p->ncaller > PD_MEET_CALLERS)
		return false;
	for (uint32_t i = 0; i < p->ncaller; i++)
		p->caller[i] = (uint64_t)json_integer_value(json_array_get(callers, i));
	return true;
}

bool pd_hold_take(struct pd_meet_asked *a, const json_t *settings)
{
	const json_t *o = json_object_get(settings, "hold"), *loads = json_object_get(o, "loads");

	memset(a, 0, sizeof(*a));
	if (!o)
		return true;
	a->nload = (uint32_t)json_array_size(loads);
	if (a->nload > PD_MEET_LOADS || !take_place(&a->store, json_object_get(o, "store")))
		return false;
	for (uint32_t i = 0; i < a->nload; i++)
		if (!take_place(&a->load[i], json_array_get(loads, i)))
			return false;
	a->early = json_is_true(json_object_get(o, "early"));
	a->rarely = json_is_true(json_object_get(o, "rarely"));
	a->scout = json_is_true(json_object_get(o, "scout"));
	a->acted = json_is_true(json_object_get(o, "acted"));
	a->instance = (uint32_t)json_integer_value(json_object_get(o, "instance"));
	return true;
}

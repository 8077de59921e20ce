/* params.c - see params.h. */
#include "model/params.h"

const struct pd_params *pd_params_find(const char *name, size_t n)
{
#define PARAMS(ID, name) PD_PARAMS_##ID,
	static const struct pd_params all[] = {PD_MODELS(PARAMS)};

	for (size_t i = 0; i < PD_LEN(all); i++) {
		size_t k = 0;

		while (k < n && all[i].name[k] && all[i].name[k] == name[k])
			k++;
		if (k == n && !all[i].name[k])
			return &all[i];
	}
	return NULL;
}

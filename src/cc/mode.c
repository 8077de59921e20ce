/*
 * mode.c - see mode.h. The list of modes is the list of folders that have a mode.c, which the
 * makefile passes as PD_MODES: PD_MODE(crash) and so on.
 */
#include "cc/mode.h"
#include "base/bug.h"
#include <string.h>

#define PD_MODE(name) extern const struct pd_mode pd_mode_##name;
PD_MODES
#undef PD_MODE

const struct pd_mode *const *pd_modes(void)
{
	static const struct pd_mode *const modes[] = {
#define PD_MODE(name) &pd_mode_##name,
		PD_MODES
#undef PD_MODE
			NULL,
	};

	return modes;
}

const struct pd_mode *pd_mode_of_option(const char *argument)
{
	for (const struct pd_mode *const *m = pd_modes(); *m; m++)
		if ((*m)->option && strcmp((*m)->option, argument) == 0)
			return *m;
	return NULL;
}

const struct pd_mode *pd_mode_default(void)
{
	for (const struct pd_mode *const *m = pd_modes(); *m; m++)
		if (!(*m)->option)
			return *m;
	PD_BUG("no mode is the default");
}

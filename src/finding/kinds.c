/* kinds.c - the tables that kinds.def makes. */
#include "finding/finding.h"
#include "finding/text.h"

const struct pd_kind_info pd_kind_info[PD_KIND_N] = {
#define PD_KIND(ID, name, severity, doc) [PD_KIND_##ID] = {name, PD_SEVERITY_##severity, doc},
#include "finding/kinds.def"
};

const struct pd_role_info pd_role_info[PD_ROLE_N] = {
#define PD_ROLE(ID, name, identifies, doc) [PD_ROLE_##ID] = {name, identifies, doc},
#include "finding/kinds.def"
};

const struct pd_cause_info pd_cause_info[PD_CAUSE_N] = {
#define PD_CAUSE(ID, name, doc) [PD_CAUSE_##ID] = {name, doc},
#include "finding/kinds.def"
};

const char *pd_severity_name(enum pd_severity s)
{
	static const char *const names[PD_SEVERITY_N] = {
		[PD_SEVERITY_CORRECTNESS] = "correctness",
		[PD_SEVERITY_PERFORMANCE] = "performance",
		[PD_SEVERITY_PORTABILITY] = "portability",
		[PD_SEVERITY_NOTE] = "note",
	};

	return s < PD_SEVERITY_N ? names[s] : "unknown";
}

enum pd_kind pd_kind_find(const char *name)
{
	unsigned i = 0;

	while (i < PD_KIND_N && pd_text_cmp(pd_kind_info[i].name, name) != 0)
		i++;
	return (enum pd_kind)i;
}

const char *pd_kind_own_name(enum pd_kind kind, const char *engine)
{
	const char *name = pd_kind_info[kind].name;
	size_t n = pd_text_len(engine);

	return n && pd_text_starts(name, engine) && name[n] == '/' ? name + n + 1 : NULL;
}

enum pd_role pd_role_find(const char *name)
{
	unsigned i = 0;

	while (i < PD_ROLE_N && pd_text_cmp(pd_role_info[i].name, name) != 0)
		i++;
	return (enum pd_role)i;
}

enum pd_cause pd_cause_find(const char *name)
{
	unsigned i = 0;

	while (i < PD_CAUSE_N && pd_text_cmp(pd_cause_info[i].name, name) != 0)
		i++;
	return (enum pd_cause)i;
}

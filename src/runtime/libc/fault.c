/* libc/fault.c - see fault.h. */
#include "runtime/libc/fault.h"
#include "runtime/libc/wrap.h"
#include "runtime/symbolic/symbolic.h"
#include <errno.h>

struct pd_faults pd_faults;

static const int errors[PD_FAULTS] = {
#define PD_FAULT(ID, name, error) [PD_FAULT_##ID] = error,
#include "event/fault.def"
};

enum pd_fault pd_fault_ask(enum pd_faulty f, uint32_t how)
{
	enum pd_fault is = pd_faults.decide(f, pd_faulty_how(f) & how, __pd_call_site);

	if (!errors[is])
		return is;
	__pd_call_site = NULL;
	errno = errors[is];
	if (pd_symbolic.on)
		pd_labels_clear(&errno, sizeof(errno));
	return is;
}

int pd_fault_error(enum pd_faulty f)
{
	int was = errno, err = 0;

	if (pd_fault_call(f)) {
		err = errno;
		errno = was;
	}
	return err;
}

bool pd_fault_cut(enum pd_faulty f, size_t *n)
{
	enum pd_fault is = pd_fault_ask(f, *n > 1 ? ~0u : ~PD_FAULT_BIT(SHORT));

	if (is == PD_FAULT_SHORT)
		*n /= 2;
	return errors[is];
}

/* event.c - the tables that event.def makes. */
#include "event/event.h"

const struct pd_event_info pd_event_info[PD_EV_N] = {
#define PD_EVENT(ID, name, fields, doc) [PD_EV_##ID] = {name, fields, doc},
#include "event/event.def"
};

const char *pd_loss_name(enum pd_loss loss)
{
	static const char *const names[PD_LOSS_N] = {
		[PD_LOSS_ASM] = "inline-asm",	    [PD_LOSS_INTRINSIC] = "intrinsic",
		[PD_LOSS_NAKED] = "naked-function", [PD_LOSS_ASM_FILE] = "assembly-source",
		[PD_LOSS_BLIND] = "blind-store",    [PD_LOSS_SYSCALL] = "system-call",
		[PD_LOSS_CAPPED] = "limit",	    [PD_LOSS_THREAD] = "thread",
		[PD_LOSS_READ] = "blind-read",	    [PD_LOSS_FAULT] = "fault",
		[PD_LOSS_CHILD] = "child",	    [PD_LOSS_FLUSH] = "blind-flush",
		[PD_LOSS_CALL] = "unmodelled-call",
	};

	return loss < PD_LOSS_N ? names[loss] : "unknown";
}

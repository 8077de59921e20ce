/*
 * order.h - which instructions of one thread keep their order (Px86; Jaaru, Table 1; rule P5).
 *
 * The table is used as it stands: by the store buffer, to find out when nothing before a clflushopt
 * delays it any more (buffer.c), and by tests, which print it into the docs.
 */
#ifndef PD_MODEL_ORDER_H
#define PD_MODEL_ORDER_H

#include "base/types.h"

enum pd_op {
	PD_OP_READ,
	PD_OP_WRITE,
	PD_OP_RMW,
	PD_OP_MFENCE,
	PD_OP_SFENCE,
	PD_OP_FLUSHOPT, /* clflushopt and clwb: the same to this model */
	PD_OP_FLUSH,	/* clflush */
	PD_OPS
};

enum pd_kept {
	PD_KEPT_NO, /* the later one may take effect first */
	PD_KEPT_YES,
	PD_KEPT_LINE, /* kept where both are on one cache line */
};

#define N PD_KEPT_NO
#define Y PD_KEPT_YES
#define L PD_KEPT_LINE
/* clang-format off */
static const uint8_t pd_order_table[PD_OPS][PD_OPS] = {
	/* earlier \ later      read write rmw mfence sfence flushopt flush */
	[PD_OP_READ]     = {    Y,   Y,    Y,  Y,     Y,     Y,       Y },
	[PD_OP_WRITE]    = {    N,   Y,    Y,  Y,     Y,     L,       Y },
	[PD_OP_RMW]      = {    Y,   Y,    Y,  Y,     Y,     Y,       Y },
	[PD_OP_MFENCE]   = {    Y,   Y,    Y,  Y,     Y,     Y,       Y },
	[PD_OP_SFENCE]   = {    N,   Y,    Y,  Y,     Y,     Y,       Y },
	[PD_OP_FLUSHOPT] = {    N,   N,    Y,  Y,     Y,     N,       L },
	[PD_OP_FLUSH]    = {    N,   Y,    Y,  Y,     Y,     L,       Y },
};
/* clang-format on */
#undef N
#undef Y
#undef L

static inline bool pd_order_kept(enum pd_op earlier, enum pd_op later, bool same_line)
{
	uint8_t k = pd_order_table[earlier][later];

	return k == PD_KEPT_YES || (k == PD_KEPT_LINE && same_line);
}

#endif

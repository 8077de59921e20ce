/*
 * layout.h - the address space of a tested process: what is at which fixed address.
 *
 * Addresses below 2^47 are divided into eight parts of 16 TB. What the tool's processes share, and
 * what a hook must find without a lookup, is at addresses that are known when the program is
 * compiled:
 *
 *	part  what is there
 *	0     the program, if it was linked to a fixed address
 *	1     PM: pools first, then reservations of addresses that programs make (pm/pool.h)
 *	2     files that are not PM but must be kept as well (pm/pool_side.c)
 *	3     the shadow: a second copy of PM, byte by byte (pm/shadow.h)
 *	4     the runtime's own memory (base/own.c)
 *	5     the board (protocol/board.h); above it the program's image and heap, where the kernel
 *	      puts them
 *	6     for symbolic execution: flags, a bit per address: the byte has a label
 *	      (event/symbolic.h). Mapped if the program was compiled for it
 *	7     the program's libraries, mappings and stacks
 *
 * Each `_END` is the first address behind. The checks below keep parts from overlapping: add one
 * for each new part.
 */
#ifndef PD_EVENT_LAYOUT_H
#define PD_EVENT_LAYOUT_H

#define PD_LAYOUT_SHIFT		  44 /* of a part */

#define PD_LAYOUT_PM		  (1ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_PM_RESERVATIONS (PD_LAYOUT_PM + (14ULL << 40))
#define PD_LAYOUT_PM_END	  (2ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_SIDE		  (2ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_SIDE_END	  (3ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_SHADOW	  (3ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_SHADOW_END	  (4ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_OWN		  (4ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_OWN_END	  (5ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_BOARD		  (5ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_BOARD_END	  0x550000000000ULL
#define PD_LAYOUT_IMAGE		  0x550000000000ULL /* of the program, and its heap */
#define PD_LAYOUT_IMAGE_END	  (6ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_LABELS	  (6ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_LABELS_END	  (7ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_PROGRAM	  (7ULL << PD_LAYOUT_SHIFT)
#define PD_LAYOUT_END		  (8ULL << PD_LAYOUT_SHIFT)

#define PD_LAYOUT_CHECK(a, b)	  _Static_assert((a) <= (b), #a " is beyond " #b)

PD_LAYOUT_CHECK(PD_LAYOUT_PM_RESERVATIONS, PD_LAYOUT_PM_END);
PD_LAYOUT_CHECK(PD_LAYOUT_PM_END, PD_LAYOUT_SIDE);
PD_LAYOUT_CHECK(PD_LAYOUT_SIDE_END, PD_LAYOUT_SHADOW);
PD_LAYOUT_CHECK(PD_LAYOUT_SHADOW_END, PD_LAYOUT_OWN);
PD_LAYOUT_CHECK(PD_LAYOUT_OWN_END, PD_LAYOUT_BOARD);
PD_LAYOUT_CHECK(PD_LAYOUT_BOARD_END, PD_LAYOUT_IMAGE);
PD_LAYOUT_CHECK(PD_LAYOUT_IMAGE_END, PD_LAYOUT_LABELS);
PD_LAYOUT_CHECK(PD_LAYOUT_LABELS_END, PD_LAYOUT_PROGRAM);
PD_LAYOUT_CHECK(PD_LAYOUT_PROGRAM, PD_LAYOUT_END);
/* The shadow has a byte for each of PM */
PD_LAYOUT_CHECK(PD_LAYOUT_PM_END - PD_LAYOUT_PM, PD_LAYOUT_SHADOW_END - PD_LAYOUT_SHADOW);
/* A flag for each address */
PD_LAYOUT_CHECK(PD_LAYOUT_LABELS + PD_LAYOUT_END / 8, PD_LAYOUT_LABELS_END);

#endif

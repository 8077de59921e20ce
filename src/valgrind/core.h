/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core.h - functions of Valgrind's core that are missing in its headers for tools. They are in the
 * library that every tool is linked with; declared here as in version 3.19. */
#ifndef PD_VALGRIND_CORE_H
#define PD_VALGRIND_CORE_H

#include "pub_tool_basics.h"

SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);
SysRes VG_(am_mmap_anon_float_valgrind)(SizeT length);
SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
		       RegWord);
/* Moves a descriptor out of the program's reach, and closes it on exec. */
Int VG_(safe_fd)(Int fd);
/* The first such number. */
extern Int VG_(fd_hard_limit);
Int VG_(fcntl)(Int fd, Int cmd, Addr arg);
/* Call it only in system calls, never while translated code runs. */
void VG_(discard_translations)(Addr start, ULong range, const HChar *who);
void VG_(set_IP)(ThreadId tid, Addr ip);

/* Constants of the kernel that are missing in Valgrind's headers. */
#define VG_O_CREAT	   0100
#define VG_O_EXCL	   0200
#define VG_O_DIRECT	   040000
#define VG_O_DIRECTORY	   0200000
#define VG_O_NOFOLLOW	   0400000
#define VG_O_CLOEXEC	   02000000
#define VG_O_PATH	   010000000
#define VG_O_TMPFILE	   020200000
#define VG_AT_CWD	   (-100)
#define VG_MAP_FIXED_EMPTY 0x100000 /* MAP_FIXED_NOREPLACE */

static inline SysRes vg_sys(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f)
{
	return VG_(do_syscall)(number, a, b, c, d, e, f, 0, 0);
}

#endif

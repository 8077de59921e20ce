/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - the tool as Valgrind knows it. */
#include "vg.h"
#include "pub_tool_basics.h"

static Bool option(const HChar *arg)
{
	return vg_session_option(arg);
}

static void usage(void)
{
	VG_(printf)("    (this tool is started by 'perdure')\n");
}

static void start(void)
{
	vg_session_start();
	vg_thread_init();
	vg_session_hooks();
}

/* Called at the end in every case; an orderly exit was already seen in its system call. */
static void finish(Int status)
{
	(void)status;
	vg_session_end(False);
}

static void describe(void)
{
	VG_(details_name)("perdure");
	VG_(details_version)(PD_VERSION);
	VG_(details_description)("what a program does to persistent memory");
	VG_(details_copyright_author)("Copyright (C) 2026, the perdure authors; GPL-2.0-or-later");
	VG_(details_bug_reports_to)("the perdure authors");
	VG_(details_avg_translation_sizeB)(400);
	VG_(basic_tool_funcs)(start, vg_instrument, finish);
	VG_(needs_command_line_options)(option, usage, usage);
	VG_(needs_client_requests)(vg_request);
	VG_(needs_syscall_wrapper)(vg_syscall_before, vg_syscall_after);
	vg_thread_register();
	VG_(track_pre_mem_read)(vg_on_sys_read);
	VG_(track_post_mem_write)(vg_on_sys_write);
	VG_(track_new_mem_mmap)(vg_place_mapped);
	VG_(track_die_mem_munmap)(vg_place_unmapped);
}

VG_DETERMINE_INTERFACE_VERSION(describe)

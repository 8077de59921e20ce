/*
 * probe.h - flushes and fences in code that was not instrumented.
 *
 * A helper in a library, an object file or assembly can flush what instrumented code has stored. If
 * nobody saw that, check would lose stores that are durable, and call the failure confirmed. So the
 * bytes of all loaded code but the system's and our own are searched for the five instructions that
 * persist (event/x86.h), and each of them is replaced by an invalid instruction in this process's
 * copy of the code. When it is executed, the kernel sends SIGILL; the handler does what a hook
 * would do for instrumented code, and goes on behind it.
 *
 * The bytes of a flush also occur inside other instructions. So code is read instruction by
 * instruction, from the beginning of the function that the bytes are in, as the unwind table of
 * its library (.eh_frame_hdr) has it: functions in assembly without unwind information are read
 * from the function before them. Libraries that are loaded later are searched when the loader
 * announces them to debuggers (_r_debug.r_brk), by a probe there.
 *
 * Precision lost: locked instructions of such code are not seen as fences. Code that is generated
 * at run time, and flushes through a segment register, are not seen; the latter are counted.
 *
 * Thread rule: as in rt.h. The handler runs on the stack of the thread, which may be switched away
 * from meanwhile.
 */
#ifndef PD_RUNTIME_ACCESS_PROBE_H
#define PD_RUNTIME_ACCESS_PROBE_H

/* Searches what is loaded. Driven mode, before main, once. */
void pd_probe_start(void);

#endif

/*
 * early.c - labels have their place in memory before any library starts.
 *
 * libstdc++ of GCC 13 and later sets std::cin up in its own constructor, which may come before that
 * of the runtime, and takes the program's instrumented streams for it (streams.cc). Linked into
 * executables only: libraries must not have this section.
 */
extern void __pd_sym_begin(void);
extern void (*const __pd_sym_early)(void);

__attribute__((section(".preinit_array"),
	       used)) void (*const __pd_sym_early)(void) = __pd_sym_begin;

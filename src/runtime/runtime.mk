# The runtime: a shared library inside every tested program. What is interposed for libc must be found
# before libc's own, so it is linked before libc and never as an archive.

RT_SRC   := $(sort $(wildcard src/runtime/*/*.c))
RT_OBJ   := $(RT_SRC:src/%.c=$B/rt/%.o)
RT_LIB   := $B/lib/perdure/libperdure_rt.so
# -fexceptions: cancellation and C++ exceptions unwind through our frames, with cleanups in them.
# Frame pointers: place.c walks up through our own frames.
RT_FLAGS := -fPIC -fno-omit-frame-pointer -fvisibility=hidden -D_GNU_SOURCE -fexceptions -mcx16

$B/rt/%.o: src/%.c src/runtime/runtime.mk | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RT_FLAGS) -MMD -MP -c -o $@ $<

# The core's code has a section to itself: it never follows a pointer of the program's, so a fault in
# it is perdure's own (session/death.c).
RT_CORE := $B/rt/core.o
$(RT_CORE): $(CORE_PIC)
	$(LD) -r -o $@ $^
	objcopy --rename-section .text=pd_core $@

$(RT_LIB): $(RT_OBJ) $(RT_CORE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,-z,now -o $@ $^

TOOLS += $(RT_LIB)

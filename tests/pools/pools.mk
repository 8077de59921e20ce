# Tests of pools, files and libc wrappers, with a stand-in for the session (session_stub.c). The parts under
# test are the runtime's own objects: as a library of their own that programs are linked with, and, for
# tests of what is inside, linked into the program.

POOLS      := $B/tests/pools
POOLS_RT   := $(filter $B/rt/runtime/pm/pool%.o $B/rt/runtime/file/%.o $B/rt/runtime/base/%.o \
                $(filter-out %/exec.o %/sort.o,$(filter $B/rt/runtime/libc/%.o,$(RT_OBJ))),$(RT_SRC:src/%.c=$B/rt/%.o))
POOLS_CORE := $(addprefix $B/pic/,base/arena.o base/glob.o base/out.o event/event.o event/fault.o)
POOLS_LIB  := $(POOLS)/libpools_test.so

$(POOLS)/session_stub.o: tests/pools/session_stub.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RT_FLAGS) -MMD -MP -c -o $@ $<

$(POOLS_LIB): tests/pools/pools.mk $(POOLS_RT) $(POOLS_CORE) $(POOLS)/session_stub.o
	$(CC) $(CFLAGS) -shared -o $@ $(filter %.o,$^)

# The same source twice: against libc alone, and with the library before it.
POOLS_BOTH := ops fuzz world errors
$(POOLS_BOTH:%=$(POOLS)/%.native): $(POOLS)/%.native: tests/pools/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Wno-unused-result -Wno-missing-prototypes -D_GNU_SOURCE -MMD -MP -o $@ $<

$(POOLS_BOTH:%=$(POOLS)/%): $(POOLS)/%: tests/pools/%.c $(POOLS_LIB)
	$(CC) $(CFLAGS) -Wno-unused-result -Wno-missing-prototypes -D_GNU_SOURCE -MMD -MP -o $@ $< \
		-L$(POOLS) -Wl,-rpath,'$$ORIGIN' -lpools_test

# -fno-builtin: libc's functions must really be called.
$(POOLS)/wraps: tests/pools/wraps.c $(POOLS_LIB)
	$(CC) $(CPPFLAGS) -std=c11 -g -O1 -w -fno-builtin -U_FORTIFY_SOURCE -D_GNU_SOURCE -Itests -Itests/pools \
		-MMD -MP -o $@ $< -L$(POOLS) -Wl,-rpath,'$$ORIGIN' -lpools_test -lm

$(POOLS)/table $(POOLS)/events: $(POOLS)/%: tests/pools/%.c $(POOLS_RT) $(POOLS_CORE) $(POOLS)/session_stub.o
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-unused-result -D_GNU_SOURCE -Itests -MMD -MP -o $@ $(filter %.c %.o,$^)

# Not linked with the library: it is preloaded, as for any unmodified program.
$(POOLS)/pmdk: tests/pools/pmdk.c $(POOLS_LIB)
	$(CC) $(CFLAGS) -Wno-unused-result -D_GNU_SOURCE -MMD -MP -o $@ $< -lpmemobj -lpmem2 -lpmem

$B/bench/pool_fork: bench/pool_fork.c $(POOLS_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -o $@ $< -L$(POOLS) -Wl,-rpath,'$$ORIGIN/../tests/pools' \
		-lpools_test

POOLS_ALL := $(POOLS_BOTH:%=$(POOLS)/%) $(POOLS_BOTH:%=$(POOLS)/%.native) $(POOLS)/wraps \
             $(POOLS)/table $(POOLS)/events $(POOLS)/pmdk $B/bench/pool_fork
TEST_TOOLS += $(POOLS_ALL)

.PHONY: check-pools bench-pools
check-pools: $(POOLS_ALL)
	prove -j2 --exec '' $(sort $(wildcard tests/pools/*.t))

bench-pools: $B/bench/pool_fork
	@echo '== snapshots of a 1 GB pool'
	@$<

bench: bench-pools

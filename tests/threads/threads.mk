# Programs of the thread tests. They are linked with a library that has the runtime's thread parts and, in
# place of the session, a harness that is told by the environment how to run them.

THR      := $B/tests/threads
THR_SRC  := $(sort $(wildcard src/runtime/thread/*.c src/runtime/sync/*.c)) \
              $(addprefix src/runtime/base/,listen.c outside.c own.c quiet.c rt.c)
THR_PIC  := $(THR_SRC:src/%.c=$B/rt/%.o) $(patsubst src/%.c,$B/pic/%.o,$(sort $(wildcard src/base/*.c)) \
              src/event/event.c src/event/wait.c)
THR_LIB  := $(THR)/libthreads.so
THR_C    := $(patsubst tests/%.c,$B/tests/%,$(filter-out %/harness.c,$(wildcard tests/threads/*.c)))
THR_CXX  := $(patsubst tests/%.cc,$B/tests/%,$(wildcard tests/threads/*.cc))
CXX      ?= c++

$(THR_LIB): tests/threads/harness.c tests/threads/threads.mk tests/threads/check.h $(THR_PIC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RT_FLAGS) -Itests/threads -MMD -MP -shared -o $@ $< $(THR_PIC)

$(THR_C): $B/tests/%: tests/%.c tests/threads/check.h $(THR_LIB)
	@mkdir -p $(@D)
	$(CC) -std=c11 -g -O1 -Wall -Wextra -D_GNU_SOURCE -Itests/threads -o $@ $< \
		-L$(THR) -lthreads -lm -Wl,-rpath,'$$ORIGIN'

$(THR_CXX): $B/tests/%: tests/%.cc tests/threads/check.h $(THR_LIB)
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -g -O1 -Wall -Wextra -D_GNU_SOURCE -Itests/threads -o $@ $< \
		-L$(THR) -lthreads -lm -Wl,-rpath,'$$ORIGIN'

TEST_TOOLS += $(THR_C) $(THR_CXX)

.PHONY: check-threads
check-threads: $(THR_C) $(THR_CXX)
	prove -j2 --exec '' $(wildcard tests/threads/*.t)

# ---- what threads cost ---------------------------------------------------------------------------

$B/bench/thread_switch: bench/thread_switch.c tests/threads/harness.c $(THR_PIC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RT_FLAGS) -Itests/threads -o $@ $^

.PHONY: bench-threads
bench-threads: $B/bench/thread_switch
	@echo '== threads'
	@PD_TEST_MODE=driven $<

bench: bench-threads

# Summaries of libc's functions, with the engine in one process: labels of memory are the test's own.

SUMMARY_SRC := $(addprefix src/runtime/symbolic/,summary.c args.c mem.c str.c strcopy.c ctype.c num.c scan.c print.c \
	stream.c alloc.c)

$B/tests/explore/summary_test: tests/explore/summary_test.c $(SUMMARY_SRC) $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Itests -MMD -MP -MF $@.d -o $@ tests/explore/summary_test.c $(SUMMARY_SRC) \
		$B/host/host/host.o $B/core.a -lcmocka

UNIT += $B/tests/explore/summary_test

.PHONY: check-summaries
check-summaries: $B/tests/explore/summary_test
	RUNS=20000 SEED=1000000 $B/tests/explore/summary_test
check-all: check-summaries

# Programs at random, run on all inputs; `make check` has a sample of them.
.PHONY: check-twin
check-twin: all
	TWIN_FIRST=1001 TWIN_COUNT=3000 prove --exec '' tests/explore/twin.t
check-all: check-twin

# The naive model and what runs it: a fuzzer against the real one, and a second judge on litmus files.

SECONDS_ ?= 600
SEED     ?= 1
JOBS_    ?= 2

REF_OBJ := $(patsubst %,$B/tests/ref/%.o,ref gen compare shrink)

$B/tests/ref/%.o: tests/ref/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -D_GNU_SOURCE -MMD -MP -c -o $@ $<

$B/tests/ref/fuzz $B/tests/ref/reflit: $B/tests/ref/%: $B/tests/ref/%.o $(REF_OBJ) \
		$B/host/host/host.o $B/core.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The twin of src/engine/lockset, for its unit tests.
$B/tests/unit/lockset_twin_test: $B/tests/ref/lockset.o
$B/tests/unit/lockset_twin_test: HOST_LIBS += $B/tests/ref/lockset.o

TEST_TOOLS += $B/tests/ref/fuzz $B/tests/ref/reflit

.PHONY: fuzz
fuzz: $B/tests/ref/fuzz
	$B/tests/ref/fuzz --seconds $(SECONDS_) --seed $(SEED) --jobs $(JOBS_)

# The twin of src/engine/linear, likewise; check-linear compares the two at length.
$B/tests/unit/linear_twin_test: $B/tests/ref/linear.o
$B/tests/unit/linear_twin_test: HOST_LIBS += $B/tests/ref/linear.o

.PHONY: check-linear
check-linear: $B/tests/unit/linear_twin_test
	RUNS=100000 SEED=1000000 $B/tests/unit/linear_twin_test
check-all: check-linear

# The twin of the expressions of src/engine/explore, likewise.
$B/tests/unit/expr_twin_test $B/tests/unit/ask_test: $B/tests/ref/expr.o
$B/tests/unit/expr_twin_test $B/tests/unit/ask_test: HOST_LIBS += $B/tests/ref/expr.o

.PHONY: check-explore-core
check-explore-core: $B/tests/unit/expr_twin_test $B/tests/unit/ask_test $B/tests/unit/path_test
	RUNS=100000 SEED=1000000 $B/tests/unit/expr_twin_test
	RUNS=60000 SEED=1000000 $B/tests/unit/ask_test
	RUNS=100000 SEED=1000000 $B/tests/unit/path_test
check-all: check-explore-core

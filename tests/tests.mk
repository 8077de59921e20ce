# Tests. Everything that `prove` runs prints TAP: unit tests through cmocka, the rest as *.t scripts.

export PERDURE := $(abspath $B/perdure)
export PERDURE_BUILD := $(abspath $B)
# Each result that a test makes is looked at twice (src/drive/audit.h).
export PERDURE_AUDIT := 1

UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT     := $(UNIT_SRC:tests/%.c=$B/tests/%)
# Those that take longest come first, so that none of them is left over at the end.
LONGEST  := tests/valgrind/both.t tests/bugs/bugs.t
# Of these, which take long as well, each commit runs one third, by turns; make check-thorough runs all.
THIRD_0  := tests/check/forced.t tests/check/drawn.t tests/linear/tests.t tests/threads/snapshots.t \
	tests/linear/announce.t
THIRD_1  := tests/cc/loops.t tests/lint/pmdk.t tests/linear/grow.t tests/linear/shorten.t \
	tests/threads/primitives.t tests/check/cut.t
THIRD_2  := tests/valgrind/odd.t tests/guide/recipes.t tests/check/jobs.t tests/bugs/structures.t tests/cc/insn.t tests/torn/torn.t
THIRDS   := $(THIRD_0) $(THIRD_1) $(THIRD_2)
NOW      := $(THIRD_$(shell expr $$(git rev-list --count HEAD 2>/dev/null || echo 0) % 3))
SCRIPTS  := $(LONGEST) $(NOW) $(filter-out $(LONGEST) $(THIRDS),$(sort $(wildcard tests/*/*.t)))
# Test helpers that scripts run.
TEST_TOOLS :=

# A unit test may use every object of the tool but the one with main().
$B/host.a: $(filter-out $B/host/cli/main.o,$(HOST_OBJ))
	@rm -f $@
	$(AR) rcs $@ $^

UNIT_LIBS := $B/host.a $B/core.a
# They need each other.
LINK_UNIT := -Wl,--start-group $(UNIT_LIBS) -Wl,--end-group

$B/tests/unit/%_test: tests/unit/%_test.c tests/unit/unit.h $(UNIT_LIBS) | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Itests -MMD -MP -o $@ $< $(LINK_UNIT) -lcmocka $(HOST_LIBS)

include $(sort $(wildcard tests/*/*.mk))

# What tests need, for running some of them by hand.
.PHONY: test-tools
test-tools: all $(UNIT) $(TEST_TOOLS)

check: test-tools
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j3 --timer --exec '' $(SCRIPTS) $(UNIT)

MUTANTS := tests/mutants/mutants.pl

# What `.ci/run` does after `make check`: some of the mutants (others with each commit), and the unit tests once more under
# the sanitizers.
SANITIZED := $(UNIT_SRC:tests/%.c=build/sanitize/tests/%)
.PHONY: check-sample
check-sample: test-tools
	$(MAKE) $(SANITIZE) sanitized-tests
	MUTANTS_SAMPLE=$${MUTANTS_SAMPLE:-5} MUTANTS_SEED=$${MUTANTS_SEED:-$$(git rev-list --count HEAD)} \
		CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 --exec '' $(MUTANTS) $(SANITIZED)

# Everything that takes minutes: each broken rule is noticed, the sanitizers see nothing, a long fuzz.
.PHONY: check-mutants check-sanitize
check-mutants: all
	prove --exec '' $(MUTANTS)

# What runs in processes of our own; the runtime lives in other people's.
SANITIZE := B=build/sanitize OPT='-O1 -fsanitize=address,undefined -fno-sanitize-recover' \
	LDFLAGS='-fsanitize=address,undefined'
check-sanitize:
	$(MAKE) $(SANITIZE) build/sanitize/perdure sanitized-tests
	PERDURE=$(abspath build/sanitize/perdure) prove --exec '' tests/litmus/litmus.t tests/litmus/bad-input.t
	build/sanitize/tests/ref/fuzz --seconds 30 --seed 1
	CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(SANITIZED)

.PHONY: sanitized-tests
sanitized-tests: $(UNIT) $B/tests/ref/fuzz

# The page of `perdure report --html`, in a browser: a goal of its own, since nothing else needs one.
.PHONY: check-page
check-page: all
	tools/deps chromium fonts-dejavu-core
	prove --exec '' tests/page/page.pl

# Thousands of programs with known bugs; `make check` has a sample of them.
.PHONY: check-truth
check-truth: all
	TRUTH_FIRST=1000 TRUTH_COUNT=3000 prove --exec '' tests/truth/truth.t
	IMAGES_FIRST=10000 IMAGES_COUNT=3000 prove --exec '' tests/truth/images.t

# What of the corpus `make check` leaves out.
.PHONY: check-thorough
check-thorough: test-tools
	PERDURE_THOROUGH=1 prove -j2 --exec '' $(LONGEST) tests/check/tso.t tests/fix/bugs.t $(THIRDS) tests/deb/package

# Races are found, and fixed ones are none, whatever the seed.
.PHONY: check-seeds
check-seeds: test-tools
	tests/bugs/run --seeds 10

check-all: check check-thorough check-seeds check-mutants check-sanitize check-truth

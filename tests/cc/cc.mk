# The compiler with a runtime that writes down what it is told (trace_rt.c), as a lib/perdure of its own:
# perdure-cc takes what lies beside it.

CC_TEST := $B/tests/cc/lib/perdure

$(CC_TEST)/perdure-cc $(CC_TEST)/crash.bc $(CC_TEST)/symbolic.bc $(CC_TEST)/symbolic-streams.a $(CC_TEST)/symbolic-output.a: $(CC_TEST)/%: $(LIBDIR)/%
	@mkdir -p $(@D)
	ln -f $< $@

$(CC_TEST)/libperdure_rt.so: tests/cc/trace_rt.c src/event/view.c src/cc/crash/wrap.def src/cc/symbolic/summary.def src/event/abi.h \
		src/event/symbolic.h src/event/view.h | $(DEPS)
	@mkdir -p $(@D)
	$(CLANG) -std=gnu11 -O1 -g -mcx16 -Wall -Wextra -fPIC -shared -Isrc -o $@ $< src/event/view.c -latomic

$B/tests/cc/perdure-cc $B/tests/cc/perdure-c++: | $(CC_TEST)/perdure-cc
	ln -sf lib/perdure/perdure-cc $@

$B/tests/cc/perdure: $B/perdure
	@mkdir -p $(@D)
	ln -f $< $@

CC_TEST_TOOLS := $B/tests/cc/perdure $(CC_TEST)/perdure-cc $(CC_TEST)/crash.bc $(CC_TEST)/symbolic.bc $(CC_TEST)/symbolic-streams.a $(CC_TEST)/symbolic-output.a $(CC_TEST)/libperdure_rt.so \
	$B/tests/cc/perdure-cc $B/tests/cc/perdure-c++
TEST_TOOLS += $(CC_TEST_TOOLS)

$B/tests/cc/asmtext_test: tests/cc/asmtext_test.c src/cc/crash/asmtext.c src/cc/crash/asmtext.h | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=address,undefined -D_GNU_SOURCE -Itests -o $@ \
		tests/cc/asmtext_test.c src/cc/crash/asmtext.c -lcmocka

UNIT += $B/tests/cc/asmtext_test

$B/tests/cc/made_test: tests/cc/made_test.c src/cc/crash/made.c src/cc/crash/made.h src/cc/crash/asmtext.c $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -o $@ tests/cc/made_test.c src/cc/crash/made.c src/cc/crash/asmtext.c \
		$B/host/host/host.o $B/core.a -lcmocka

UNIT += $B/tests/cc/made_test

# The compiler with a mode more, and the runtime: only the list of modes is another object.
CC_TWO := $B/tests/cc/two/lib/perdure

$B/tests/cc/two/mode.o: CPPFLAGS += $(call CC_MODE_LIST,$(CC_MODES) branches)
$B/tests/cc/two/mode.o: src/cc/mode.c src/cc/mode.h
$B/tests/cc/two/branches.o: tests/cc/branches/mode.c src/cc/mode.h src/cc/ir.h
$B/tests/cc/two/mode.o $B/tests/cc/two/branches.o: | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -isystem $$($(LLVM_CONFIG) --includedir) $(CFLAGS) -D_GNU_SOURCE -c -o $@ $<

$(CC_TWO)/perdure-cc: $B/tests/cc/two/mode.o $B/tests/cc/two/branches.o $(filter-out %/cc/mode.o,$(CC_OBJ)) \
		$(CC_HOST) $B/core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$($(LLVM_CONFIG) --ldflags --libs)

$(CC_TWO)/crash.bc $(CC_TWO)/libperdure_rt.so: $(CC_TWO)/%: $(LIBDIR)/%
	@mkdir -p $(@D)
	ln -f $< $@

$B/tests/cc/two/perdure-cc: | $(CC_TWO)/perdure-cc
	ln -sf lib/perdure/perdure-cc $@

CC_TWO_TOOLS := $(CC_TWO)/perdure-cc $(CC_TWO)/crash.bc $(CC_TWO)/libperdure_rt.so $B/tests/cc/two/perdure-cc
TEST_TOOLS += $(CC_TWO_TOOLS)

# The compiler, and the runtime with a part that tries what labels say (symbolic/harness.c).
CC_SYM := $B/tests/cc/symbolic/lib/perdure

$(CC_SYM)/perdure-cc $(CC_SYM)/crash.bc $(CC_SYM)/symbolic.bc $(CC_SYM)/symbolic-streams.a $(CC_SYM)/symbolic-output.a: $(CC_SYM)/%: $(LIBDIR)/%
	@mkdir -p $(@D)
	ln -f $< $@

$B/tests/cc/symbolic/harness.o: tests/cc/symbolic/harness.c src/runtime/symbolic/symbolic.h | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(RT_FLAGS) -MMD -MP -c -o $@ $<

$(CC_SYM)/libperdure_rt.so: $B/tests/cc/symbolic/harness.o $(RT_OBJ) $(CORE_PIC)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -o $@ $^

$B/tests/cc/symbolic/perdure-cc $B/tests/cc/symbolic/perdure-c++: | $(CC_SYM)/perdure-cc
	ln -sf lib/perdure/perdure-cc $@

CC_SYM_TOOLS := $(CC_SYM)/perdure-cc $(CC_SYM)/crash.bc $(CC_SYM)/symbolic.bc $(CC_SYM)/symbolic-streams.a $(CC_SYM)/symbolic-output.a $(CC_SYM)/libperdure_rt.so \
	$B/tests/cc/symbolic/perdure-cc $B/tests/cc/symbolic/perdure-c++
TEST_TOOLS += $(CC_SYM_TOOLS)

$B/tests/cc/relies_test: tests/cc/relies_test.c $(filter-out %/main.o,$(CC_OBJ)) $(CC_HOST) $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -isystem $$($(LLVM_CONFIG) --includedir) $(CFLAGS) -D_GNU_SOURCE -Itests -MMD -MP -o $@ $(filter %.c %.o %.a,$^) \
		-lcmocka $$($(LLVM_CONFIG) --ldflags --libs)

UNIT += $B/tests/cc/relies_test

CC_UNIT := $B/tests/cc/asmtext_test $B/tests/cc/made_test $B/tests/cc/relies_test

.PHONY: check-cc
check-cc: cc-tools $(CC_UNIT)
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 --exec '' $(CC_UNIT) $(sort $(wildcard tests/cc/*.t))

.PHONY: cc-tools
cc-tools: $B/perdure cc $(LIBDIR)/libperdure_rt.so $(CC_TEST_TOOLS) $(CC_TWO_TOOLS) $(CC_SYM_TOOLS)

# The compiler with a runtime that writes down what it is told (trace_rt.c), as a lib/perdure of its own:
# perdure-cc takes what lies beside it.

CC_TEST := $B/tests/cc/lib/perdure

$(CC_TEST)/perdure-cc $(CC_TEST)/inline.bc: $(CC_TEST)/%: $(LIBDIR)/%
	@mkdir -p $(@D)
	ln -f $< $@

$(CC_TEST)/libperdure_rt.so: tests/cc/trace_rt.c src/cc/wrap.def src/event/abi.h | $(DEPS)
	@mkdir -p $(@D)
	$(CLANG) -std=gnu11 -O1 -g -mcx16 -Wall -Wextra -fPIC -shared -Isrc -o $@ $< -latomic

$B/tests/cc/perdure-cc $B/tests/cc/perdure-c++: | $(CC_TEST)/perdure-cc
	ln -sf lib/perdure/perdure-cc $@

$B/tests/cc/perdure: $B/perdure
	@mkdir -p $(@D)
	ln -f $< $@

CC_TEST_TOOLS := $B/tests/cc/perdure $(CC_TEST)/perdure-cc $(CC_TEST)/inline.bc $(CC_TEST)/libperdure_rt.so \
	$B/tests/cc/perdure-cc $B/tests/cc/perdure-c++
TEST_TOOLS += $(CC_TEST_TOOLS)

$B/tests/cc/asmtext_test: tests/cc/asmtext_test.c src/cc/asmtext.c src/cc/asmtext.h | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=address,undefined -D_GNU_SOURCE -Itests -o $@ \
		tests/cc/asmtext_test.c src/cc/asmtext.c -lcmocka

UNIT += $B/tests/cc/asmtext_test

$B/tests/cc/made_test: tests/cc/made_test.c src/cc/made.c src/cc/made.h src/cc/asmtext.c $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -o $@ tests/cc/made_test.c src/cc/made.c src/cc/asmtext.c \
		$B/host/host/host.o $B/core.a -lcmocka

UNIT += $B/tests/cc/made_test

.PHONY: check-cc
check-cc: $B/perdure cc $(LIBDIR)/libperdure_rt.so $(CC_TEST_TOOLS) $B/tests/cc/asmtext_test $B/tests/cc/made_test
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 --exec '' $B/tests/cc/asmtext_test $B/tests/cc/made_test $(sort $(wildcard tests/cc/*.t))

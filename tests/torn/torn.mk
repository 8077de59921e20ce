# The torn engine and its naive twin.

$B/tests/torn/fuzz: tests/torn/fuzz.c tests/torn/twin.c tests/torn/twin.h $B/host/host/host.o $B/core.a | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Itests/torn -MMD -MP -o $@ tests/torn/fuzz.c tests/torn/twin.c \
		$B/host/host/host.o $B/core.a

TEST_TOOLS += $B/tests/torn/fuzz

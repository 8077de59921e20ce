$B/tests/zygote-runs $B/tests/zygote-board: $B/tests/zygote-%: tests/zygote/%.c $(UNIT_LIBS) | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Itests -MMD -MP -o $@ $< $(LINK_UNIT) $(HOST_LIBS)

TEST_TOOLS += $B/tests/zygote-runs $B/tests/zygote-board

# Functions that are locks, for `perdure lockset --locks NAME`.

LOCK_FILES := $(patsubst src/locks/%,$B/lib/perdure/locks/%,$(wildcard src/locks/*.locks))

$B/lib/perdure/locks/%: src/locks/%
	@mkdir -p $(@D)
	cp $< $@

TOOLS += $(LOCK_FILES)

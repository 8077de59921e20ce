# What is made of the lists of verbs and options: manual pages. And all that is installed under share/, as SOURCE:PLACE.

VERBS     := $(shell sed -n 's/^\t{"\([a-z+]*\)", ".*/\1/p' src/cli/main.c)
MAN_PAGES := perdure.1 $(VERBS:%=perdure-%.1) perdure-suppressions.5 perdure-model.7
MAN       := $(MAN_PAGES:%=$B/man/%)

$B/man/.made: tools/man $B/perdure $B/lib/perdure/perdure-cc README.md docs/report-format.md docs/model.md
	@mkdir -p $(@D)
	tools/man $B/perdure $(@D) $(VERSION)
	@touch $@

$(MAN): $B/man/.made ;

$B/README.md: README.md src/cli/installed.sed
	sed -f src/cli/installed.sed README.md | cat -s >$@

TOOLS += $(MAN) $B/README.md

SHARED := $(foreach p,$(MAN_PAGES),$B/man/$p:man/man$(subst .,,$(suffix $p))/$p) \
	src/cli/complete/perdure.bash:bash-completion/completions/perdure \
	src/cli/complete/perdure.zsh:zsh/site-functions/_perdure \
	src/cli/complete/perdure.fish:fish/vendor_completions.d/perdure.fish \
	src/cli/cmake/PerdureConfig.cmake:cmake/Perdure/PerdureConfig.cmake \
	src/cli/cmake/perdure-launch:cmake/Perdure/perdure-launch \
	$B/README.md:doc/perdure/README.md \
	$(foreach f,LICENSE docs/page.png $(wildcard docs/*.md docs/*/*.md examples/*),$f:doc/perdure/$f)

# perdure: build, test, install. `make help` lists the goals.
#
# One make for the whole tree. Each part that needs rules of its own has them beside its source
# (src/*/*.mk, tests/tests.mk, bench/bench.mk); this file has what they share.

VERSION := 0.1.0
B       := build
CC      ?= cc
PREFIX  ?= /usr/local
DESTDIR ?=

OPT      ?= -O2
WARNINGS := -Wall -Wextra -Wshadow -Wswitch-enum -Wmissing-prototypes -Wstrict-prototypes \
            -Wvla -Wpointer-arith -Werror=implicit-function-declaration
CPPFLAGS := -Isrc -Iinclude -DPD_VERSION='"$(VERSION)"'
CFLAGS   := -std=c11 -g $(OPT) $(WARNINGS) $(EXTRA_CFLAGS)

# The core is freestanding: no libc, no globals. The same sources are built again, position
# independent, for the runtime inside tested programs.
CORE_DIRS := base event model finding engine litmus
CORE_SRC  := $(sort $(foreach d,$(CORE_DIRS),$(wildcard src/$(d)/*.c src/$(d)/*/*.c)))
CORE_OBJ  := $(CORE_SRC:src/%.c=$B/core/%.o)
CORE_PIC  := $(CORE_SRC:src/%.c=$B/pic/%.o)
# -fbuiltin: a memcpy of 8 bytes is a move, not a call; but a loop is never turned into a strlen.
CORE_FLAGS := -ffreestanding -fbuiltin -fno-tree-loop-distribute-patterns -fno-strict-aliasing

HOST_SRC := $(sort $(wildcard src/cli/*.c src/drive/*.c src/drive/*/*.c src/report/*.c src/report/*/*.c \
	src/fix/*.c src/host/*.c))
HOST_OBJ := $(HOST_SRC:src/%.c=$B/host/%.o)
# The C++ library is for CaDiCaL alone, and takes longer to load than most commands run: static.
HOST_LIBS := -ljansson -ldw -lcadical -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lm -static-libgcc

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.DEFAULT_GOAL := all

# ---- what is needed from the system ---------------------------------------------------------

DEPS := $B/.deps
$(DEPS): tools/deps
	@mkdir -p $B
	@tools/deps
	@touch $@

# ---- objects --------------------------------------------------------------------------------

$B/core/%.o: src/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CORE_FLAGS) -MMD -MP -c -o $@ $<

$B/pic/%.o: src/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CORE_FLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$B/host/%.o: src/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -MMD -MP -c -o $@ $<

# The page of `perdure report --html`: template, style and script in one, with its policy.
PAGE_SRC := src/report/page/page.html src/report/page/page.css $(sort $(wildcard src/report/page/*.js))
$B/page.html: tools/page $(PAGE_SRC) | $(DEPS)
	@mkdir -p $(@D)
	tools/page $(PAGE_SRC) >$@

$B/host/report/html.o: CPPFLAGS += -DPD_PAGE='"$B/page.html"'
$B/host/report/html.o: $B/page.html

$B/core.a: $(CORE_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$B/perdure: $(HOST_OBJ) $B/core.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

TOOLS := $B/perdure

# ---- parts with rules of their own ----------------------------------------------------------

include $(sort $(wildcard src/*/*.mk)) tests/tests.mk bench/bench.mk

-include $(shell find $B -type f -name '*.d' 2>/dev/null)

# ---- goals ----------------------------------------------------------------------------------

.PHONY: all demo check check-all fuzz bench install uninstall format clean help
.PHONY: check-core deb

# Also where nothing is to be built: a package may be new.
all: $(TOOLS) | $(DEPS)

help:
	@echo 'make            build everything into $B/'
	@echo 'make demo       set up, build, and show perdure at work on a shipped example'
	@echo 'make check      set up, build, run the tests (minutes)'
	@echo 'make check-page  the page of `perdure report --html`, in a browser'
	@echo 'make check-sample  a sample of mutants, and the unit tests under the sanitizers'
	@echo 'make check-all  the thorough ones too: mutants, sanitizers, long fuzzing'
	@echo 'make fuzz       compare the model with its naive twin; SECONDS_=600, SEED=...'
	@echo 'make bench      measure; prints ratios and per-event costs'
	@echo 'make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR); make uninstall'
	@echo 'make deb        a Debian package, for the release that it is built on'

demo: all
	@tools/demo $B

# The version that .clang-format is for, and what it is applied to.
CLANG_FORMAT ?= clang-format-19
FORMATTED    := src include bench tests/unit tests/ref

format:
	$(CLANG_FORMAT) -i $$(git ls-files $(FORMATTED) | grep "\.[ch]$$")

# What `perdure` needs at run time is in lib/perdure, found relative to the executable.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/perdure/include \
		$(DESTDIR)$(PREFIX)/include
	install -m 755 $B/perdure $(DESTDIR)$(PREFIX)/bin/perdure
	install -m 755 $B/lib/perdure/perdure-cc $B/lib/perdure/libperdure_rt.so \
		$(DESTDIR)$(PREFIX)/lib/perdure/
	install -m 644 $(CC_HELPERS) $(CC_STREAMS) $(CC_OUTPUT) $(DESTDIR)$(PREFIX)/lib/perdure/
	for f in $(CC_HEADERS:$B/%=%); do install -D -m 644 $B/$$f $(DESTDIR)$(PREFIX)/$$f; done
	install -d $(DESTDIR)$(PREFIX)/lib/perdure/valgrind
	install -m 755 $(VG_DIR)/perdure-amd64-linux \
		$(VG_DIR)/vgpreload_perdure-amd64-linux.so \
		$(VG_DIR)/vgpreload_perdure-alone-amd64-linux.so $(DESTDIR)$(PREFIX)/lib/perdure/valgrind/
	ln -sf $(VG_LIBEXEC)/vgpreload_core-amd64-linux.so $(VG_LIBEXEC)/default.supp \
		$(DESTDIR)$(PREFIX)/lib/perdure/valgrind/
	install -m 644 include/perdure.h include/perdure_linear.h $(DESTDIR)$(PREFIX)/lib/perdure/include/
	install -d $(DESTDIR)$(PREFIX)/lib/perdure/locks
	install -m 644 $(LOCK_FILES) $(DESTDIR)$(PREFIX)/lib/perdure/locks/
	install -d $(DESTDIR)$(PREFIX)/lib/perdure/oracles
	install -m 755 $(ORACLE_LIB) $(DESTDIR)$(PREFIX)/lib/perdure/oracles/
	install -m 644 include/perdure.h include/perdure_oracle.h include/perdure_linear.h \
		$(DESTDIR)$(PREFIX)/include/
	ln -sf ../lib/perdure/perdure-cc $(DESTDIR)$(PREFIX)/bin/perdure-cc
	ln -sf ../lib/perdure/perdure-cc $(DESTDIR)$(PREFIX)/bin/perdure-c++
	for f in $(SHARED); do install -D -m $$(test -x $${f%%:*} && echo 755 || echo 644) $${f%%:*} $(DESTDIR)$(PREFIX)/share/$${f#*:}; done

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,perdure perdure-cc perdure-c++) \
		$(addprefix $(DESTDIR)$(PREFIX)/include/,perdure.h perdure_oracle.h perdure_linear.h)
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,lib/perdure share/doc/perdure share/cmake/Perdure)
	rm -f $(foreach f,$(SHARED),$(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$f)))

deb: all
	tools/deb $B $(VERSION)

clean:
	rm -rf $B

# The compiler: perdure-cc (driver and pass), the bitcode of its inline helpers, and names by which
# build systems can call it as one word.

LLVM_VERSION ?= 19
LLVM_CONFIG  ?= llvm-config-$(LLVM_VERSION)
CLANG        ?= clang-$(LLVM_VERSION)
CLANGXX      ?= clang++-$(LLVM_VERSION)

LIBDIR := $B/lib/perdure

# A mode is a folder with a mode.c (src/cc/mode.h); what code of it is inlined is in its inline.c.
CC_MODES := $(sort $(patsubst src/cc/%/mode.c,%,$(wildcard src/cc/*/mode.c)))
CC_SRC := $(filter-out %/inline.c %/library.c %/early.c,$(sort $(wildcard src/cc/*.c src/cc/*/*.c)))
CC_HELPERS := $(patsubst src/cc/%/inline.c,$(LIBDIR)/%.bc,$(wildcard src/cc/*/inline.c))
CC_HELPERS += $(patsubst src/cc/%/library.c,$(LIBDIR)/%-library.bc,$(wildcard src/cc/*/library.c))
CC_MODE_LIST = -DPD_MODES='$(foreach m,$(1),PD_MODE($(m)))'
# Not in a folder cc: with $B in PATH, GNU make 4.3 takes a folder of that name for the compiler.
CC_OBJ := $(CC_SRC:src/%.c=$B/compiler/%.o)
CC_HOST := $B/host/host/host.o $B/host/host/libdir.o

# Asked when the first object is built, not when the makefile is read: tools/deps may come first.
$B/compiler/%.o: src/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -isystem $$($(LLVM_CONFIG) --includedir) -DPD_CLANG='"$(CLANG)"' \
		-DPD_CLANGXX='"$(CLANGXX)"' -DPD_LLVM=$(LLVM_VERSION) $(CFLAGS) -D_GNU_SOURCE -MMD -MP \
		-c -o $@ $<

$B/compiler/cc/mode.o: CPPFLAGS += $(call CC_MODE_LIST,$(CC_MODES))
$B/compiler/cc/mode.o: $(CC_MODES:%=src/cc/%/mode.c)

$(LIBDIR)/perdure-cc: $(CC_OBJ) $(CC_HOST) $B/core.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$($(LLVM_CONFIG) --ldflags --libs)

# -fPIC and not the default -fPIE: linked into a module, PIE would make its thread-local variables
# unfit for a shared library.
$(LIBDIR)/%.bc: src/cc/%/inline.c src/event/abi.h src/event/symbolic.h src/cc/cc.mk | $(DEPS)
	@mkdir -p $(@D)
	$(CLANG) -std=c11 -O2 -fPIC -fno-omit-frame-pointer -Wall -Wextra -Wno-reserved-identifier -Isrc \
		-emit-llvm -c -o $@ $<

# The program's own, as far as the pass can tell: optimised with it, instrumented with it
$(LIBDIR)/%-library.bc: src/cc/%/library.c src/cc/cc.mk | $(DEPS)
	@mkdir -p $(@D)
	$(CLANG) -std=c11 -O1 -Xclang -disable-llvm-passes -fPIC -fno-omit-frame-pointer -Wall -Wextra \
		-Wno-reserved-identifier -D_GNU_SOURCE -emit-llvm -c -o $@ $<

$B/perdure-cc $B/perdure-c++: | $(LIBDIR)/perdure-cc
	ln -sf lib/perdure/perdure-cc $@

CC_TOOLS := $(LIBDIR)/perdure-cc $(CC_HELPERS) $B/perdure-cc $B/perdure-c++

# What tested programs and drivers include
$(LIBDIR)/include/%.h: include/%.h
	@mkdir -p $(@D)
	cp $< $@

CC_TOOLS += $(LIBDIR)/include/perdure.h $(LIBDIR)/include/perdure_linear.h

# What code of a mode includes before the headers of the system
define CC_MODE_HEADERS
CC_HEADERS += $(patsubst src/cc/$(1)/headers/%,$(LIBDIR)/headers/$(1)/%,$(wildcard src/cc/$(1)/headers/*/*.h))
$(LIBDIR)/headers/$(1)/%: src/cc/$(1)/headers/%
	@mkdir -p $$(@D)
	cp $$< $$@
endef
CC_HEADERS :=
$(foreach m,$(CC_MODES),$(eval $(call CC_MODE_HEADERS,$(m))))
CC_TOOLS += $(CC_HEADERS)

# Code of libstdc++ that programs of a mode have instrumented. Unoptimised: of its 13 s, 10 are in the optimiser
CC_STREAMS := $(patsubst src/cc/%/streams.cc,$(LIBDIR)/%-streams.a,$(wildcard src/cc/*/streams.cc))
$(LIBDIR)/%-streams.a: src/cc/%/streams.cc src/cc/%/early.c $(LIBDIR)/perdure-cc $(CC_HELPERS) $(CC_HEADERS)
	$(LIBDIR)/perdure-cc --driver-mode=g++ --$* -std=c++17 -O0 -fPIC -Wall -Wextra -c -o $(@:.a=.o) $<
	$(CC) $(CFLAGS) -fPIC -c -o $(@:.a=-early.o) src/cc/$*/early.c
	rm -f $@ && ar rc $@ $(@:.a=.o) $(@:.a=-early.o) && rm $(@:.a=.o) $(@:.a=-early.o)
CC_OUTPUT := $(CC_STREAMS:-streams.a=-output.a)
$(LIBDIR)/%-output.a: src/cc/%/output.cc
	$(CXX) -std=c++17 -O2 -fPIC -Wall -Wextra -c -o $(@:.a=.o) $<
	rm -f $@ && ar rc $@ $(@:.a=.o) && rm $(@:.a=.o)
CC_TOOLS += $(CC_STREAMS) $(CC_OUTPUT)

TOOLS += $(CC_TOOLS)

.PHONY: cc
cc: $(CC_TOOLS)

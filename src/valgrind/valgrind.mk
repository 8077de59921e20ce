# The tool for unmodified binaries: linked with the core of Debian's valgrind and with ours, and the
# library that Valgrind preloads into the program. What Valgrind looks for beside a tool is linked to.

VG_LIBS    ?= /usr/lib/x86_64-linux-gnu/valgrind
VG_LIBEXEC ?= /usr/libexec/valgrind
VG_DIR     := $B/lib/perdure/valgrind

VG_SRC  := $(filter-out src/valgrind/preload%.c,$(sort $(wildcard src/valgrind/*.c)))
VG_OBJ  := $(VG_SRC:src/%.c=$B/vg/%.o)
VG_CORE := $(CORE_SRC:src/%.c=$B/vg/%.o)
VG_ARCH := -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1
# No libc and no start-up code: the flags that Valgrind builds its own tools with.
VG_FLAGS := -std=gnu11 -m64 -ffreestanding -fbuiltin -fno-tree-loop-distribute-patterns \
	-fno-strict-aliasing -fno-stack-protector -fno-pie -fomit-frame-pointer \
	-fno-asynchronous-unwind-tables $(VG_ARCH)

$B/vg/valgrind/%.o: src/valgrind/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -isystem /usr/include/valgrind $(CFLAGS) $(VG_FLAGS) -MMD -MP -c -o $@ $<

$B/vg/%.o: src/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VG_FLAGS) -MMD -MP -c -o $@ $<

# An archive: only what is used is linked in.
$B/vg/core.a: $(VG_CORE)
	@rm -f $@
	$(AR) rcs $@ $^

$(VG_DIR)/perdure-amd64-linux: $(VG_OBJ) $B/vg/core.a
	@mkdir -p $(@D)
	$(CC) -m64 -g -static -no-pie -nodefaultlibs -nostartfiles -u _start -Wl,--build-id=none \
		-Wl,-Ttext-segment=0x58000000 -o $@ $^ $(VG_LIBS)/libcoregrind-amd64-linux.a \
		$(VG_LIBS)/libvex-amd64-linux.a -lgcc $(VG_LIBS)/libgcc-sup-amd64-linux.a

# With and without the wrappers of locks; the names are those of the option --tool (drive/driven.c).
VG_SAY  := $(addprefix src/valgrind/,preload_say.c preload_keep.c preload_limit.c)
VG_WRAP := src/valgrind/preload.c
$(VG_DIR)/vgpreload_perdure-amd64-linux.so: $(VG_SAY) $(VG_WRAP) src/valgrind/request.h | $(DEPS)
$(VG_DIR)/vgpreload_perdure-alone-amd64-linux.so: $(VG_SAY) src/valgrind/request.h | $(DEPS)
$(VG_DIR)/vgpreload_perdure%.so:
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -m64 -g -O2 $(WARNINGS) -Wno-missing-prototypes -Iinclude \
		-isystem /usr/include/valgrind -fPIC -fno-builtin -fno-ipa-icf -nodefaultlibs -shared \
		-Wl,-z,interpose,-z,initfirst -Wl,-soname,$(@F).0 -o $@ $(filter %.c,$^)

$(VG_DIR)/vgpreload_core-amd64-linux.so $(VG_DIR)/default.supp: | $(DEPS)
	@mkdir -p $(@D)
	ln -sf $(VG_LIBEXEC)/$(@F) $@

VG_TOOLS := $(addprefix $(VG_DIR)/,perdure-amd64-linux vgpreload_perdure-amd64-linux.so \
	vgpreload_perdure-alone-amd64-linux.so vgpreload_core-amd64-linux.so default.supp)
TOOLS += $(VG_TOOLS)

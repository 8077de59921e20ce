# Oracles that are shipped: shared libraries on one public header, as users build theirs.

ORACLE_SRC := $(sort $(wildcard src/oracle/*.c))
ORACLE_LIB := $(foreach s,$(ORACLE_SRC),$B/lib/perdure/oracles/$(subst _,-,$(basename $(notdir $(s)))).so)

define ORACLE_RULE
$B/lib/perdure/oracles/$(subst _,-,$(basename $(notdir $(1)))).so: $(1) include/perdure_oracle.h | $(DEPS)
	@mkdir -p $$(@D)
	$$(CC) -Iinclude $$(CFLAGS) -fPIC -shared -o $$@ $$<
endef
$(foreach s,$(ORACLE_SRC),$(eval $(call ORACLE_RULE,$(s))))

TOOLS += $(ORACLE_LIB)

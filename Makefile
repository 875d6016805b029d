# tprof: one non-recursive Makefile. `make help` lists the targets.
#
# Everything is built under build/; knobs, all of them optional:
#   V=1                     print the commands
#   SAN=address,undefined   build with sanitizers (into build/san-…)
#   COVERAGE=1              build for gcov (into build/cov)
#   CC=, CFLAGS=, LDFLAGS=  as usual (CFLAGS replaces -O2 -g)
#   PREFIX=, DESTDIR=       for install

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

comma := ,
FLAVOUR := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),$(if $(COVERAGE),cov,out))
B := build/$(FLAVOUR)

PACKAGES := sqlite3 zlib libzstd liblz4 libxxhash
TEST_PACKAGES := cmocka
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
CPP_FLAGS := -D_GNU_SOURCE -DTPROF_VERSION='"$(VERSION)"' -Ilibparse -Ilibreport -Icmd
ALL_CFLAGS = -std=c11 $(WARNINGS) -fPIC -pthread $(CPP_FLAGS) $(PKG_CFLAGS) $(CFLAGS) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(if $(COVERAGE),--coverage)
ALL_LDFLAGS = -pthread $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN)) $(if $(COVERAGE),--coverage)

# The setup targets must run before any package is there, so look packages up lazily and once.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell pkg-config --libs $(PACKAGES)) -lm)$(PKG_LIBS)
TEST_LIBS = $(eval TEST_LIBS := $(shell pkg-config --libs $(TEST_PACKAGES)))$(TEST_LIBS)

# A folder of cmd/ with a main.c is a command; what it holds beside it is its own.
lib_src = $(filter-out %_test.c %_fuzz.c,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
PARSE_SRC := $(call lib_src,libparse)
REPORT_SRC := $(call lib_src,libreport)
COMMON_SRC := $(call lib_src,cmd/common)
COMMANDS := $(patsubst cmd/%/main.c,%,$(wildcard cmd/*/main.c))
TEST_SRC := $(wildcard libparse/*_test.c libparse/*/*_test.c libparse/*/*/*_test.c libreport/*_test.c libreport/*/*_test.c cmd/*/*_test.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
BINS := $(addprefix $(B)/bin/,$(COMMANDS))
TESTS := $(patsubst %.c,$(B)/test/%,$(TEST_SRC))
LIBPARSE := $(B)/libparse.a
LIBREPORT := $(B)/libreport.a
LIBCOMMON := $(B)/libcommon.a
LIBS := $(LIBCOMMON) $(LIBREPORT) $(LIBPARSE)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)')

.DEFAULT_GOAL := all
.SECONDARY:
.PHONY: all
all: $(BINS)

$(B)/obj/%.o: %.c | check-packages
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

archive = $(call say,AR,$@)
$(LIBPARSE): $(call obj,$(PARSE_SRC))
$(LIBREPORT): $(call obj,$(REPORT_SRC))
$(LIBCOMMON): $(call obj,$(COMMON_SRC))
$(LIBPARSE) $(LIBREPORT) $(LIBCOMMON):
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

define command
$(B)/bin/$(1): $$(call obj,$$(filter-out %_test.c,$$(wildcard cmd/$(1)/*.c))) $$(LIBS)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -o $$@ $$^ $$(ALL_LDFLAGS) $$(PKG_LIBS) $$(LIBS_$(1))
endef
$(foreach c,$(COMMANDS),$(eval $(call command,$(c))))

$(B)/test/%: $(B)/obj/%.o $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEST_LIBS) $(PKG_LIBS)

.PHONY: check-packages
check-packages:
	@command -v pkg-config >/dev/null || { echo 'tprof: pkg-config is missing (Debian: apt-get install pkg-config)' >&2; exit 1; }
	@for p in $(PACKAGES); do pkg-config --exists $$p || { echo "tprof: the library $$p is missing; 'make setup' installs it on Debian and Ubuntu" >&2; exit 1; }; done

.PHONY: unit
unit: $(TESTS)
	@failed=0; for t in $(TESTS); do \
		$$t >$$t.log 2>&1 || { cat $$t.log; echo "FAILED $$t"; failed=1; }; done; \
	grep -hs 'PASSED' $(addsuffix .log,$(TESTS)) | awk '{n += $$4} END {print "unit tests: " n " passed"}'; exit $$failed

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

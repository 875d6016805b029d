# tprof: one non-recursive Makefile. `make help` lists the targets.
#
# Everything is built under build/; knobs, all of them optional:
#   V=1                     print the commands
#   T=NAME                  only the tests whose name holds NAME (unit, cli, golden, tui)
#   TIME=60                 seconds per target of make fuzz
#   SAN=address,undefined   build with sanitizers (into build/san-…)
#   COVERAGE=1              build for gcov (into build/cov)
#   WERROR=1                a warning of the compiler is an error
#   CC=, CXX=, CPPFLAGS=, CFLAGS=, LDFLAGS=  as usual (CFLAGS replaces -O2 -g1; CFLAGS="-O0 -g" is for debuggers; hardening stays)
#   HARDEN=                 build without hardening
#   PKG_CONFIG=, AR=        those of another machine (make ports)
#   PREFIX=, DESTDIR=, BINDIR=, LIBDIR=, MANDIR= …  for install and uninstall; see "installing" in the Makefile

VERSION := 0.1.0

comma := ,
FLAVOUR ?= $(if $(SAN),san-$(subst $(comma),-,$(SAN)),$(if $(COVERAGE),cov,out))
B := build/$(FLAVOUR)

PACKAGES := sqlite3 zlib libdeflate libzstd liblz4 libxxhash libdw libelf json-c
# Of single commands only.
EDIT_PACKAGES := libedit
TUI_PACKAGES := ncursesw
TEST_PACKAGES := cmocka libxml-2.0
# Of the jail that commands decode in; systems without it have the other half of that.
JAIL_PACKAGE := libseccomp
# Of the recorder, which loads the library itself where DEBUGINFOD_URLS is set.
DEBUGINFOD_PACKAGE := libdebuginfod
# Of tprof-web, which is left out without it.
WEB_PACKAGE := libmicrohttpd
# Of what speaks with engines (tprof-clickhouse(7)), which is left out without it.
COURIER_PACKAGE := libcurl
CFLAGS ?= -O2 -g1
PKG_CONFIG ?= pkg-config
# As make's own CC is cc; its CXX is g++, wherever.
ifeq ($(origin CXX),default)
CXX := c++
endif
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
CPP_FLAGS := -D_GNU_SOURCE -DTPROF_VERSION='"$(VERSION)"' -Ilibparse -Ilibreport -Icmd -Itestdata/tools -I$(B)/gen
# Hardening, as far as the compiler has it for its target. Builds with sanitizers, which see more
# without, have none, but for what runs inside recorded programs. A packager's _FORTIFY_SOURCE is raised
# to 3 unless it is switched off; without optimisation there is none.
HARDEN ?= 1
HARDENED := $(if $(HARDEN),$(if $(SAN)$(COVERAGE),,1))
HARDEN_FLAGS := -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard
takes = $(shell $(CC) -Werror $(1) -x c -c -o /dev/null /dev/null >/dev/null 2>&1 && echo '$(1)')
HARDEN_CFLAGS = $(eval HARDEN_CFLAGS := -Wformat -Werror=format-security \
	$(foreach f,$(HARDEN_FLAGS),$(call takes,$(f))))$(HARDEN_CFLAGS)
HARDEN_LDFLAGS := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
fortify = $(if $(filter -O -O1 -O2 -O3 -Os -Og,$(lastword $(filter -O%,$(1)))),$(if \
	$(filter -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0,$(1)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
# For programs. What they are made of is compiled for libraries, which does for both.
PIE := $(if $(HARDENED),-pie)
ALL_CFLAGS = -std=c11 $(WARNINGS) -fPIC -pthread $(CPP_FLAGS) $(PKG_CFLAGS) $(OWN_CFLAGS) $(if $(HARDENED),$(HARDEN_CFLAGS)) \
	$(CPPFLAGS) $(CFLAGS) $(if $(HARDENED),$(call fortify,$(CPPFLAGS) $(CFLAGS))) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(if $(COVERAGE),--coverage -DTPROF_COVERAGE)
# Where words have 32 bits: files and times of more, and floating point that rounds as everywhere else
# (x87 keeps more digits than there are; SSE2 does not).
ALL_CFLAGS += $(MACHINE)
MACHINE = $(eval MACHINE := $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -dM -E -x c /dev/null | awk \
	'/__SIZEOF_LONG__ 4$$/ { print "-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64" } /__i386__ / { print "-msse2 -mfpmath=sse" }'))$(MACHINE)
ALL_LDFLAGS = -pthread $(if $(HARDENED),$(HARDEN_LDFLAGS)) $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN)) $(if $(COVERAGE),--coverage)

# The setup targets must run before any package is there, so look packages up lazily and once.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) $(TUI_PACKAGES)) $(shell $(PKG_CONFIG) --cflags $(TEST_PACKAGES) 2>/dev/null))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -lm)$(PKG_LIBS)
LIBS_tprof-query = $(eval LIBS_tprof-query := $(shell $(PKG_CONFIG) --libs $(EDIT_PACKAGES)))$(LIBS_tprof-query)
# Of the one program that has connections; without it there are no engines.
COURIER_CFLAGS = $(eval COURIER_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(COURIER_PACKAGE)))$(COURIER_CFLAGS)
COURIER_LIBS = $(eval COURIER_LIBS := $(shell $(PKG_CONFIG) --libs $(COURIER_PACKAGE)))$(COURIER_LIBS)
COURIER := $(if $(shell $(PKG_CONFIG) --exists $(COURIER_PACKAGE) 2>/dev/null && echo yes),$(B)/lib/tprof-courier)
WEB_CFLAGS = $(eval WEB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(WEB_PACKAGE)))$(WEB_CFLAGS)
LIBS_tprof-web = $(eval LIBS_tprof-web := $(shell $(PKG_CONFIG) --libs $(WEB_PACKAGE)))$(LIBS_tprof-web)
WEB := $(if $(shell $(PKG_CONFIG) --exists $(WEB_PACKAGE) 2>/dev/null && echo yes),yes)
JAIL_CFLAGS = $(eval JAIL_CFLAGS := $(shell $(PKG_CONFIG) --exists $(JAIL_PACKAGE) && echo -DTPROF_SECCOMP && $(PKG_CONFIG) --cflags $(JAIL_PACKAGE)))$(JAIL_CFLAGS)
JAIL_LIBS = $(eval JAIL_LIBS := $(shell $(PKG_CONFIG) --exists $(JAIL_PACKAGE) && $(PKG_CONFIG) --libs $(JAIL_PACKAGE)))$(JAIL_LIBS)
DEBUGINFOD_CFLAGS = $(eval DEBUGINFOD_CFLAGS := $(shell $(PKG_CONFIG) --exists $(DEBUGINFOD_PACKAGE) && echo -DTPROF_DEBUGINFOD && $(PKG_CONFIG) --cflags $(DEBUGINFOD_PACKAGE)))$(DEBUGINFOD_CFLAGS)
TEST_LIBS = $(eval TEST_LIBS := $(shell $(PKG_CONFIG) --libs $(TEST_PACKAGES)))$(TEST_LIBS)

# A folder of cmd/ with a main.c is a command; what it holds beside it is its own.
lib_src = $(filter-out %_test.c,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
PARSE_SRC := $(call lib_src,libparse)
# Yes where CFLAGS are those of this Makefile, and nothing looks into programs as they run.
PLAIN := $(if $(filter file,$(origin CFLAGS)$(SAN)$(COVERAGE)),yes)
REPORT_SRC := $(call lib_src,libreport)
COMMON_SRC := $(call lib_src,cmd/common)
COMMANDS := $(filter-out courier,$(patsubst cmd/%/main.c,%,$(wildcard cmd/*/main.c)))
# Tools for tests and benchmarks: built like commands, never installed.
TOOLS := $(patsubst testdata/tools/%/main.c,%,$(wildcard testdata/tools/*/main.c))
EXTENSION := $(if $(wildcard cmd/extension/*.c),$(B)/lib/tprof.so)
# The recorder is more than a command: core/ runs inside the programs it records, by way of preload/
# or api/; convert/ and parent/ stay outside; example/ and tests/ hold one program per file.
REC := cmd/tprof-record
rec_src = $(filter-out %_test.c,$(foreach d,$(1),$(wildcard $(REC)/$(d)/*.c $(REC)/$(d)/*/*.c)))
# For processors whose system calls and stacks it knows (core/inside.h); elsewhere there is the rest.
RECORDER ?= $(if $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | awk '/__(x86_64|aarch64)__ / { known = 1 } END { if (NR && !known) print "no" }'),,yes)
ifeq ($(RECORDER),yes)
REC_SRC := $(call rec_src,core convert parent api)
PRELOAD_SRC := $(call rec_src,core preload)
API_SRC := $(call rec_src,core api convert parent/live) $(REC)/parent/drain.c $(REC)/parent/spool.c
REC_PROGRAM_SRC := $(wildcard $(REC)/example/*.c $(REC)/tests/*.c $(REC)/tests/*.cpp)
else
COMMANDS := $(filter-out tprof-record,$(COMMANDS))
endif
ifndef WEB
COMMANDS := $(filter-out tprof-web,$(COMMANDS))
endif
TUI_SRC := $(filter-out %_test.c cmd/tprof-tui/main.c,$(wildcard cmd/tprof-tui/*.c cmd/tprof-tui/*/*.c cmd/tprof-tui/*/*/*.c))
TEST_SRC := $(filter-out $(if $(REC_SRC),,$(REC)/%),$(wildcard testdata/tools/*/*_test.c cmd/*/*/*_test.c cmd/*/*/*/*_test.c libparse/*_test.c libparse/*/*_test.c libparse/*/*/*_test.c libreport/*_test.c libreport/*/*_test.c libreport/*/*/*_test.c cmd/*/*_test.c))

INSTALLED := $(filter tprof%,$(COMMANDS))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
BINS := $(addprefix $(B)/bin/,$(COMMANDS) $(TOOLS))
TESTS := $(patsubst %.c,$(B)/test/%,$(TEST_SRC))
LIBPARSE := $(B)/libparse.a
LIBREPORT := $(B)/libreport.a
LIBCOMMON := $(B)/libcommon.a
LIBS := $(LIBCOMMON) $(LIBREPORT) $(LIBPARSE)
LIBRECORD := $(if $(REC_SRC),$(B)/librecord.a)
LIBTUI := $(B)/libtui.a
PRELOAD := $(if $(PRELOAD_SRC),$(B)/lib/tprof-preload.so)
SYMBOLS := $(if $(REC_SRC),$(B)/lib/tprof-symbols.so)
API := $(if $(API_SRC),$(B)/lib/libtprof-record.so)
LIBTPROF := $(B)/lib/libtprof.so
SCRIPTS := $(B)/share/tprof/slurm.sh
REC_PROGRAMS := $(foreach f,$(REC_PROGRAM_SRC),$(B)/record/$(basename $(notdir $(f))))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)')

.DEFAULT_GOAL := all
.SECONDARY:
.PHONY: all
all: $(BINS) $(LIBTPROF) $(EXTENSION) $(PRELOAD) $(API) $(COURIER) $(SCRIPTS) ## build the commands, the libraries, the recorder

$(B)/obj/%.o: %.c | check-packages
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Tests are compiled more often than they run, so they are not optimised, which takes less than half the
# time; what they test is. CFLAGS that are given are for tests, too.
ifdef PLAIN
$(call obj,$(TEST_SRC) $(wildcard testdata/fuzz/*.c testdata/fuzz/harness/*.c)): CFLAGS := -O0 -g1
endif

$(B)/obj/cmd/common/jail_calls.o: OWN_CFLAGS = $(JAIL_CFLAGS)
$(B)/obj/$(REC)/parent/debuginfod.o: OWN_CFLAGS = $(DEBUGINFOD_CFLAGS)

# Styles and scripts of flame graphs and pages as lists of bytes; comments and indents stay behind.
bytes_of = sed -e 's/^[[:blank:]]*//' -e '/^\/\//d' -e '/^$$/d' $(1) | od -An -v -t u1 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
asset_bytes = $(call bytes_of,$<) >$@
assets = $(patsubst $(1)/%,$(B)/gen/%.inc,$(wildcard $(1)/*))
$(B)/gen/%.inc: libreport/flame/viewer/%
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(asset_bytes)
$(B)/gen/%.inc: libreport/page/assets/%
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(asset_bytes)
$(B)/gen/%.inc: cmd/tprof/skill/%
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)od -An -v -t u1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g' >$@
$(B)/obj/cmd/tprof/guide.o: $(B)/gen/SKILL.md.inc
$(B)/obj/libreport/flame/format/asset.o: $(call assets,libreport/flame/viewer)
$(B)/obj/libreport/page/asset.o: $(call assets,libreport/page/assets)

# The page of tprof-web. Its modules become one script (page.c): each file costs the browser more than the server.
WEB_MODULES := $(sort $(wildcard cmd/tprof-web/page/*.js cmd/tprof-web/page/*/*.js))
$(B)/gen/web.js: cmd/tprof-web/bundle.sed $(WEB_MODULES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)for f in $(WEB_MODULES:cmd/tprof-web/page/%.js=%); do \
		case $$f in */*) in=$${f%/*}/ ;; *) in= ;; esac; \
		echo "define['$$f'] = own => {"; \
		sed -e "s|from '\./|from '$$in|; s|from '\.\./|from '|" -f $< cmd/tprof-web/page/$$f.js; \
		echo "};"; \
	done >$@.part
	@! grep -nE '^(import|export) ' $@.part || { echo "$<: these lines are of no form that it knows" >&2; exit 1; }
	@mv $@.part $@
$(B)/gen/%.inc: $(B)/gen/%
	$(Q)$(asset_bytes)
$(B)/gen/%.inc: cmd/tprof-web/page/%
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(asset_bytes)
WEB_PAGE := $(patsubst %,$(B)/gen/%.inc,web.html web.css web.js)
$(B)/obj/cmd/tprof-web/page.o: $(WEB_PAGE)
$(B)/obj/cmd/tprof-web/server.o: OWN_CFLAGS = $(WEB_CFLAGS)

archive = $(call say,AR,$@)
$(LIBPARSE): $(call obj,$(PARSE_SRC))
$(LIBREPORT): $(call obj,$(REPORT_SRC))
$(LIBCOMMON): $(call obj,$(COMMON_SRC))
$(LIBRECORD): $(call obj,$(REC_SRC))
$(LIBTUI): $(call obj,$(TUI_SRC))
$(LIBPARSE) $(LIBREPORT) $(LIBCOMMON) $(LIBRECORD) $(LIBTUI):
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# What programs link: as much of libparse as tprof.h needs, whose functions alone can be seen. SQLite
# keeps pointers into it (store/vfs.c), so it is not unloaded.
API_OBJ := $(call obj,$(filter libparse/api/%,$(PARSE_SRC)))
$(LIBTPROF): $(API_OBJ) $(LIBPARSE) libparse/api/tprof.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(if $(SAN),,-Wl$(comma)--no-undefined) -Wl,--as-needed -Wl,-z,nodelete \
		-Wl,-soname,libtprof.so.0 -Wl,--version-script=libparse/api/tprof.map -o $@ $(API_OBJ) $(LIBPARSE) $(ALL_LDFLAGS) $(PKG_LIBS)
	@ln -sf libtprof.so $(B)/lib/libtprof.so.0

command_src = $(filter-out %_test.c,$(wildcard cmd/$(1)/*.c $(if $(filter tprof-record,$(1)),,cmd/$(1)/*/*.c) testdata/tools/$(1)/*.c))
define command
$(B)/bin/$(1): $$(call obj,$$(call command_src,$(1))) $$(LIBS)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(PIE) -o $$@ $$(filter %.o,$$^) $$(LIBS_BEFORE) $$(LIBS) $$(ALL_LDFLAGS) $$(PKG_LIBS) $$(JAIL_LIBS) $$(LIBS_$(1))
endef
$(foreach c,$(filter-out tprof-tui,$(COMMANDS)) $(TOOLS),$(eval $(call command,$(c))))

# What jobs of Slurm run; tprof-import looks for it in ../share.
$(SCRIPTS): cmd/tprof-import/slurm.sh
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

# Its views and widgets are tested one by one, so they are a library.
TUI_LIBS = $(eval TUI_LIBS := $(shell $(PKG_CONFIG) --libs $(TUI_PACKAGES)))$(TUI_LIBS)
$(B)/bin/tprof-tui: $(B)/obj/cmd/tprof-tui/main.o $(LIBTUI) $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $< $(LIBTUI) $(LIBS) $(ALL_LDFLAGS) $(PKG_LIBS) $(JAIL_LIBS) $(TUI_LIBS)

$(B)/test/cmd/tprof-tui/%: $(B)/obj/cmd/tprof-tui/%.o $(LIBTUI) $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $< $(LIBTUI) $(LIBS) $(ALL_LDFLAGS) $(TEST_LIBS) $(PKG_LIBS) $(JAIL_LIBS) $(TUI_LIBS)

$(B)/bin/tprof-record: $(LIBRECORD) $(SYMBOLS)
# What it is made of comes before what that needs. Each library that it does not load makes its start shorter.
$(B)/bin/tprof-record: LIBS_BEFORE = $(LIBRECORD)
$(B)/bin/tprof-record: ALL_LDFLAGS += -Wl,--as-needed

# What it loads to read programs (tprof-record/symbols.c): libparse/symbol, with elfutils.
$(SYMBOLS): $(call obj,$(addprefix libparse/symbol/,image.c unwind.c)) $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(if $(SAN),,-Wl$(comma)--no-undefined) -Wl,--as-needed -Wl,--exclude-libs,ALL -o $@ \
		$(call obj,$(addprefix libparse/symbol/,image.c unwind.c)) $(LIBPARSE) $(ALL_LDFLAGS) $(PKG_LIBS)

$(B)/test/$(REC)/%: $(B)/obj/$(REC)/%.o $(LIBRECORD) $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $(filter-out %.so,$^) $(ALL_LDFLAGS) $(TEST_LIBS) $(PKG_LIBS) $(JAIL_LIBS)

$(B)/test/libparse/%: $(B)/obj/libparse/%.o $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $(filter-out %.so,$^) $(ALL_LDFLAGS) $(TEST_LIBS) $(PKG_LIBS)

$(B)/test/%: $(B)/obj/%.o $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $(filter-out %.so,$^) $(ALL_LDFLAGS) $(TEST_LIBS) $(PKG_LIBS) $(JAIL_LIBS)

# What the plain sqlite3 shell loads (.load tprof) to see the virtual tables. Whatever calls SQLite
# is compiled a second time, to call the one that loads it; SQLite itself is not linked.
EXT_OBJ := $(patsubst %.c,$(B)/ext/%.o,$(call lib_src,cmd/extension) $(call lib_src,libparse/store))
$(B)/ext/%.o: %.c | check-packages
	$(call say,CC,$< (extension))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fvisibility=hidden -include cmd/extension/api.h -MMD -MP -c -o $@ $<

$(B)/lib/tprof.so: $(EXT_OBJ) $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,--exclude-libs,ALL -o $@ $^ $(ALL_LDFLAGS) $(filter-out -lsqlite3 -ldw -lelf,$(PKG_LIBS))

$(B)/test/cmd/extension/extension_test: $(EXTENSION)

# What commands start to speak with an engine: they need no libcurl, whose libraries would be most of
# their start.
$(B)/obj/cmd/courier/main.o: OWN_CFLAGS = $(COURIER_CFLAGS)
$(B)/lib/tprof-courier: $(B)/obj/cmd/courier/main.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $< $(ALL_LDFLAGS) $(COURIER_LIBS)

# The same with a clock that goes faster, as libcurl has no time-out below some seconds. It defines calls
# of libc that fortified headers define, too.
HASTY := $(if $(COURIER),$(B)/test/tprof-courier)
$(B)/obj/cmd/courier/testing_clock.o: OWN_CFLAGS = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0
$(B)/test/tprof-courier: $(B)/obj/cmd/courier/main.o $(B)/obj/cmd/courier/testing_clock.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $^ $(ALL_LDFLAGS) $(COURIER_LIBS) -ldl

$(B)/test/cmd/common/engine/courier_test: | $(COURIER) $(HASTY)

# ---- the recorder's parts that run inside other programs ----

# Never built with sanitizers or for gcov: the program they are loaded into is not.
INSIDE_CFLAGS = -std=c11 $(WARNINGS) -fPIC -pthread -fvisibility=hidden -ftls-model=initial-exec \
	-fno-omit-frame-pointer $(CPP_FLAGS) $(PKG_CFLAGS) -O2 -g $(filter -ffile-prefix-map=% -fdebug-prefix-map=%,$(CFLAGS)) $(if $(HARDEN),$(HARDEN_CFLAGS) $(call fortify,-O2))
INSIDE_LDFLAGS = -shared -Wl,--no-undefined $(if $(HARDEN),$(HARDEN_LDFLAGS),-Wl,-z,now)

# These define calls of libc that its headers define inline, in fortified code, too.
$(foreach f,file poll socket stdio,$(B)/inside/$(REC)/preload/$(f).o): INSIDE_CFLAGS += -U_FORTIFY_SOURCE -D__NO_INLINE__

$(B)/inside/%.o: %.c | check-packages
	$(call say,CC,$< (inside))
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE_CFLAGS) -MMD -MP -c -o $@ $<

inside = $(patsubst %.c,$(B)/inside/%.o,$(1))

$(B)/lib/tprof-preload.so: $(call inside,$(PRELOAD_SRC))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE_LDFLAGS) -o $@ $^ -pthread -ldl

# What it needs of libparse, and the demangler, are in it; only what the header names can be seen. In a
# plain build they are the objects of libparse.a and libreport.a, which are position-independent, too:
# nothing of them runs in signal handlers, so they need no frame pointers, and one file alone has a
# thread-local variable.
INSIDE_NEEDED := $(call lib_src,libparse/base) $(call lib_src,libparse/decode) $(call lib_src,libparse/symbol) \
	libparse/order/quote.c libparse/order/printable.c \
	$(addprefix libreport/profile/,demangle.c cppname.c rustname.c rustname_v0.c punycode.c)
INSIDE_ALIKE := $(if $(PLAIN),$(filter-out libparse/symbol/dwarf.c,$(INSIDE_NEEDED)))
$(B)/inside/libneeded.a: $(call obj,$(INSIDE_ALIKE)) $(call inside,$(filter-out $(INSIDE_ALIKE),$(INSIDE_NEEDED)))
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/lib/libtprof-record.so: $(call inside,$(API_SRC)) $(B)/inside/libneeded.a $(REC)/api/tprof-record.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(INSIDE_LDFLAGS) -Wl,--as-needed -Wl,-soname,libtprof-record.so.0 -Wl,-z,nodelete \
		-Wl,--version-script=$(REC)/api/tprof-record.map -o $@ $(filter-out %.map,$^) -pthread -ldl $(PKG_LIBS)
	@ln -sf libtprof-record.so $(B)/lib/libtprof-record.so.0

# Programs to be recorded: examples, and those of the tests. They see what a stranger's would: the
# public header and, where they name it (// uses: tprof-record), the library.
program_flags = -O2 -g -I$(REC)/api -pthread -lm $(if $(shell grep -l 'uses: tprof-record' $(1)),-L$(B)/lib -ltprof-record -Wl$(comma)-rpath$(comma)'$$ORIGIN/../lib')
$(B)/record/%: $(REC)/example/%.c $(API)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -o $@ $< $(call program_flags,$<)
$(B)/record/%: $(REC)/tests/%.c $(API) $(wildcard $(REC)/tests/*.h)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -o $@ $< $(call program_flags,$<)
$(B)/record/%: $(REC)/tests/%.cpp $(API)
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++20 -Wall -Wextra -o $@ $< $(call program_flags,$<)

.PHONY: record-programs
record-programs: $(REC_PROGRAMS)

.PHONY: check-packages
check-packages:
	@command -v $(PKG_CONFIG) >/dev/null || { echo "tprof: $(PKG_CONFIG) is missing; 'make setup' installs it, or says how" >&2; exit 1; }
	@for p in $(PACKAGES) $(EDIT_PACKAGES) $(TUI_PACKAGES) $(if $(NEEDS_TESTS),$(TEST_PACKAGES)); do $(PKG_CONFIG) --exists $$p || { \
		echo "tprof: the library $$p is missing; 'make setup' installs it, or says how" >&2; exit 1; }; done
	@$(PKG_CONFIG) --exists $(COURIER_PACKAGE) || echo "tprof: $(COURIER_PACKAGE) is missing; built without clickhouse://" >&2
	@$(PKG_CONFIG) --exists $(WEB_PACKAGE) || echo "tprof: $(WEB_PACKAGE) is missing; built without tprof-web" >&2
	@$(PKG_CONFIG) --exists $(DEBUGINFOD_PACKAGE) || echo "tprof: $(DEBUGINFOD_PACKAGE) is missing; built without debuginfod" >&2
	@$(PKG_CONFIG) --exists $(JAIL_PACKAGE) || echo "tprof: $(JAIL_PACKAGE) is missing; built without a filter of system calls" >&2

# ---- from a fresh clone ----

# Everything that make demo and make test do on their own, so that they can be the first command.
# The set-up may bring the compiler, so the build is a make of its own.
ifndef JOBS
JOBS := $(shell nproc 2>/dev/null || echo 2)
endif
AGAIN = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: setup
setup: ## install the packages that are missing (Debian, Ubuntu), or name them
	@sh .ci/setup $(JAIL_PACKAGE) $(DEBUGINFOD_PACKAGE) $(COURIER_PACKAGE) $(WEB_PACKAGE) $(PACKAGES) $(EDIT_PACKAGES) $(TUI_PACKAGES) $(TEST_PACKAGES)

.PHONY: demo
demo: setup ## the first thing to try: rank where a real program's goroutines spent their time
	+@$(AGAIN) all
	@BIN=$(CURDIR)/$(B)/bin CC='$(CC)' sh testdata/demo.sh

.PHONY: test
test: setup ## build and check everything; three minutes, needs nothing from outside
	+@CC='$(CC)' sh testdata/check/steps.sh $(B)/test-logs $(if $(SAN),san,quick)

# ---- tests and checks: a file for each kind ----

include $(sort $(wildcard testdata/check/*.mk))

# ---- installing ----

# Where things go, each to be given as one likes; DESTDIR comes before all of them. The recorder looks
# for its library in ../lib/tprof beside BINDIR.
DESTDIR ?=
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
PRIVATEDIR ?= $(PREFIX)/lib/tprof
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR ?= $(DATADIR)/zsh/site-functions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d

MAN_PAGES := $(wildcard man/*.[1-8])

# MODE|FROM|TO of everything that is installed: install and uninstall go by the same list (.ci/install
# has the words that stand for modes).
define newline


endef
define INSTALL_LIST
$(foreach c,$(INSTALLED),755|$(B)/bin/$(c)|$(BINDIR)/$(c)$(newline))
$(foreach e,$(COURIER),755|$(e)|$(PRIVATEDIR)/$(notdir $(e))$(newline))
$(foreach e,$(EXTENSION) $(PRELOAD) $(SYMBOLS),644|$(e)|$(PRIVATEDIR)/$(notdir $(e))$(newline))
$(foreach l,$(API),644|$(l)|$(LIBDIR)/libtprof-record.so.0
link|libtprof-record.so.0|$(LIBDIR)/libtprof-record.so
644|$(REC)/api/tprof-record.h|$(INCLUDEDIR)/tprof-record.h
pc|$(REC)/api/tprof-record.pc.in|$(PKGCONFIGDIR)/tprof-record.pc$(newline))
644|$(LIBPARSE)|$(LIBDIR)/libtprof.a
644|$(LIBTPROF)|$(LIBDIR)/libtprof.so.0
link|libtprof.so.0|$(LIBDIR)/libtprof.so
644|libparse/tprof.h|$(INCLUDEDIR)/tprof.h
pc|libparse/tprof.pc.in|$(PKGCONFIGDIR)/tprof.pc
755|cmd/tprof-import/slurm.sh|$(DATADIR)/tprof/slurm.sh
644|cmd/tprof/skill/SKILL.md|$(DATADIR)/tprof/skill/SKILL.md
$(foreach f,$(wildcard cmd/tprof/skill/references/*),644|$(f)|$(DATADIR)/tprof/skill/references/$(notdir $(f))$(newline))
$(foreach p,$(MAN_PAGES),644|$(p)|$(MANDIR)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))$(newline))
$(foreach c,$(INSTALLED),644|completions/$(c).bash|$(BASHDIR)/$(c)$(newline))
$(foreach c,$(INSTALLED),644|completions/_$(c)|$(ZSHDIR)/_$(c)$(newline))
$(foreach c,$(INSTALLED),644|completions/$(c).fish|$(FISHDIR)/$(c).fish$(newline))
endef
install uninstall: export INSTALL_LIST := $(INSTALL_LIST)
install uninstall: export RECORD := $(PRIVATEDIR)/installed
install uninstall: export PC_VALUES := $(PREFIX)|$(LIBDIR)|$(INCLUDEDIR)|$(VERSION)|$(PACKAGES)
install uninstall: export DESTDIR := $(DESTDIR)

.PHONY: install
install: all ## into PREFIX (/usr/local), below DESTDIR if that is set
	@sh .ci/install
	@echo "installed tprof $(VERSION) in $$DESTDIR$(PREFIX)"

.PHONY: uninstall
uninstall: ## remove what install put there
	@sh .ci/install remove

# ---- the rest ----

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build

.PHONY: help
help: ## this list
	@echo 'tprof $(VERSION): make TARGET, first of all: make demo, make test'
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@sed -n '/^# Everything is built/,/^$$/s/^# \{0,1\}//p' Makefile

-include $(shell find $(B)/obj $(B)/ext $(B)/inside -name '*.d' 2>/dev/null)

# Static checks, and whether what is built is hardened. Included by the Makefile.
#
# Each file that a tool has nothing to say about leaves a stamp under build/lint, so a second run looks
# only at what has changed. What is left out of each tool stands here, or in .clang-tidy and
# testdata/check/cppcheck.txt, with the reason.

.PHONY: check-hardening
check-hardening: all ## what is installed is PIE, RELRO, with canaries and fortified calls (readelf)
	$(if $(HARDENED),@CC='$(CC)' BUILT='$(addprefix $(B)/bin/,$(INSTALLED)) $(EXTENSION) $(PRELOAD) $(API) $(LIBTPROF) $(LIBPARSE)' sh testdata/check/hardening.sh,@echo 'builds with sanitizers, or HARDEN=, are not checked, as they are not hardened')

LINT := build/lint
LINT_SRC := $(sort $(PARSE_SRC) $(REPORT_SRC) $(COMMON_SRC) $(REC_SRC) $(PRELOAD_SRC) $(API_SRC) $(TUI_SRC) \
	$(call lib_src,cmd/extension) $(foreach c,$(COMMANDS) $(TOOLS),$(call command_src,$(c))))
LINT_PROGRAMS := $(REC_PROGRAM_SRC) $(wildcard testdata/programs/*.c)
LINT_TESTS := $(sort $(TEST_SRC) $(filter-out $(LINT_PROGRAMS) testdata/tools/%,$(wildcard testdata/*/*.c testdata/*/*/*.c)))

LINT_CFLAGS = -std=c11 $(WARNINGS) -fPIC -pthread $(CPP_FLAGS) $(PKG_CFLAGS) -Werror
# What clang knows beyond those, of mistakes.
CLANG_WARNINGS := -Wloop-analysis -Wunreachable-code-loop-increment -Wassign-enum
# TP_ANALYZER tells analyzers, which see one file at a time, what some functions return.
ANALYZER := -DTP_ANALYZER -Wno-unused-value
# gcc 12 forgets what is kept in structures, so that nearly all it says of leaks is wrong (those of the
# tests are ASan's); and what loops and other files have filled (MSan's, and clang's analyzer's).
GCC_ANALYZER := $(ANALYZER) -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-too-complex
# Programs that are recorded see what a stranger's would, and misuse things on purpose: the compilers'
# warnings only.
LINT_PROGRAM = -Wall -Wextra -Wshadow -Wconversion -Werror -I$(REC)/api -I$(LINT)/include -Ilibparse -pthread
# What gcc has no header for: MemorySanitizer is clang's.
GCC_LACKS := testdata/check/msan.c

lint_ok = $(patsubst %,$(LINT)/$(1)/%.ok,$(2))
LINT_DEPS = -MMD -MP -MT $@ -MF $(@:.ok=.d)

# Warnings of code come with the analyzer, which compiles it; what needs the optimiser's eye as well.
$(LINT)/gcc/%.c.ok: %.c
	$(call say,GCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINT_CFLAGS) $(LINT_DEPS) -O1 -c -o $(@:.ok=.o) $<
	@rm -f $(@:.ok=.o); : >$@
$(LINT)/analyzer/%.c.ok: %.c
	$(call say,GCC-A,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LINT_CFLAGS) $(GCC_ANALYZER) $(LINT_DEPS) -O2 -c -o $(@:.ok=.o) $<
	@rm -f $(@:.ok=.o); : >$@
$(LINT)/clang/%.c.ok: %.c
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)clang $(LINT_CFLAGS) $(CLANG_WARNINGS) $(LINT_DEPS) -fsyntax-only $<
	@: >$@
# clang-tidy writes no dependencies: those of clang stand for them.
$(LINT)/tidy/%.c.ok: %.c $(LINT)/clang/%.c.ok .clang-tidy
	$(call say,TIDY,$<)
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet --checks='-clang-analyzer-*' $< -- $(LINT_CFLAGS) 2>$(@:.ok=.err) || { cat $(@:.ok=.err); false; }
	@: >$@
$(LINT)/deep/%.c.ok: %.c $(LINT)/clang/%.c.ok .clang-tidy
	$(call say,TIDY-A,$<)
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet --checks='-bugprone-*,-cert-*,-misc-*,-performance-*,-portability-*,-readability-*' $< -- $(LINT_CFLAGS) $(ANALYZER) -include testdata/check/analyzer.h 2>$(@:.ok=.err) || { cat $(@:.ok=.err); false; }
	@: >$@

# The headers as <tprof/…>, as they are once they are installed.
$(LINT)/include/tprof:
	@mkdir -p $(@D)
	@ln -s $(CURDIR)/libparse $@
$(LINT)/program/%.c.ok: %.c | $(LINT)/include/tprof
	$(call say,LINT,$<)
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 $(LINT_PROGRAM) -fsyntax-only $< && $(CC) -std=gnu11 $(LINT_PROGRAM) -O1 -c -o $(@:.ok=.o) $<
	@rm -f $(@:.ok=.o); : >$@
$(LINT)/program/%.cpp.ok: %.cpp
	$(call say,LINT,$<)
	@mkdir -p $(@D)
	$(Q)clang++ -std=c++20 $(LINT_PROGRAM) -fsyntax-only $< && $(CXX) -std=c++20 $(LINT_PROGRAM) -O1 -c -o $(@:.ok=.o) $<
	@rm -f $(@:.ok=.o); : >$@

CPPCHECK = cppcheck -j$(JOBS) --quiet --std=c11 --platform=unix64 --library=posix,gnu \
	--enable=warning,performance,portability --inline-suppr --suppressions-list=testdata/check/cppcheck.txt \
	--error-exitcode=1 --template='{file}:{line}: {severity}: {message} [{id}]' \
	-D_GNU_SOURCE -D__x86_64__ -D__GNUC__=12 -DTP_ANALYZER -DTPROF_VERSION='"0"' -Ilibparse -Ilibreport -Icmd -Itestdata/tools -I$(B)/gen

# All of C at once: it follows calls between files. What it says is known by no file, so it is one stamp.
$(LINT)/cppcheck/all.ok: $(LINT_SRC) $(LINT_TESTS) testdata/check/cppcheck.txt
	$(call say,CPPCHK,$(words $(LINT_SRC) $(LINT_TESTS)) files)
	@mkdir -p $(@D)/cache
	@printf '%s\n' $(LINT_SRC) $(LINT_TESTS) >$(@D)/files
	$(Q)$(CPPCHECK) --cppcheck-build-dir=$(@D)/cache --file-list=$(@D)/files
	@: >$@

# Of a change: the files that have changed, or include what has, since the commit in testdata/check/linted,
# the last one whose files were all looked at. Which those are, the dependencies of the build say.
.PHONY: cppcheck-changed
cppcheck-changed: all ## cppcheck on what has changed since the last whole make lint
	@mkdir -p $(LINT)/cppcheck
	@printf '%s\n' $(LINT_SRC) $(LINT_TESTS) | sh testdata/check/changed.sh $(B) >$(LINT)/cppcheck/changed
	$(Q)[ ! -s $(LINT)/cppcheck/changed ] || $(CPPCHECK) --file-list=$(LINT)/cppcheck/changed
	@echo "cppcheck: $$(($$(wc -l <$(LINT)/cppcheck/changed) + 1)) passed, 0 failed"

# T=NAME: only what these tools say.
lint_of = $(if $(T),$(filter $(T:%=$(LINT)/%/$(percent)),$(1)),$(1))
percent := %
LINT_ALL = $(sort $(call lint_of,$(call lint_ok,gcc,$(filter-out $(GCC_LACKS),$(LINT_TESTS))) $(call lint_ok,analyzer,$(LINT_SRC)) \
	$(call lint_ok,clang,$(LINT_SRC) $(LINT_TESTS)) $(call lint_ok,tidy,$(LINT_SRC)) $(call lint_ok,program,$(LINT_PROGRAMS)) \
	$(call lint_ok,deep,$(LINT_SRC)) $(LINT)/cppcheck/all.ok))
.PHONY: lint lint-all
lint: ## warnings of gcc and clang, gcc -fanalyzer, clang-tidy with its analyzer, cppcheck: all files (T='gcc analyzer clang tidy deep program cppcheck': some)
	+@MAKE='$(AGAIN)' sh testdata/check/lint.sh lint-all $(words $(LINT_ALL))
lint-all: $(LINT_ALL)

# Only where it is wanted: the list of stamps is long.
ifneq ($(filter lint-all,$(MAKECMDGOALS)),)
$(LINT_ALL): | check-packages $(WEB_PAGE) $(B)/gen/SKILL.md.inc $(call assets,libreport/flame/viewer) $(call assets,libreport/page/assets) \
	$(patsubst %,$(B)/gen/%.inc,errands.trace counter-1.5.trace catalog.heap catalog.block)
-include $(shell find $(LINT) -name '*.d' 2>/dev/null)
endif

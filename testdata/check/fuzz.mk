# Fuzz targets: as fuzzers, and as programs that are fed inputs. Included by the Makefile.

FUZZ_SRC := $(wildcard testdata/fuzz/*_fuzz.c)
FUZZ_NAMES := $(patsubst testdata/fuzz/%_fuzz.c,%,$(FUZZ_SRC))
FUZZ_HARNESS := $(call obj,$(wildcard testdata/fuzz/harness/*.c))
REPLAYS := $(FUZZ_NAMES:%=$(B)/replay/%)
built: $(REPLAYS)
FUZZERS := $(FUZZ_NAMES:%=$(B)/fuzz/%)
FUZZ_LIBS = $(LIBREPORT) $(LIBPARSE) $(ALL_LDFLAGS) $(PKG_LIBS)

# The stores that the target `store` damages are made of these.
$(B)/gen/%.inc: testdata/%
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)od -An -v -t u1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g' >$@
$(B)/obj/testdata/fuzz/harness/sound.o: $(patsubst %,$(B)/gen/%.inc,errands.trace counter-1.5.trace catalog.heap catalog.block)

# A fuzz target as an ordinary program that is given its inputs as files, and as a fuzzer (clang).
$(B)/replay/%: $(B)/obj/testdata/fuzz/%_fuzz.o $(B)/obj/testdata/fuzz/replay.o $(FUZZ_HARNESS) $(LIBREPORT) $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $(filter %.o,$^) $(FUZZ_LIBS)

# What is a command's own, and not in a library.
$(B)/replay/web $(B)/fuzz/web: $(call obj,cmd/common/allowed.c $(addprefix cmd/tprof-web/,query.c request.c))
$(B)/replay/mcp $(B)/fuzz/mcp: $(call obj,$(filter-out %/main.c %_test.c,$(wildcard cmd/tprof-mcp/*.c))) $(LIBCOMMON)
$(B)/replay/mcp $(B)/fuzz/mcp: FUZZ_LIBS = $(LIBS) $(ALL_LDFLAGS) $(PKG_LIBS) $(JAIL_LIBS)

# With a mutator that knows the format, where there is one (testdata/fuzz/mutate).
FUZZ_MUTATE := $(call obj,$(filter-out %_mutator.c %/afl.c,$(wildcard testdata/fuzz/mutate/*.c)))
fuzz_mutator = $(call obj,$(wildcard testdata/fuzz/mutate/$(1)_mutator.c))
$(foreach n,$(FUZZ_NAMES),$(eval $(B)/fuzz/$(n): $(if $(call fuzz_mutator,$(n)),$(FUZZ_MUTATE) $(call fuzz_mutator,$(n)))))
FUZZ_QUICK := $(patsubst %,-Wl$(comma)--wrap=sqlite3_%,prepare_v2 finalize close close_v2)
$(B)/fuzz/%: $(B)/obj/testdata/fuzz/%_fuzz.o $(B)/obj/testdata/fuzz/quick.o $(FUZZ_HARNESS) $(LIBREPORT) $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PIE) -o $@ $(filter %.o,$^) -fsanitize=fuzzer $(FUZZ_QUICK) $(FUZZ_LIBS)

.PHONY: replay
replay: $(REPLAYS) ## feed the inputs in testdata/fuzz (and DIR=…) to every fuzz target
	+@sh testdata/check/replay.sh '$(REPLAYS)' testdata/fuzz $(DIR)

# For AFL++: its compiler puts its own driver in the place of libFuzzer, and its fuzzer loads the mutator.
AFL_MUTATORS := $(patsubst testdata/fuzz/mutate/%_mutator.c,$(B)/lib/%_mutator.so,$(wildcard testdata/fuzz/mutate/*_mutator.c))
$(B)/lib/%_mutator.so: $(wildcard testdata/fuzz/mutate/*.[ch])
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)cc -std=c11 -O2 -fPIC -shared -D_GNU_SOURCE -Ilibparse -o $@ $(filter-out %_mutator.c,$(filter %.c,$^)) \
		libparse/decode/v2/wire.c testdata/fuzz/mutate/$*_mutator.c -lz

TIME ?= 60
ENGINE ?= libfuzzer
.PHONY: fuzz fuzz-targets fuzzers fuzz-ledger
fuzz: ## look for inputs that break something (TIME=60 seconds per target, T=NAME, ENGINE=afl, FUZZ_CORPUS=DIR; FUZZING.md)
ifeq ($(ENGINE),afl)
	@command -v afl-fuzz >/dev/null || { echo "tprof: AFL++ is missing (Debian: apt-get install afl++)" >&2; exit 1; }
	+@$(AGAIN) CC=afl-clang-fast FLAVOUR=afl SAN=address,undefined CFLAGS='-O1 -g -w' fuzzers afl-mutators
	@ENGINE=afl TIME=$(TIME) T=$(T) python3 testdata/check/fuzz.py build/afl/fuzz
else
	+@$(AGAIN) fuzz-targets
	@TIME=$(TIME) T=$(T) python3 testdata/check/fuzz.py build/fuzz/fuzz
endif
fuzz-targets: # for libFuzzer; one at a time
	@command -v clang >/dev/null || { echo "tprof: clang is missing (Debian: apt-get install clang)" >&2; exit 1; }
	+@mkdir -p build && flock build/fuzz.lock $(AGAIN) CC=clang FLAVOUR=fuzz SAN=address,undefined CFLAGS='-O1 -g -w -fsanitize=fuzzer-no-link' fuzzers
fuzz-planted: ## do the fuzz targets find bugs that are put there on purpose? (T=TARGET, CPU=60 seconds for each)
	@command -v clang >/dev/null || { echo "tprof: clang is missing (Debian: apt-get install clang)" >&2; exit 1; }
	@CPU=$(CPU) python3 testdata/fuzz/planted.py $(T)
.PHONY: afl-mutators fuzz-planted
fuzzers: $(FUZZERS)
afl-mutators: $(AFL_MUTATORS)
fuzz-ledger: ## add what make fuzz cost and found to the ledger (FUZZ_CORPUS=DIR) and to FUZZING.md
	@python3 testdata/check/fuzzledger.py

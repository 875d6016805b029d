# Fuzz targets: as fuzzers, and as programs that are fed inputs. Included by the Makefile.

# A fuzz target as an ordinary program that is given its inputs as files, and as a fuzzer (clang).
$(B)/replay/%: $(B)/obj/%.o $(B)/obj/testdata/fuzz/replay.o $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS)

$(B)/fuzz/%: $(B)/obj/%.o $(LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) -fsanitize=fuzzer $(PKG_LIBS)

TIME ?= 60
.PHONY: fuzz
fuzz: ## look for inputs that break a reader (clang's libFuzzer; TIME=60 seconds per target)
	@command -v clang >/dev/null || { echo "tprof: clang is missing (Debian: apt-get install clang)" >&2; exit 1; }
	@$(AGAIN) CC=clang FLAVOUR=fuzz SAN=address,undefined CFLAGS='-O1 -g -w -fsanitize=fuzzer-no-link' fuzzers
	@sh testdata/check/fuzz.sh $(TIME) build/fuzz/fuzz
.PHONY: fuzzers
fuzzers: $(FUZZERS)

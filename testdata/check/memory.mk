# Whole runs under checkers of memory and threads, and what the inputs in the tree reach. Included by
# the Makefile. AddressSanitizer and UndefinedBehaviorSanitizer: make SAN=address,undefined test.

# ---- MemorySanitizer: no decision is made on bytes that nobody wrote ----

# It takes a libc and libraries that it knows. SQLite, elfutils and libxml2 are not built with it, so
# what calls them is left out: store/, sql/, api/, symbol/ but for what reads Go's own tables, and imports. The
# compressors are called by way of functions that say what they wrote (msan.c); xxHash is compiled in.
MSAN_TESTS := $(filter-out $(addprefix libparse/,store/% sql/% api/% symbol/%),$(filter libparse/%,$(TEST_SRC))) \
	$(wildcard libparse/symbol/pclntab_test.c libparse/symbol/ranges_test.c)
MSAN_WRAPPED := inflate deflate libdeflate_gzip_decompress_ex ZSTD_decompressStream ZSTD_decompressDCtx \
	ZSTD_compress LZ4_compress_fast_extState LZ4_decompress_safe
MSAN_CFLAGS := -O1 -g -fsanitize-memory-track-origins -fsanitize-memory-param-retval -DXXH_INLINE_ALL
MSAN_PROGRAMS := $(MSAN_TESTS:%.c=$(B)/msan/%)

$(B)/msan/%: $(B)/obj/%.o $(B)/obj/testdata/check/msan.o $(LIBPARSE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(MSAN_WRAPPED:%=-Wl,--wrap=%) $(TEST_LIBS) $(PKG_LIBS)

.PHONY: msan msan-programs
msan: ## the decoders' tests and all inputs (CORPUS=DIR too) under clang's MemorySanitizer
	@command -v clang >/dev/null || { echo "tprof: clang is missing (Debian: apt-get install clang)" >&2; exit 1; }
	+@$(AGAIN) CC=clang SAN=memory CFLAGS='$(MSAN_CFLAGS)' msan-programs
	+@sh testdata/check/msan.sh build/san-memory/msan $(CORPUS)
msan-programs: $(MSAN_PROGRAMS) $(B)/msan/testdata/check/decode

# ---- ThreadSanitizer: make SAN=thread CFLAGS='-O1 -g' unit cli ----

# Screens (tui) keep no time under it; tests by chance take fewer rounds (base/testing_rounds.h). Its memmem
# looks at all of what is left of a text, however near the match is.
ifneq ($(filter thread,$(subst $(comma), ,$(SAN))),)
export TSAN_OPTIONS ?= intercept_memmem=0
endif

# ---- what inputs reach ----

.PHONY: coverage coverage-run
coverage: ## lines of libparse that the inputs in the tree (and CORPUS) reach; at least 90 % (LEAST=)
	+@$(AGAIN) COVERAGE=1 CFLAGS='-O0 -g' coverage-run
coverage-run: all $(REPLAYS)
	+@LEAST='$(LEAST)' sh testdata/check/coverage.sh $(B) '$(REPLAYS)' $(CORPUS)

# ---- memcheck ----

.PHONY: valgrind
valgrind: all ## imports and reports of all dumps (and CORPUS) under memcheck; an hour (SAMPLE=N: the smallest of each folder)
	+@$(if $(SAMPLE),,sh testdata/check/whole.sh valgrind) env SAMPLE='$(SAMPLE)' sh testdata/check/valgrind.sh $(B)/bin $(CORPUS)

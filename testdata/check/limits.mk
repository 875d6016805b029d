# What hostile files may cost. Included by the Makefile.

.PHONY: limits limits-sample
limits: all recursion ## memory and time of all commands on hostile files of 1 MB (T=PATTERN: some)
	@$(if $(T),,sh testdata/check/whole.sh limits) python3 testdata/check/limits.py $(B)/bin $(T)
limits-sample: all ## the same of a file in ten, as CI does
	@SAMPLE=1 python3 testdata/check/limits.py $(B)/bin $(T)

# Who calls whom, as gcc sees it; without optimisation, so that nothing is inlined.
CALLS := $(patsubst %.c,$(B)/calls/%.ci,$(PARSE_SRC) $(REPORT_SRC) $(COMMON_SRC) $(TUI_SRC) $(REC_SRC) \
	$(PRELOAD_SRC) $(filter-out %_test.c,$(foreach c,$(INSTALLED),$(wildcard cmd/$(c)/*.c))))
$(B)/calls/%.ci: %.c
	@mkdir -p $(@D)
	$(Q)CCACHE_DISABLE=1 gcc -std=c11 -w $(CPP_FLAGS) $(PKG_CFLAGS) -fcallgraph-info -c -o $(@:.ci=.o) $<
	@rm -f $(@:.ci=.o)
$(B)/calls/libreport/flame/format/asset.ci: $(call assets,libreport/flame/viewer)
$(B)/calls/libreport/page/asset.ci: $(call assets,libreport/page/assets)
$(B)/calls/cmd/tprof/guide.ci: $(B)/gen/SKILL.md.inc
$(B)/calls/cmd/tprof-web/page.ci: $(WEB_PAGE)

.PHONY: recursion
recursion: ## no function's calls come back to it, but for those that are bounded otherwise
	@command -v gcc >/dev/null || { echo "tprof: gcc is missing (Debian: apt-get install gcc)" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(B)/calls/list
	@python3 testdata/check/recursion.py testdata/limits/recursive $(CALLS)
$(B)/calls/list: $(CALLS)
	@touch $@

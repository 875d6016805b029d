# The parts of make test, each also a target, and checks that take longer. Included by the Makefile.

# What they need, so that parts that run at once build nothing.
.PHONY: built
built: all record-programs $(TESTS)

.PHONY: unit
unit: $(TESTS) ## the tests of the modules (T=NAME: only some)
	+@sh testdata/check/unit.sh $(TESTS)

.PHONY: cli
cli: all ## the commands against their recorded output
	+@BIN=$(CURDIR)/$(B)/bin $(if $(SAN),LIMIT=600) sh testdata/cli/run.sh $(T)

.PHONY: golden
golden: all ## record the commands' output anew; read the diff before it is committed
	+@BIN=$(CURDIR)/$(B)/bin UPDATE=1 sh testdata/cli/run.sh $(T)
	$(if $(T),,@BIN=$(CURDIR)/$(B)/bin UPDATE=1 sh testdata/check/readme.sh)

.PHONY: tui golden-tui
tui: all ## drive tprof-tui by keys, compare its screens with recorded ones (T='NAME NAME': only some)
	@BIN=$(CURDIR)/$(B)/bin sh testdata/tui/run.sh $(T)
golden-tui: all ## record the screens of tprof-tui anew; look at them before they are committed
	@BIN=$(CURDIR)/$(B)/bin UPDATE=1 sh testdata/tui/run.sh $(T)
	$(if $(T),,@BIN=$(CURDIR)/$(B)/bin UPDATE=1 sh testdata/check/keys.sh)
	$(if $(T),,@BIN=$(CURDIR)/$(B)/bin UPDATE=1 sh testdata/check/readme.sh)

.PHONY: recorder
recorder: all record-programs ## record programs that know what is to come out, or are hard to survive
	+@CC='$(CC)' sh testdata/recorder/check.sh $(B)

.PHONY: check-layers check-headers check-docs check-readme check-install
check-install: all ## what make install puts somewhere, make uninstall takes away
	@MAKE='$(MAKE) --no-print-directory' CC='$(CC)' CXX='$(CXX)' sh testdata/check/install.sh
check-readme: all ## the README shows what the commands print
	@BIN=$(CURDIR)/$(B)/bin sh testdata/check/readme.sh
check-layers: ## dependencies point one way
	@sh testdata/check/layers.sh
check-headers: ## every header compiles alone
	+@CC='$(CC) -std=c11 $(WARNINGS) $(CPP_FLAGS) $(PKG_CFLAGS)' sh testdata/check/headers.sh
check-docs: all ## manual pages and completions say what --help says
	@sh testdata/check/docs.sh $(B)/bin
	@BIN=$(CURDIR)/$(B)/bin sh testdata/check/keys.sh

.PHONY: check-budget
check-budget: all ## --budget holds for every table, text and report, and no name is cut without a terminal
	@if command -v python3 >/dev/null; then python3 testdata/check/budget.py $(B)/bin; \
	else echo 'budgets are not checked, as python3 is missing (Debian: apt-get install python3)'; [ "$${CI:-}" != true ]; fi

# ---- what takes longer, or needs more than this repository ----

.PHONY: conformance
conformance: all ## compare with Go's own readers over CORPUS (../shared/corpus unless set; PICTURES=20 of timelines a trace)
	@sh testdata/check/conformance.sh $(B)/bin $(CORPUS)
	@python3 testdata/check/cut.py $(B)/bin
	@python3 testdata/check/perfetto.py $(B)/bin
	@python3 testdata/check/path.py $(B)/bin
	@python3 testdata/check/tasks.py $(B)/bin $(CORPUS)
	@PICTURES='$(PICTURES)' sh testdata/check/lanes.sh $(B)/bin $(CORPUS)
	@python3 testdata/check/anonymise.py $(B)/bin

.PHONY: check-logs
check-logs: all ## dumps of goroutines in logs of every kind say what they say alone (SEED=1 KEEP=DIR ALL=1)
	@ALL='$(ALL)' python3 testdata/check/dumplogs.py $(B)/bin $(or $(SEED),1) $(KEEP)

.PHONY: check-heldout
check-heldout: all ## tests of Go's own packages, recorded now with four releases, equal Go's reader (T=NAME KEEP=DIR)
	@T='$(T)' sh testdata/check/heldout.sh $(B)/bin $(KEEP)

.PHONY: check-recipes
check-recipes: all ## the recipes for CI in testdata/ci do what they say, on a small module (PyYAML, PEERS)
	@python3 testdata/check/recipes.py $(B)/bin $(or $(PEERS),$(HOME)/.cache/tprof-peers)/go1.27/bin/go

.PHONY: check-otlp
check-otlp: SCHEMA ?= $(or $(PEERS),$(HOME)/.cache/tprof-peers)/opentelemetry-proto
check-otlp: all ## profiles converted to OpenTelemetry's are what they were
	@python3 testdata/check/otlp.py $(B)/bin "$(SCHEMA)" testdata/catalog.cpu testdata/catalog.heap \
		testdata/corpus/profiles/odd-*.pb || test $$? = 77

.PHONY: check-jeprof
check-jeprof: all ## heap profiles of jemalloc, recorded now, are what jeprof says of them
	@python3 testdata/check/jeprof.py $(B)/bin

.PHONY: check-speedscope
check-speedscope: all ## speedscope's files are what speedscope's own code says of them (SEED=1)
	@python3 testdata/check/speedscope.py $(B)/bin $(or $(SEED),1)

.PHONY: check-whatif
check-whatif: all ## what tprof-path --what-if predicts, against programs that were changed so (GO: go 1.27)
	@python3 testdata/check/whatif.py $(B)/bin $(or $(GO),$${PEERS:-$$HOME/.cache/tprof-peers}/go1.27/bin/go)

.PHONY: check-merge
check-merge: all ## random trees of merges make the same store, and it answers as its parts did (ROUNDS=12 SEED=1)
	@python3 testdata/check/merge.py $(B)/bin $(or $(ROUNDS),12) $(or $(SEED),1)

.PHONY: conformance-selftest
conformance-selftest: all ## check that the comparison with Go's readers is able to fail
	@sh testdata/check/selftest.sh $(B)/bin

.PHONY: bench
bench: all record-programs ## time imports and reports, beside Go's tools where they are, or BASE=COMMIT
	@$(if $(BASE),sh testdata/bench/base.sh $(BASE) $(B)/bin $(T),sh testdata/bench/run.sh $(B)/bin $(T))

.PHONY: test-browser
test-browser: all ## flame graphs and pages in headless Chromium; screenshots are left in build/out/browser
	@sh testdata/browser/run.sh $(B)

.PHONY: test-web
test-web: all ## every view of tprof-web's page in headless Chromium (SHORT=1 ONLY='timeline sql' WEB_ROUNDS=2000)
	@$(if $(WEB),SHORT='$(SHORT)' ONLY='$(ONLY)' WEB_ROUNDS='$(WEB_ROUNDS)' sh testdata/web/run.sh $(B),echo 'tprof-web is not built: nothing to check')

.PHONY: check-web
check-web: all ## the server of tprof-web against other pages, other users and readers that leave
	@$(if $(WEB),python3 testdata/check/web.py $(B)/bin,echo 'tprof-web is not built: nothing to check')

.PHONY: test-mcp
test-mcp: all ## tprof-mcp beside the protocol's own client, from npm (SHORT=1: 200 calls in place of 1,000)
	@SHORT='$(SHORT)' sh testdata/mcp/run.sh $(B)

.PHONY: test-tui
test-tui: all ## storms of sizes and random keys at tprof-tui, under sanitizers (KEYS=100000)
	+@MAKE='$(AGAIN)' KEYS='$(KEYS)' sh testdata/tui/long.sh $(B)

.PHONY: test-recorder
test-recorder: all record-programs ## record redis, memcached and others; Go's own readers are the judges
	@CC='$(CC)' sh testdata/recorder/real.sh $(B)

.PHONY: size
size: ## lines of C by folder, long functions and files, circles between folders
	@mkdir -p build
	@sh testdata/check/size.sh

.PHONY: messages
messages: ## every message a user can meet, with its place (T=PART: of files whose path holds it)
	@python3 testdata/check/messages.py $(T)

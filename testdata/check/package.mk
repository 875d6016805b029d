# What is given to strangers: a tarball, Debian packages; and a machine that has nothing but Debian's
# base. Included by the Makefile.

DIST := build/dist/tprof-$(VERSION)

.PHONY: dist check-dist
dist: ## the sources as a tarball in build/dist, the same bytes whoever makes it
	@VERSION=$(VERSION) sh testdata/check/dist.sh $(DIST).tar.gz
check-dist: ## the tarball is the same when it is made from what is in it, and elsewhere
	@MAKE='$(MAKE) --no-print-directory' VERSION=$(VERSION) sh testdata/check/dist-check.sh

.PHONY: deb check-deb
deb: dist ## Debian packages in build/deb (what they need to be built: see debian/control)
	@sh testdata/check/deb.sh $(DIST).tar.gz build/deb
check-deb: deb ## lintian has nothing to say about them, and built elsewhere they are the same
	@sh testdata/check/deb-check.sh $(DIST).tar.gz build/deb

.PHONY: fresh
fresh: ## make demo and make test in a clone, the tarball, the packages, each on Debian's bare base (root; T=clone: only that)
	@sh testdata/check/fresh.sh $(T)

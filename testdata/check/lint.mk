# Static checks, and whether what is built is hardened. Included by the Makefile.

.PHONY: check-hardening
check-hardening: all ## what is installed is PIE, RELRO, with canaries and fortified calls (readelf)
	$(if $(HARDENED),@CC='$(CC)' BUILT='$(addprefix $(B)/bin/,$(INSTALLED)) $(EXTENSION) $(PRELOAD) $(API) $(LIBPARSE)' sh testdata/check/hardening.sh,@echo 'builds with sanitizers, or HARDEN=, are not checked, as they are not hardened')

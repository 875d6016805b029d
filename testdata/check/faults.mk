# Faults: the commands with calls that fail, killed, and many at once. Included by the Makefile.

FAULT_LIBRARY := build/faults/fault.so

# Never with sanitizers itself: it is in front of them.
$(FAULT_LIBRARY): $(wildcard testdata/faults/*.c) testdata/faults/fault.h
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARNINGS) -D_GNU_SOURCE -O2 -g -fPIC -shared -o $@ $(filter %.c,$^) -ldl

.PHONY: faults
faults: all $(FAULT_LIBRARY) ## fail every call of every command, one by one (ONLY=import-v2,top; long)
	@python3 testdata/faults/faults.py $(B)/bin $(FAULT_LIBRARY) $(if $(ONLY),--only=$(ONLY)) $(if $(SAMPLE),--sample=$(SAMPLE))

# Faults: the commands with calls that fail, killed, and many at once. Included by the Makefile.

FAULTS := build/faults
FAULT_LIBRARY := $(FAULTS)/fault.so
FAULT_PROGRAMS := $(FAULTS)/planted $(FAULTS)/recorded

# Never with sanitizers itself: it is in front of them.
$(FAULT_LIBRARY): $(filter-out %/recorded.c,$(wildcard testdata/faults/*.c)) testdata/faults/fault.h
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARNINGS) -D_GNU_SOURCE -O2 -g -fPIC -shared -o $@ $(filter %.c,$^) -ldl

# What is recorded: as it is, whatever else is built with sanitizers.
$(FAULTS)/recorded: testdata/faults/recorded.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARNINGS) -D_GNU_SOURCE -O1 -g -o $@ $< -pthread

# Bugs that are there on purpose.
$(FAULTS)/planted: testdata/faults/planted/planted.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARNINGS) -D_GNU_SOURCE -O1 -g -fno-builtin-malloc -o $@ $<

.PHONY: faults faults-sample faults-quick
faults: all $(FAULT_LIBRARY) $(FAULT_PROGRAMS) ## fail each call of each command in turn, kill, crowd; hours (ONLY=import,top: some commands)
	+@$(if $(ONLY),,sh testdata/check/whole.sh faults) env FAULTS=all ONLY='$(ONLY)' MAKE='$(AGAIN)' sh testdata/check/faults.sh $(B) $(FAULTS)
faults-sample: all $(FAULT_LIBRARY) $(FAULT_PROGRAMS) ## of make faults what takes four minutes
	+@FAULTS=sample ONLY='$(ONLY)' MAKE='$(AGAIN)' sh testdata/check/faults.sh $(B) $(FAULTS)
faults-quick: all $(FAULT_LIBRARY) $(FAULT_PROGRAMS) ## and what takes four seconds
	+@FAULTS=quick MAKE='$(AGAIN)' sh testdata/check/faults.sh $(B) $(FAULTS)

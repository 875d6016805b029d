# Many machines: a simulated fleet, and what runs where one machine is not enough, on servers that are
# started on loopback and stopped again. Included by the Makefile.

.PHONY: test-fleet
test-fleet: all ## regressions planted in a fleet, batch jobs and a distributed engine on loopback (T=gate: only that)
	@sh testdata/check/fleet.sh $(B)/bin $(T)

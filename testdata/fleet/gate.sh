#!/bin/sh
# Does a gate over a fleet find what was planted in it, and nothing else? For each of some seeds,
# makefleet writes the dumps of two services in two versions, one of which never changes: rolled out to
# all hosts, and as a canary on a quarter of them. tprof-import puts them into one store by makefleet's
# list of labels, and tprof-diff compares the versions host by host; the functions that exceed the gate
# have to be those of makefleet's truth that changed by more than its limit.
#
#   sh testdata/fleet/gate.sh BIN_FOLDER [SEED…]
set -u
cd "$(dirname "$0")/../.." || exit 4
exec python3 testdata/fleet/gate.py "$@"

#!/bin/sh
# make conformance: compares every dump of a corpus with what Go's own readers and pprof say of it.
#
#   sh testdata/check/conformance.sh BIN_FOLDER [CORPUS]     (../shared/corpus unless given)
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1 corpus=${2:-../shared/corpus}
if [ ! -d "$corpus/traces" ] && [ ! -d "$corpus/profiles" ]; then
	echo "conformance: $corpus has no folder traces or profiles; give one with make conformance CORPUS=DIR" >&2
	exit 3
fi
exec "$bin/conformance" "$corpus"

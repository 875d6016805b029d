#!/bin/sh
# The golden tests of testdata/cli with commands of another machine.
#
#   sh testdata/ports/commands.sh BIN [N]      every Nth of them, all unless given
set -u
cd "$(dirname "$0")/../.." || exit 4
every=${2:-1} number=0

skip=
for test in testdata/cli/*.sh; do
	name=$(basename "$test" .sh)
	number=$((number + 1))
	# Those that record: the recorder is not there.
	grep -q -e 'tprof-record' -e 'tprof record' "$test" || [ $((number % every)) -ne 0 ] && skip="$skip $name"
done
BIN=$1 SKIP=$skip LIMIT=300 exec sh testdata/cli/run.sh

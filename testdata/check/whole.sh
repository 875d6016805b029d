#!/bin/sh
# Runs a check that takes too long for .ci/run, whole, and when it passes writes so into the ledger
# testdata/check/whole.tsv: the target's row says when it last passed, on which commit, in how many seconds
# and with how many counts.
#
#   sh testdata/check/whole.sh TARGET COMMAND…
set -u
cd "$(dirname "$0")/../.." || exit 4
target=$1
shift
ledger=testdata/check/whole.tsv
log=$(mktemp) || exit 4
trap 'rm -f "$log" "$log.status"' EXIT
began=$(date +%s)
{
	"$@" 2>&1
	echo $? >"$log.status"
} | tee "$log"
status=$(cat "$log.status")
counts=$(sed -nE 's/^(.*: )?([0-9]+ passed, 0 failed)$/\2/p' "$log" | tail -n 1)
if [ "$status" -eq 0 ] && [ -n "$counts" ]; then
	changed=$([ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || echo '+')
	{
		grep -v "^$target	" "$ledger"
		printf '%s\t%s\t%s\t%d\t%s\n' "$target" "$(date -u +%F)" "$(git rev-parse --short=8 HEAD)$changed" \
			$(($(date +%s) - began)) "$counts"
	} >"$ledger.new"
	{ head -n 1 "$ledger.new" && tail -n +2 "$ledger.new" | LC_ALL=C sort; } >"$ledger" && rm "$ledger.new"
fi
exit "$status"

#!/bin/sh
# Runs what testdata/fleet has for a fleet, one after the other: each script starts the servers it needs
# on loopback, with their data in a folder that is removed, and stops them, also when it is interrupted.
#
#   paper.sh	   FLEET.md has the numbers that its script computes
#   gate.sh	   tprof-diff finds what makefleet planted, and nothing else
#   slurm.sh	   array jobs on slurmctld and several slurmd
#   clickhouse.sh  several ClickHouse servers
#
# A script says "N passed, N failed" at its end. What it needs and is not there is named with its Debian
# package: in CI (CI=true) that is a failure, elsewhere the script is left out. It may say so itself, too,
# by status 77.
#
#   sh testdata/check/fleet.sh BIN_FOLDER [NAME…]
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1
shift
passed=0 failed=0
log=$(mktemp) || exit 4
child=

# Told to end, the script that runs is, too, and gets the time to stop its servers.
interrupted() {
	trap - INT TERM
	[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
	[ -z "$child" ] || wait "$child"
	rm -f "$log"
	exit 1
}
trap interrupted INT TERM
trap 'rm -f "$log"' EXIT

needs() { # script: COMMAND:PACKAGE…
	case $1 in
	gate | paper) echo python3:python3 ;;
	slurm) echo 'slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge python3:python3' ;;
	clickhouse) echo 'clickhouse-server:clickhouse-server curl:curl python3:python3' ;;
	esac
}

missing() { # script
	for tool in $(needs "$1"); do
		command -v "${tool%%:*}" >/dev/null || [ -x "/usr/sbin/${tool%%:*}" ] || printf ' %s' "${tool#*:}"
	done
}

run() { # script
	local packages status
	packages=$(missing "$1")
	if [ -n "$packages" ]; then
		echo "$1: not checked, as these Debian packages are missing:$packages"
		[ "${CI:-}" != true ] || failed=$((failed + 1))
		return
	fi
	echo "$1:"
	sh "testdata/fleet/$1.sh" "$bin" >"$log" 2>&1 &
	child=$!
	wait "$child"
	status=$?
	child=
	sed 's/^/    /' "$log"
	set -- "$1" "$status" $(sed -nE 's/^(.*: )?([0-9]+) passed, ([0-9]+) failed$/\2 \3/p' "$log" | tail -n 1)
	if [ "$2" -eq 77 ] && [ "${CI:-}" != true ]; then
		return
	fi
	passed=$((passed + ${3:-0})) failed=$((failed + ${4:-0}))
	# One that ends badly, or without a word, has failed.
	if [ "${4:-0}" -eq 0 ] && { [ "$2" -ne 0 ] || [ "${3:-0}" -eq 0 ]; }; then
		echo "FAILED $1: status $2"
		failed=$((failed + 1))
	fi
}

for script in "${@:-paper gate slurm clickhouse}"; do
	for name in $script; do
		[ ! -e "testdata/fleet/$name.sh" ] || run "$name"
	done
done
echo "fleet: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

# For the scripts beside it: needs TOOL PACKAGE, part 'what' COMMAND…, and finish PORT, which says the
# sum of all parts. To be read in by `.`; the log of the last part is in $log.
passed=0 failed=0
log=$(mktemp) || exit 4
trap 'rm -f "$log"' EXIT

needs() { # command, Debian's package
	command -v "$1" >/dev/null 2>&1 && return
	echo "tprof: $1 is missing (Debian: apt-get install $2)" >&2
	[ "${CI:-}" = true ] || exit 77
	exit 1
}

# A part that says "N passed, M failed" at its end counts so, any other as one.
part() { # what, command…
	what=$1 started=$(date +%s)
	shift
	"$@" >"$log" 2>&1
	status=$?
	# shellcheck disable=SC2046
	set -- $(sed -nE -e 's/^(.*: )?([0-9]+) passed, ([0-9]+) failed$/\2 \3/p' \
		-e 's/^[0-9]+ files, ([0-9]+) compared, ([0-9]+) differences$/\1 \2/p' "$log" | tail -n 1)
	[ $# -eq 2 ] || set -- "$((status == 0))" "$((status != 0))"
	[ "$status" -eq 0 ] || [ "$2" -gt 0 ] || set -- "$1" 1
	[ "$2" -eq 0 ] || cat "$log"
	passed=$((passed + $1)) failed=$((failed + $2))
	echo "$what: $1 passed, $2 failed, $(($(date +%s) - started)) s"
	[ "$2" -eq 0 ]
}

# A build that says nothing but what it builds.
build() { # what, argument of make…
	what=$1
	shift
	# shellcheck disable=SC2086
	part "$what" builds_quietly "$@"
}
builds_quietly() {
	# shellcheck disable=SC2086
	$MAKE "$@" 2>&1 && ! grep -qE '^[^ ]+:[0-9]+:[0-9]+: warning: ' "$log"
}

finish() { # port
	echo "port-$1: $passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
}

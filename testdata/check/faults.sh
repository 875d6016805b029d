#!/bin/sh
# make faults: testdata/faults has what it runs.
#
#   FAULTS=all|sample|quick ONLY=NAME,… MAKE=make sh testdata/check/faults.sh BUILD_FOLDER FAULTS_FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1 here=$2
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

left_out() {
	echo "faults are not checked, as $1"
	[ "${FEATURES:-}" != all ] || exit 1
	exit 0
}
if ! command -v python3 >/dev/null; then
	[ "${CI:-}" != true ] || FEATURES=all
	left_out 'python3 is missing (Debian: apt-get install python3)'
fi
[ "$(uname -sm)" = 'Linux x86_64' ] || left_out 'the library that makes them is for Linux on x86-64'
grep -q '^Seccomp:' /proc/self/status || left_out 'this system has no seccomp filters'

part() { # command…
	"$@" >"$log" 2>&1
	status=$?
	cat "$log"
	counts=$(sed -nE 's/^.*: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
	p=${counts%% *} f=${counts##* }
	[ -n "$counts" ] || { p=0 f=1; echo "FAILED $*: it counts nothing"; }
	[ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
	passed=$((passed + p)) failed=$((failed + f))
}

sweep() { part python3 testdata/faults/faults.py "$@"; }

# What is not given back on the ways of errors: gcc's LeakSanitizer looks, without a build of its own; of
# a build with AddressSanitizer, that does.
leaks=
case $build in *san-*) ;; *)
	leaks=$(gcc -print-file-name=liblsan.so 2>/dev/null)
	case $leaks in
	/*) ;;
	*)
		leaks=
		echo 'leaks are not looked for, as liblsan.so of gcc is missing'
		[ "${CI:-}" != true ] || failed=1
		;;
	esac
	;;
esac

# shellcheck disable=SC2086
part python3 testdata/faults/selftest.py "$here" "$here/fault.so" $leaks
case ${FAULTS:-all} in
all)
	sweep "$build/bin" "$here/fault.so" --only="$ONLY" --verbose
	if [ -z "$ONLY" ]; then
		part python3 testdata/faults/kill.py "$build/bin" "$here/fault.so" 500
		part python3 testdata/faults/crowd.py "$build/bin" 60
		[ -z "$leaks" ] || sweep "$build/bin" "$here/fault.so" --leaks="$leaks" --kinds=alloc,read,write,open --sample=100
		# And what is done with memory on those ways: places that differ, under AddressSanitizer.
		$MAKE SAN=address,undefined all >/dev/null || failed=$((failed + 1))
		sweep build/san-address-undefined/bin "$here/fault.so" --leaks= --sample=20 --timeout=60
	fi
	;;
sample)
	sweep "$build/bin" "$here/fault.so" --only="$ONLY" --sample=20 --most=100
	[ -z "$leaks" ] || sweep "$build/bin" "$here/fault.so" --only="$ONLY" --leaks="$leaks" --kinds=alloc --sample=20 --most=30
	part python3 testdata/faults/kill.py "$build/bin" "$here/fault.so" 70
	part python3 testdata/faults/crowd.py "$build/bin" 12
	;;
quick)
	sweep "$build/bin" "$here/fault.so" --only=import-text --sample=400
	;;
esac
echo "faults: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

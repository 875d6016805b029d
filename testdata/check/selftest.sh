#!/bin/sh
# make conformance-selftest: the comparison with Go's readers must be able to fail. Every number of the
# expectations in testdata/corpus is altered in turn, and bytes of every listing (--selftest); then the
# command itself is run over copies of the corpus in which one thing is wrong.
#
#   sh testdata/check/selftest.sh BIN_FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 4
conformance=$1/conformance
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

check() { # what, expected status, status
	if [ "$3" -eq "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1: exit status $3, not $2"
		cat "$scratch/out"
	fi
}
compare() { "$conformance" "$@" >"$scratch/out" 2>&1; }

# A copy of the corpus, in which one file is another one for as long as it is looked at; the rest of it
# is compared above. Comparing the dump that the file belongs to must be able to fail.
cp -R testdata/corpus "$scratch/corpus"
put_back() { cp "testdata/corpus/$1" "$scratch/corpus/$1"; } # file below the corpus
compare_one() { # file below the corpus
	dump=${1##*/}
	for suffix in .expect.json .raw.txt .top.txt .trace; do
		dump=${dump%"$suffix"}
	done
	compare --only="$dump" "$scratch/corpus"
}
edit() { # file below the corpus, sed script; the file must change
	sed "$2" "testdata/corpus/$1" >"$scratch/corpus/$1"
	cmp -s "testdata/corpus/$1" "$scratch/corpus/$1" && echo "FAILED $1: '$2' changes nothing" && failed=$((failed + 1))
}
wrong() { # what is wrong, file, sed script
	edit "$2" "$3"
	compare_one "$2"
	check "$1" 1 $?
	put_back "$2"
}

compare testdata/corpus
check 'the corpus as it is' 0 $?
compare --selftest testdata/corpus
check 'any number of an expectation, bytes of listings' 0 $?
# The count of alterations is printed; a run that altered nothing would prove nothing.
altered=$(sed -n '$s/^.* files, \([0-9]*\) alterations.*/\1/p' "$scratch/out")
[ "${altered:-0}" -gt 2000 ]
check 'there is something to alter' 0 $?

wrong 'an event count' traces/checkout-1.22.expect.json 's/"events":\([0-9]*\)/"events":1\1/'
wrong 'a hash of a listing' traces/checkout-1.27.expect.json 's/"log_sha256":"./"log_sha256":"x/'
wrong 'a name' traces/checkout-1.19.expect.json 's/main\.(\*Shop)\.cashier/main.(*Shop).cachier/'
wrong 'a field that nobody knows' traces/oddities-1.27.expect.json 's/^{/{"surprise":{"a":1},/'
wrong 'a goroutine that is missing' traces/checkout-1.25.expect.json 's/"goroutines":\[{[^{]*{[^{]*{[^}]*}[^}]*},/"goroutines":[/'
wrong 'a goroutine that is there twice' traces/checkout-1.25.expect.json 's/"goroutines":\[\({[^{]*{[^{]*{[^}]*}[^}]*}\),/"goroutines":[\1,\1,/'
wrong 'an error that does not happen' traces/checkout-1.25.expect.json 's/^{/{"error":"broken","events_before_error":3,/'
wrong 'the end before an error' broken/cut-1.22.expect.json 's/"events_before_error":3/"events_before_error":4/'
# What was kept of one trace is no part of another: the truth test must see that.
wrong 'another whole' broken/middle-1.27.expect.json 's/slow-1.27/checkout-1.27/'

# A dump in which a byte is another one.
trace=traces/checkout-1.27.trace
printf '\004' | dd of="$scratch/corpus/$trace" bs=1 seek=9000 conv=notrunc 2>/dev/null
compare_one $trace
check 'an altered dump' 1 $?
put_back $trace

# Profiles.
raw=profiles/stuck-1.27.goroutine.d0.raw.txt
wrong 'a value of a sample' $raw 's/^          4: 1 2/          5: 1 2/'
wrong 'a location on a stack' $raw 's/^\( *4: 1 2 3\) 4/\1 5/'
wrong 'an address' $raw 's/0x47df09/0x47df08/'
wrong 'a function' $raw 's/ runtime\.gopark / runtime.goparc /'
wrong 'a line of code' $raw 's,runtime/proc.go:474:,runtime/proc.go:475:,'
wrong 'a sample that is missing' $raw '/^          4: 1 2/d'
wrong 'a mapping' $raw 's/^1: 0x4/1: 0x5/'
top=profiles/odd-negative.pb.top.txt
wrong 'a flat value' $top 's/^        -5 /        -6 /'
wrong 'a name in a list' $top 's/ slower$/ slow/'
wrong 'a row that is missing' $top '/ slower$/d'
wrong 'a label' profiles/odd-labels.pb.raw.txt 's/milliseconds/seconds/'
wrong 'an inlined call' profiles/odd-inlined.pb.raw.txt '/^             main.(\*T).Outer/d'
wrong 'an address of a text dump' profiles/stuck-1.27.goroutine.d1.raw.txt 's/0x47df09/0x47df08/'
wrong 'a name of a text dump' profiles/stuck-1.27.goroutine.d1 's/lockSlow/lockSlew/'
wrong 'a count of goroutines' profiles/stuck-1.27.goroutine.d1 's/^4 @/5 @/'

# All is back in its place: what was found above was of the one file, not of those before it.
compare "$scratch/corpus"
check 'the copy of the corpus' 0 $?

compare "$scratch/nowhere"
check 'no such folder' 3 $?
[ "$(wc -l <"$scratch/out")" -eq 1 ]
check 'one sentence about it' 0 $?

echo "conformance-selftest: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

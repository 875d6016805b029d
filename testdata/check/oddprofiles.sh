#!/bin/sh
# Profiles that our own program makes, as odd as real producers' can be, are read by us and by pprof
# with equal results: every line of -raw and of -top, one by one and several added up.
#
#   sh testdata/check/oddprofiles.sh BIN_FOLDER PPROF [SEED]
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1 pprof=$2 seed=${3:-1}
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
TZ=UTC HOME=$scratch
export TZ HOME
mkdir "$scratch/profiles"
"$bin/oddprofiles" -n 20 -s "$seed" "$scratch/profiles" || exit 4
sh testdata/check/expect-profiles.sh "$pprof" "$scratch"/profiles/*
for file in "$scratch"/profiles/*.pb; do
	[ -s "$file.raw.txt" ] && [ -s "$file.top.txt" ] || { echo "FAILED ${file##*/}: pprof cannot read it"; exit 1; }
done
"$bin/conformance" "$scratch" >"$scratch/out"
status=$?
[ "$status" -eq 0 ] || cat "$scratch/out"
files=$(sed -n '$s/ files,.*//p' "$scratch/out") failed=0 passed=0
differ=$(awk 'NR > 1 && $4 > 0 && $1 ~ /\.pb$/' "$scratch/out" | wc -l)
passed=$((files - differ)) failed=$differ

same() { # what, files…
	what=$1
	shift
	"$pprof" -symbolize=none -raw "$@" >"$scratch/a" 2>/dev/null
	"$bin/tprof-top" --demangle=none --raw "$@" >"$scratch/b" 2>/dev/null
	if [ -s "$scratch/a" ] && "$bin/conformance" --raw="$scratch/a" "$scratch/b" >"$scratch/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $what:"
		cat "$scratch/out"
	fi
}
p=$scratch/profiles
same 'the same profile on the wire in four ways, added up' $p/wire.pb $p/wire-early.pb $p/wire-late.pb $p/wire-unknown.pb
same 'a profile and itself' $p/merged.pb $p/merged.pb
same 'profiles with mappings of the same files' $p/inlined.pb $p/inlined.pb
same 'what cancels out' $p/negative.pb $p/negative.pb
for name in drop-frames labels mappings nameless no-functions recursion; do
	same "$name, twice" "$p/$name.pb" "$p/$name.pb"
done

# What we write is what we read (dropping frames twice would drop more).
for file in "$p"/*.pb; do
	"$bin/tprof-export" --demangle=none --format=proto --all-frames "$file" -o "$scratch/again.pb.gz" 2>"$scratch/why"
	"$pprof" -symbolize=none -raw "$scratch/again.pb.gz" >"$scratch/a" 2>/dev/null
	if [ -s "$scratch/a" ] && "$bin/conformance" --raw="$file.raw.txt" "$scratch/a" >"$scratch/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED ${file##*/} does not survive tprof-export: $(cat "$scratch/why")"
		cat "$scratch/out"
	fi
done
echo "odd profiles: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

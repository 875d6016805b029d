#!/bin/sh
# make coverage: how much of libparse is reached by inputs alone, those of the tree and of a corpus where
# there is one: every seed and every dump through the fuzz targets of its kind; dumps that hostile writes,
# small ones of every kind and large ones of three; the comparison of the tree's dumps with Go's readers;
# and the commands of testdata/cli, which are given these dumps. No test of a module is run. What inputs
# reach without the commands is told, too.
#
#   [JOBS=N] [LEAST=90] sh testdata/check/coverage.sh BUILD_FOLDER 'TARGET…' [CORPUS]
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1 targets=$2 corpus=${3:-../shared/corpus}
command -v gcov >/dev/null || { echo "tprof: gcov is missing (Debian: apt-get install gcc)" >&2; exit 1; }
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" SECONDS_EACH=600
find "$build" -name '*.gcda' -delete
failed=0
part() { # what, command…
	echo "-- $1"
	shift
	"$@" >"$scratch/log" 2>&1 || { grep -A 5 FAILED "$scratch/log" || tail -n 20 "$scratch/log"; echo "FAILED $*"; failed=1; }
	# What children used of the processors, all parts so far.
	times >"$scratch/times"
	awk 'END { print "   processor time so far: " $1 " and " $2 }' "$scratch/times"
}

# shellcheck disable=SC2317
# Of more events than a segment of a store holds, and so many goroutines and tasks that those that
# ended are packed away.
large() {
	mkdir "$scratch/large"
	"$build/bin/hostile" -s 9000000 -m '^(v2-created-in-turn|v2-tasks-ended)$' "$scratch/large" || return
	"$build/bin/hostile" -s 120000 -m '^gz-goroutines$' "$scratch/large" || return
	for dump in "$scratch/large"/*; do
		"$build/bin/tprof-import" -o "$dump.store" "$dump" || return
		"$build/bin/tprof-query" "$dump.store" "select state, count(*) from span group by 1;
			select count(*) from span where start_ns > 1000000;
			select * from segment" || return
	done
	rm -r "$scratch/large"
}

set -- testdata/fuzz
[ ! -d "$corpus/fuzz" ] || set -- "$@" "$corpus/fuzz"
part 'fuzz seeds' sh testdata/check/replay.sh "$targets" "$@"
# A folder called like a target is for that one.
folder=$scratch/dumps
mkdir -p "$folder/trace_v1" "$folder/trace_v2" "$folder/trace_sched" "$folder/profile" "$folder/text" "$folder/symbol" "$folder/store"
copy() { # folder below dumps, dump…
	into=$1
	shift
	for dump in "$@"; do
		case $dump in *.txt | *.json | *'*'*) continue ;; esac
		cp "$dump" "$folder/$into/$(echo "$dump" | tr / _)"
	done
}
copy trace_v2 testdata/*.trace testdata/*/*.trace testdata/corpus/*/*.trace
copy trace_sched testdata/perf/sched.perf
copy profile testdata/catalog.* testdata/corpus/profiles/*
if [ -d "$corpus/traces" ]; then
	copy trace_v2 "$corpus"/traces/*.trace "$corpus"/broken/*.trace
	copy profile "$corpus"/profiles/*
fi
for dump in "$folder"/trace_v2/*; do
	case $(head -c 7 "$dump" | tr -d '\0') in
	'go 1.'[5-9]' ' | 'go 1.1'* | 'go 1.2'[01]) mv "$dump" "$folder/trace_v1" ;;
	esac
done
"$build/bin/hostile" -s 20000 "$folder" || failed=1
for dump in "$folder"/*-*; do
	case ${dump##*/} in
	v1-*) mv "$dump" "$folder/trace_v1" ;;
	v2-*) mv "$dump" "$folder/trace_v2" ;;
	sched-*) mv "$dump" "$folder/trace_sched" ;;
	elf-*) mv "$dump" "$folder/symbol" ;;
	store-*) mv "$dump" "$folder/store" ;;
	*) mv "$dump" "$folder/profile" ;;
	esac
done
# Those that are none of profile.proto are the other target's.
cp "$folder"/profile/* "$folder/text"
part "$(find "$folder" -type f ! -path '*/text/*' | wc -l) dumps" sh testdata/check/replay.sh "$targets" "$folder"
part 'large dumps' large
part 'comparison with Go, sample data' "$build/bin/conformance" testdata/corpus
echo '-- without the commands:'
python3 testdata/check/coverage.py "$build" 0 | sed -n 's/; at least 0% is asked//; /^libparse: /p; /about lack/p'
# One that makes a full disk of a limit to the size of files, which gcov's own are larger than.
part 'commands' env BIN="$PWD/$build/bin" LIMIT=600 SKIP=output-file sh testdata/cli/run.sh
python3 testdata/check/coverage.py "$build" "${LEAST:-90}" "$build/not-reached.txt" || failed=1
echo "not reached: $build/not-reached.txt"
exit $failed

#!/bin/sh
# make valgrind: imports and reports under memcheck, for every dump of the tree and of a corpus where there
# is one. An error of memcheck's, or a block that nobody points to at the end, is a failure; what a
# command makes of a damaged dump is not. What other libraries do is in valgrind.supp, with the reason.
#
#   [JOBS=N] [SAMPLE=N] sh testdata/check/valgrind.sh BIN_FOLDER [CORPUS]     (../shared/corpus unless given)
#
# SAMPLE=N: only the N smallest dumps of each folder.
set -u
cd "$(dirname "$0")/../.." || exit 4
command -v valgrind >/dev/null || { echo "tprof: valgrind is missing (Debian: apt-get install valgrind libc6-dbg)" >&2; exit 1; }

# One dump, called by way of jobs.sh: leaves NUMBER.out with what failed, NUMBER.counts.
if [ "$1" = --one ]; then
	scratch=$2 bin=$3 number=${4%%:*} dump=${4#*:}
	here=$scratch/$number
	mkdir "$here" || exit
	export XDG_CACHE_HOME="$here/cache" TPROF_JAIL=off TPROF_MEMORY=unlimited LC_ALL=C.UTF-8 TZ=UTC
	unset DEBUGINFOD_URLS
	store=$here/store.tprof
	passed=0 failed=0
	try() { # command, arguments…
		command=$1
		shift
		timeout 600 valgrind -q --exit-on-first-error=no --error-exitcode=99 --leak-check=full --num-callers=30 \
			--show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions=testdata/check/valgrind.supp \
			--log-file="$here/log" "$bin/$command" "$@" >"$here/said" 2>&1 </dev/null
		status=$?
		if [ $status -gt 4 ] || [ -s "$here/log" ]; then
			failed=$((failed + 1))
			echo "FAILED $dump: $command $*: status $status"
			head -n 60 "$here/log"
		else
			passed=$((passed + 1))
		fi
	}
	{
		try tprof-import -o "$store" "$dump"
		if [ -e "$store" ]; then
			try tprof-import --strict --materialize -o "$here/rows.tprof" "$dump"
			try tprof-store verify "$store"
			try tprof-query "$store" 'select count(*), sum(value) from bucket_value'
			try tprof-flame -o "$here/flame.svg" "$store"
			try tprof-report -o "$here/report.html" "$store"
			try tprof-export --format=pprof -o "$here/out.pb" "$store"
			if [ "$("$bin/tprof-query" --format=tsv "$store" "select 1 from run where format like '%trace%'" 2>/dev/null)" ]; then
				for report in breakdown block overview mmu pauses tasks outliers; do
					try tprof-top "$store" $report
				done
				try tprof-query "$store" 'select state, count(*), sum(dur_ns) from span group by 1'
				try tprof-export --format=events "$store"
				try tprof-export --format=trace -o "$here/out.trace" "$store"
				try tprof-path "$store"
			else
				try tprof-top --tree "$store"
				try tprof-top --traces "$store"
				try tprof-diff "$store" "$store"
			fi
		else
			try tprof-top "$dump"
		fi
	} >"$scratch/$number.out" 2>&1
	rm -rf "$here"
	echo "$passed $failed" >"$scratch/$number.counts"
	exit 0
fi

bin=$1 corpus=${2:-../shared/corpus}
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
for folder in testdata testdata/corpus/traces testdata/corpus/profiles testdata/corpus/broken testdata/fuzz \
	"$corpus/traces" "$corpus/profiles" "$corpus/broken"; do
	[ ! -d "$folder" ] || find "$folder" -maxdepth 1 -type f ! -name '*.json' ! -name '*.txt' ! -name '*.sha256' ! -name '*.md' \
		! -name '*.c' ! -name '*.sh' ! -name '*.svg' ! -name '*.symbols' ! -name '*.tsv' ! -name '*.dict' -size +0 -printf '%s %p\n' |
		sort -n | head -n "${SAMPLE:-100000}"
done | sort -rn | awk '{ sub(/^[0-9]+ /, ""); printf "%04d:%s\n", NR, $0 }' >"$scratch/dumps"
sh testdata/check/jobs.sh each sh testdata/check/valgrind.sh --one "$scratch" "$bin" <"$scratch/dumps"
while IFS=: read -r number dump; do
	cat "$scratch/$number.out"
	p=0 f=1
	read -r p f <"$scratch/$number.counts" || echo "FAILED $dump: it was not tried to the end"
	passed=$((passed + p)) failed=$((failed + f))
done <"$scratch/dumps"
echo "$(wc -l <"$scratch/dumps") dumps were tried"
[ $((passed + failed)) -gt 0 ] || failed=1
echo "valgrind: $passed passed, $failed failed"
[ $failed -eq 0 ]

#!/bin/sh
# make fuzz: every target for a while, beginning with what is in testdata and, where it is there, in
# the corpus beside the repository. What it learns stays in build/fuzz/corpus; a crash is left in
# build/fuzz/crash-… and belongs, made small, into testdata/fuzz.
#
#   sh testdata/check/fuzz.sh SECONDS FOLDER_OF_TARGETS
set -u
cd "$(dirname "$0")/../.." || exit 4
seconds=$1 folder=$2
passed=0 failed=0
seeds=testdata/fuzz
[ -d ../shared/corpus/fuzz ] && seeds="$seeds ../shared/corpus/fuzz"
for target in $(find "$folder" -type f -perm -u+x -name '*_fuzz' | sort); do
	name=$(basename "$target" _fuzz)
	mkdir -p "build/fuzz/corpus/$name"
	cp -n testdata/*.trace "build/fuzz/corpus/$name/" 2>/dev/null
	echo "$name: $seconds s"
	# shellcheck disable=SC2086
	if "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=32768 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/crash-$name-" "build/fuzz/corpus/$name" $seeds; then
		passed=$((passed + 1))
	else
		echo "FAILED $name"
		failed=$((failed + 1))
	fi
done
echo "fuzz targets: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]

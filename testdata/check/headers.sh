#!/bin/sh
# Every header compiles alone.   CC='cc FLAGS…' sh testdata/check/headers.sh
#
# One start of the compiler looks at many: each is a file of its own to it, so none sees what another
# includes. JOBS of them (as many as there are processors) run at a time.
set -u
cd "$(dirname "$0")/../.." || exit 4
[ "${CC:-}" ] || { echo "headers: set CC to the compiler and its flags; make check-headers does" >&2; exit 2; }
export CC
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
find libparse libreport cmd -name '*.h' | sort >"$scratch/headers"
# NUMBER.c includes a header; NUMBER.list has those of a start.
awk -v scratch="$scratch" -v top="$PWD" '{
	file = sprintf("%s/%04d.c", scratch, NR)
	printf "#include \"%s/%s\"\n", top, $0 >file
	close(file)
	print file >(scratch "/" int((NR - 1) / 20) ".list")
}' "$scratch/headers"
for list in "$scratch"/*.list; do
	echo "$list"
done | sh testdata/check/jobs.sh each sh -c '$CC -Werror -fsyntax-only $(cat "$0") >"$0.out" 2>&1; echo $? >"$0.status"'
n=0
while read -r h; do
	list=$scratch/$((n / 20)).list
	n=$((n + 1))
	# Where one of a list fails, each of them is tried by itself.
	if [ "$(cat "$list.status")" = 0 ] || $CC -Werror -fsyntax-only "$scratch/$(printf %04d $n).c"; then
		passed=$((passed + 1))
	else
		echo "FAILED $h does not compile alone"
		failed=$((failed + 1))
	fi
done <"$scratch/headers"
echo "headers: $passed passed, $failed failed"
[ $failed -eq 0 ]

# Folded stacks as their producers write them: files and lines, kernel and inlined frames, a
# difference, fractions, a line of something else, compressed, and what is no folded stack.
cp testdata/folded/*.folded "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top java.folded
try tprof-top --traces --sample-index=before difference.folded
try tprof-top --lines python.folded
try tprof-top fractions.folded
try tprof-import --strict -o s.tprof fractions.folded
gzip -k java.folded
try tprof-flame --format=folded java.folded.gz
tprof-export --format=folded java.folded | tprof-top --cum - 2>&1
try tprof-diff java.folded python.folded
printf 'main 12\nf 3\n' | try tprof-top -

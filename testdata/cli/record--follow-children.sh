# Children have folders of their own, and so has what a process was before an exec.
cd "$TMP" || exit
# The shell goes by the name of its program.
list() { (cd "$1" && find . -name '*.pb.gz') | sed -E 's:/[0-9]+-:/PID-:; s:PID-(da|ba|k|bu)[a-z]*:PID-sh:' | sort; }
program='env true; exec env A=1 sh -c "exit 4"'
tprof-record -q -o run --heap --follow-children -- sh -c "$program"
echo "status $?"
list run
# Those that outlive the program are waited for.
tprof-record -q -o run2 --heap --follow-children -- sh -c '(until [ -e end ]; do :; done) & sleep 0.1; echo >end; exit 5'
echo "status $?"
list run2
# Without it there is only the program itself, and what it becomes.
rm -rf run
tprof-record -q -o run --heap -- sh -c 'env true; exec env A=1 sh -c "exit 4"'
echo "status $?"
list run

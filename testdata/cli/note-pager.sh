# Notes are shown by the pager, in front of what it pages; without one, or without output, at once;
# when it ends where it has not taken them.
cd testdata
tprof-top checkout-cut.trace >"$TMP/first" 2>&1
see() {
	TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' | cut -c 1-60
}
printf '%s\n' 'echo "(pager"' cat 'echo "pager)"' >"$TMP/pager"
export PAGER="sh $TMP/pager"
see 'tprof-top -n 1 checkout-cut.trace'
echo == not there
PAGER=nosuch LESS=FRX see 'tprof-top -n 1 checkout-cut.trace' | grep -c ENTRY
echo == words of the shell
for word in exec command; do PAGER="$word sh $TMP/pager" see 'tprof-top -n 1 checkout-cut.trace' | grep -c pager; done
echo == it does not read
PAGER=true see 'tprof-top -n 1 checkout-cut.trace'; echo "status $?"
echo == it takes a little
PAGER='head -n 1' see 'tprof-top -n 1 checkout-cut.trace' | wc -l
echo == it fails
PAGER='cat >/dev/null; exit 1' see 'tprof-top -n 1 checkout-cut.trace'
echo == no pager
see 'tprof-top -n 1 --no-pager checkout-cut.trace' | head -n 2
echo == not on this terminal
see 'tprof-top -n 1 checkout-cut.trace 2>$TMP/notes' | head -n 2
grep -c note: "$TMP/notes"
echo == nothing to show
see 'tprof-top --focus=nobody checkout-cut.trace'
echo == an error behind some output
see 'tprof-query checkout-cut.trace "SELECT count(*) FROM loss; SELECT nothing"'

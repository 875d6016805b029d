# What is no trace is refused with status 3 and a sentence; the store is not made.
cd "$TMP"
try() { tprof-import -o "$TMP/s.tprof" "$@" 2>&1; echo "status $?"; }
try nofile
: >empty; try empty
mkdir folder; try folder
echo 'hello, world' >text; try text
printf 'go 1.99 trace\0\0\0' >newer; try newer
printf 'go 1.22 trace\0\0\0' >header; try header
printf 'go 1.2' >short; try short
printf 'a\033[31mname' >"$(printf 'a\033[31mb')"; try "$(printf 'a\033[31mb')"
# Go's reader takes that for a whole trace of later versions; there is a warning.
printf 'go 1.26 trace\0\0\0' >bare
tprof-import -o "$TMP/bare.tprof" bare 2>&1 | sed 's/; [0-9.]*s; .*bare.tprof;/; …;/'
tprof-top "$TMP/bare.tprof" 2>&1
rm bare bare.tprof
# Of several, the good are kept and the worst status is the command's.
try text /dev/null
ls | cat -v

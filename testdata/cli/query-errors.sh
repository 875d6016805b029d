# What is wrong, where, and what to do about it.
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
try() { tprof-query "$TMP/s.tprof" "$@" 2>&1; echo "status $?"; }
try "select * from events"
try "select nme from goroutine"
try "select e.typ from event e"
try "select stacktext(1)"
try "selec 1"
try "select (1"
try "select 'abc"
try "select :x"
try "select fmt_ns(dur_ns) from span where dur_ns > ns('long')"
try "select name regexp '(' from goroutine"
try .foo
try .schema nosuch
try ".schema nosuch"
printf 'select 1 as a;\n\nselect 2 as b,\n  c\n;' | try
printf 'select 1 as a;\n.nosuch\n' | try
try -f nosuch.sql
try --run=nosuch "select 1"
tprof-query 2>&1
tprof-query - 2>&1 </dev/null
tprof-query nosuch.tprof "select 1" 2>&1
echo "status $?"

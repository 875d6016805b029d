# Statements read; with --write they change the store; some things they never may.
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
try() { tprof-query "$TMP/s.tprof" "$@" 2>&1; echo "status $?"; }
try "delete from run"
try "create table x(a)"
try "drop table label"
try "update run set name = 'x'"
try "create temp table x as select name from goroutine; select count(*) from x"
for write in "" --write; do
	try $write "attach 'other.db' as other"
	try $write "vacuum into 'other.db'"
	try $write "pragma journal_mode = wal"
	try $write "pragma writable_schema = 1"
	try $write "select load_extension('x')"
	try $write "create virtual table x using fts5(a)"
	try $write "update sqlite_schema set sql = ''"
done
try --write "update run set name = 'noon'; create table x(a); insert into x values(1); vacuum"
try "select name, a from run, x"
try "select count(*) from event"
tprof-query --write testdata/checkout.trace "delete from run" 2>&1
echo "status $?"

# What cannot be recorded does not run, unless it is forced to.
cat >"$TMP/hello.c" <<END
#include <stdio.h>
int main(void) { puts("hello"); return 5; }
END
cc -static -o "$TMP/static" "$TMP/hello.c"
try() { tprof-record "$@" >"$TMP/out" 2>&1; status=$?; sed "s,$TMP/,,g" "$TMP/out"; echo "status $status"; }
try -o "$TMP/run" -- "$TMP/static"
try -o "$TMP/run" --force -- "$TMP/static"
# A script of which it is the interpreter.
printf '#!%s/static\n' "$TMP" >"$TMP/script"
chmod +x "$TMP/script"
try -o "$TMP/run" -- "$TMP/script"
[ -e "$TMP/run" ] || echo 'nothing was left'

# Any program called tprof-NAME in PATH is a command; arguments and status are passed on.
printf '#!/bin/sh\necho "hello $*"\nexit 7\n' >"$TMP/tprof-hello"
chmod +x "$TMP/tprof-hello"
PATH=$PATH:$TMP
tprof | grep hello
tprof hello a 'b c'
echo "status $?"

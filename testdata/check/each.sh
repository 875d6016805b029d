#!/bin/sh
# Runs a command once for each line of its input, which becomes its last argument, JOBS (as many as there
# are processors) at a time. Nothing is said of how they end: the command is to leave that somewhere.
#
#   … | [JOBS=N] sh testdata/check/each.sh COMMAND…
tr '\n' '\0' | xargs -0 -r -n 1 -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" "$@"

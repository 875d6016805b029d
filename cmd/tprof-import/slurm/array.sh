#!/bin/sh
# A task of an array job of Slurm: imports the dumps of a list into a store. tprof-import --slurm
# submits it; by hand:
#
#   mkdir -p WORK/list WORK/0
#   find /dumps -type f | awk '{ print >("WORK/list/" NR % 40 + 1) }'
#   sbatch --array=1-40 array.sh WORK BIN [OPTION...]
#
# Task N reads WORK/list/N (names, a line each, or with a NUL after each) and leaves
#
#   WORK/0/N.tprof     the store, unless no dump could be imported
#   WORK/0/N.report    what became of the dumps (tprof-import --report): with it the task is done
#   WORK/0/N.log       what was said
#
# BIN is the folder of tprof-import ('' where PATH has it); each OPTION is given to it, and so are the
# words in WORK/list/N.options, if there is such a file.
#
# Stores appear by rename, from names that no other try has: a task that Slurm runs again, even while
# the first one lives on somewhere, does no harm, and one that is done ends at once.
#SBATCH --job-name=tprof-import
#SBATCH --requeue
set -u
child=
# What Slurm sends at the end of the time, before it stops a task or does it again; and what else users
# let it send (--signal). Our program ends first, so that it leaves nothing.
ended() {
	trap '' HUP INT QUIT TERM USR1 USR2 XCPU
	[ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
	exit 4
}
trap ended HUP INT QUIT TERM USR1 USR2 XCPU
work=$1 bin=$2
shift 2
PATH=${bin:+$bin:}$PATH
list=$work/list/$SLURM_ARRAY_TASK_ID part=$work/0/$SLURM_ARRAY_TASK_ID
[ ! -e "$part.report" ] || exit 0
exec >"$part.log" 2>&1 || exit 4

draft=$part.${SLURM_JOB_ID:-0}-${SLURM_RESTART_COUNT:-0}
trap 'rm -f "$draft".*' EXIT
options=
[ ! -e "$list.options" ] || options=$(cat "$list.options")
tprof-import -j "${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}" -o "$draft.tprof" --report="$draft.report" \
	$options "$@" "@$list" &
child=$!
wait $child # a signal is not kept waiting
child=
# A dump that failed is in the report, and the others are in the store; without one it came to no end.
[ -e "$draft.report" ] || exit 4
[ ! -e "$draft.tprof" ] || mv -f "$draft.tprof" "$part.tprof" || exit 4
mv -f "$draft.report" "$part.report" || exit 4

#!/bin/sh
# A task of an array job of Slurm that merges up to 16 stores, or the job that makes the last one.
# tprof-import --slurm submits it, after array.sh; by hand, for 40 tasks of that:
#
#   mkdir WORK/1 WORK/2
#   sbatch --dependency=afterany:ID --array=1-3 merge.sh WORK BIN 1 40          WORK/1/1 to 3
#   sbatch --dependency=afterany:ID merge.sh WORK BIN 2 3 ALL.tprof             the end
#
# Task N of level L merges WORK/(L-1)/M.tprof, M from 16 N - 15 to 16 N, of as many as the level below
# has (the argument after L), into WORK/L/N.tprof, N.report and N.log. With ALL.tprof there is one task,
# which merges all of the level below: ALL.tprof is there then, with what was in it before, and so is
# ALL.tprof.report, and what was made in WORK is removed.
#
# Where something below was not done, nothing is made, and the job fails; it can be run again when the
# rest is there.
#SBATCH --job-name=tprof-merge
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
work=$1 bin=$2 level=$3 count=$4 all=${5-}
PATH=${bin:+$bin:}$PATH
below=$work/$((level - 1)) n=${SLURM_ARRAY_TASK_ID:-1}
part=$work/$level/$n
[ ! -e "$part.report" ] || [ -n "$all" ] || exit 0
exec >"$part.log" 2>&1 || exit 4

try=${SLURM_JOB_ID:-0}-${SLURM_RESTART_COUNT:-0}
draft=$part.$try
trap 'rm -f "$draft".* ${all:+"$all.report.$try"}' EXIT
i=$((16 * n - 15)) last=$((16 * n)) missing=
[ $last -le "$count" ] || last=$count
set --
while [ $i -le $last ]; do
	[ -e "$below/$i.report" ] || missing="$missing $i"
	[ ! -e "$below/$i.tprof" ] || set -- "$@" "$below/$i.tprof"
	i=$((i + 1))
done
if [ -n "$missing" ]; then
	echo "not done:$missing"
	exit 4
fi
# A try on another node may have ended meanwhile, and removed some of those that are listed, after its
# report was there.
done_elsewhere() { [ -z "$all" ] && [ -e "$part.report" ]; }
done_elsewhere && exit 0
i=$((16 * n - 15))
while [ $i -le $last ]; do
	cat "$below/$i.report" || exit 4
	i=$((i + 1))
done >"$draft.report" || exit 4

merge() { # STORE, of all arguments of the script
	store=$1
	shift
	[ $# -eq 0 ] || {
		tprof-merge -o "$store" "$@" &
		child=$!
		wait $child # a signal is not kept waiting
		status=$?
		child=
		return $status
	}
}
if [ -z "$all" ]; then
	merge "$draft.tprof" "$@" || { done_elsewhere && exit 0; exit 4; }
	done_elsewhere && exit 0
	[ $# -eq 0 ] || mv -f "$draft.tprof" "$part.tprof" || exit 4
	mv -f "$draft.report" "$part.report" || exit 4
	# Merged twice where that is needed, but stored once.
	rm -f "$@"
	exit 0
fi
merge "$all" "$@" || exit 4
# The numbers of all reports, added up, the failures, and the names of dumps with losses and of other files.
awk '
	# A dump that was found in a folder and is named as well is in two tasks.
	$1 == "failure" || $1 == "loss" || $1 == "other" { if (!said[$0]++) failures = failures $0 "\n"; next }
	!($1 in sum) { word[++words] = $1 }
	{ sum[$1] += $2 }
	END {
		for (i = 1; i <= words; i++)
			printf "%s %.0f\n", word[i], sum[word[i]]
		printf "%s", failures
	}' "$draft.report" >"$all.report.$try" && mv -f "$all.report.$try" "$all.report" || exit 4
worst=$(awk '$1 == "failure" && $2 > worst { worst = $2 } END { print worst + 0 }' "$all.report")
trap - EXIT
# The plan before all else: without it the import is over, whoever looks meanwhile.
rm -f "$work/plan"
rm -rf "$work/list" "$work/command" "$work/jobs" "$work"/[0-9]*
rmdir "$work" 2>/dev/null
exit "$worst"

# Jobs of Slurm: lists, dependencies, names that shells would trip over, and going on. sbatch is a stub
# here that shows its arguments and runs a job at once; testdata/fleet/slurm.sh has the real one.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/ of [0-9.]*[KM]iB$/ of YKiB/'; }
data=$PWD/testdata
mkdir "$TMP/stub"
cat >"$TMP/stub/sbatch" <<'END'
#!/bin/sh
[ -z "${SBATCH_SAYS-}" ] || { echo "$SBATCH_SAYS" >&2; exit 1; }
job=$(($(cat "$TMP/job" 2>/dev/null || echo 0) + 1))
echo $job >"$TMP/job"
array=
printf 'sbatch' >>"$TMP/calls"
while :; do
	printf ' <%s>' "$1" >>"$TMP/calls"
	case $1 in
	--array=*) array=${1#*=} ;;
	-*) ;;
	*) break ;;
	esac
	shift
done
script=$1
shift
printf ' <%s>' "$@" >>"$TMP/calls"
echo >>"$TMP/calls"
echo $job
[ -z "${HOLD-}" ] || exit 0
for range in $(echo "${array:-0}" | tr , ' '); do
	for n in $(seq ${range%-*} ${range#*-}); do
		case " ${KILL-} " in *" $job/$n "*) continue ;; esac
		[ -z "$array" ] || export SLURM_ARRAY_TASK_ID=$n
		SLURM_JOB_ID=$job SLURM_CPUS_PER_TASK=2 sh "$script" "$@" || echo "job $job/$n: $?" >>"$TMP/calls"
	done
done
END
cat >"$TMP/stub/squeue" <<'END'
#!/bin/sh
[ -z "${AWAY-}" ] || { echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1; }
for id; do :; done
[ -z "${ENDS-}" ] || rm -r "$ENDS"
[ -z "${HOLD-}" ] || echo "${id#*=}"
END
cat >"$TMP/stub/scancel" <<'END'
#!/bin/sh
echo "scancel $*" >>"$TMP/calls"
END
cat >"$TMP/stub/mktemp" <<'END'
#!/bin/sh
[ -z "${RIVAL-}" ] || mkdir -p "$RIVAL/0"
exec /usr/bin/mktemp "$@"
END
chmod +x "$TMP/stub"/*
# Jobs that have gone are asked about three times before they are given up, 3 s apart unless this is set.
export TMP PATH="$TMP/stub:$PATH" TPROF_SLURM_POLL=20ms
calls() { sed "s:<$BIN/[^>]*/share:<SHARE:; s:<$BIN>:<BIN>:" "$TMP/calls"; rm "$TMP/calls"; }
same() { # STORE STORE: but for when they were imported
	for s in "$1" "$2"; do
		cp "$s" same.tprof
		tprof-query --write same.tprof 'UPDATE run SET imported_ns = 0' >/dev/null
		rm -f same.$$.tprof
		tprof-merge -o same.$$.tprof same.tprof >/dev/null
		cksum <same.$$.tprof
		rm same.tprof same.$$.tprof
	done | uniq | wc -l
}

d=$TMP/dumps
mkdir -p "$d/a b"
cp testdata/ledger/*.heap "$d/a b"
cp testdata/parcels/*.trace "$d"
echo "Parcels of two weeks." >"$d/README.md"
odd="\$(touch x) \`touch y\` 'q' \"q\" \\ *
second line; %j	.cpu"
cp testdata/prices/new.cpu "$d/$odd"
head -c 1500 testdata/prices/new-1.heap >"$d/cut.heap"
work="$TMP/a \$(folder) 'of' \"work\""
mkdir "$work"
cd "$work"

echo '-- two levels of merges'
tprof-import --slurm='--partition=night   --time=10' --tasks=18 --wait -o all.tprof --label=day=1 --strict ../dumps 2>&1 | plain
calls
cat all.tprof.report
ls -A
tprof-import --label=day=1 --strict -o one.tprof ../dumps >/dev/null 2>&1
same all.tprof one.tprof
rm -f all.tprof

echo '-- lists: as many bytes in each; what was found in a folder may be another file'
HOLD=1 tprof-import --slurm --tasks=4 -o held.tprof ../dumps ../dumps/cut.heap none | plain
calls
stat -c '%A' held.tprof.slurm
for list in held.tprof.slurm/list/*; do
	echo "$(basename $list): $(tr '\0' '\n' <$list | wc -l) lines, $(grep -zv '^	' <$list | xargs -0 stat -Lc %s 2>/dev/null | awk '{ n += $1 } END { print n }') bytes"
done
grep -zF 'touch' held.tprof.slurm/list/* | tr '\0' '\n'
cat held.tprof.slurm/list/* | grep -zvF 'touch' | tr '\0\t' '\n:' | grep -A1 -E 'none|cut.heap'
echo '-- under way'
HOLD=1 tprof-import --slurm -o held.tprof ../dumps ../dumps/cut.heap none
tprof-import --slurm -o held.tprof ../dumps 2>&1
AWAY=1 tprof-import --slurm -o held.tprof ../dumps ../dumps/cut.heap none 2>&1
echo '-- not all could be submitted: what there is, is ended, and all begins anew'
sed -i /all/d held.tprof.slurm/jobs
HOLD=1 tprof-import --slurm -o held.tprof ../dumps ../dumps/cut.heap none
calls
echo '-- they have gone'
tprof-import --slurm --wait -o held.tprof ../dumps ../dumps/cut.heap none 2>&1 | plain
tprof-store list held.tprof | wc -l
calls >/dev/null

echo '-- tasks that end without a word, and going on'
KILL='10/2 10/3 10/17' tprof-import --slurm --tasks=18 --wait -o all.tprof ../dumps 2>&1
echo $?
ls all.tprof 2>&1
tprof-import --slurm=--qos=high --wait -o all.tprof ../dumps 2>&1 | plain
calls | tail -3
echo '-- once more: what is known is passed over'
tprof-import --slurm --wait -o all.tprof ../dumps 2>&1 | plain
calls
tprof-import -o two.tprof ../dumps >/dev/null 2>&1
same all.tprof two.tprof

echo '-- labels by folder: dumps that the store has get them, too'
mkdir -p "$TMP/large/h 1" "$TMP/large/h2"
cp "$data/corpus/traces/slow-1.27.trace" "$TMP/large/h 1/whole.trace"
cp "$data/corpus/broken/middle-1.27.trace" "$data/checkout-1.19.trace" "$TMP/large/h2"
tprof-import -o labelled.tprof "$TMP/large/h2/checkout-1.19.trace" >/dev/null
HOLD=1 tprof-import --slurm --folder-labels=host --tasks=3 -o labelled.tprof ../large
for list in labelled.tprof.slurm/list/*; do tr '\0\t' ' :' <$list; echo; done
tprof-import --slurm --folder-labels=host --wait -o labelled.tprof ../large 2>&1 | plain
calls
tprof-import --folder-labels=host -o whole.tprof ../large 2>&1 | plain
HOLD=1 tprof-import --slurm --folder-labels=host/version --label=day=1 -o few.tprof ../large 2>&1 | grep note
tprof-query --format=csv labelled.tprof "SELECT name, value FROM run JOIN label ON run = id ORDER BY 1"

echo '-- options of sbatch: what is needed here is refused'
for options in --array=1-3 --arr=1-3 --wait --depend=afterok:1 '-p all batch' -vQ '-D /' '-Hd afterok:1' '-a 1' -- batch; do
	tprof-import --slurm="$options" -o no.tprof ../dumps 2>&1
done
HOLD=1 tprof-import --slurm='-v --wait-all-nodes=1 -p debug -J *' -o no.tprof ../dumps >/dev/null
calls | grep -o '<-v.*' | sed 's/ <--parsable.*//'
rm -r no.tprof.slurm

echo '-- folders that are none of ours, or not whole'
mkdir no.tprof.slurm
tprof-import --slurm -o no.tprof ../dumps 2>&1
echo $?
rmdir no.tprof.slurm
mkdir "$TMP/empty"
tprof-import --slurm -o no.tprof ../empty 2>&1
echo $?
ls -d no.tprof* 2>&1

echo '-- another one submits jobs'
HOLD=1 tprof-import --slurm -o no.tprof ../dumps >/dev/null
flock no.tprof.slurm/plan tprof-import --slurm -o no.tprof ../dumps 2>&1
echo $?
echo '-- their import ends while we look for jobs; somebody else begins one meanwhile'
ENDS=no.tprof.slurm tprof-import --slurm --wait -o no.tprof ../dumps 2>&1 | head -n 1
ls -d no.tprof*
RIVAL=no.tprof.slurm tprof-import --slurm -o no.tprof ../dumps 2>&1
echo $?
ls -d no.tprof*
rm -r no.tprof*
echo '-- a dump that is called as options are'
cp "$data/prices/new.cpu" ./--dump=x.cpu
tprof-import --slurm --wait -o no.tprof -- --dump=x.cpu 2>&1 | tail -n 1 | plain
rm ./--dump=x.cpu no.tprof*

echo '-- a signal ends the waiting, not the jobs'
HOLD=1 TPROF_SLURM_POLL=10s tprof-import --slurm --wait -o no.tprof ../dumps >"$TMP/said" 2>&1 &
until grep -q merges "$TMP/said"; do sleep 0.05; done
kill $!
wait $!
echo $?
cat "$TMP/said"
rm -r no.tprof.slurm
rm -f "$TMP/calls"

echo '-- what Slurm says, and that it is not there'
SBATCH_SAYS='sbatch: error: invalid partition specified: nigth' tprof-import --slurm -o no.tprof ../dumps 2>&1
echo $?
TPROF_SLURM_POLL=often tprof-import --slurm --wait -o no.tprof ../dumps 2>&1
echo $?
rm "$TMP/stub"/*
PATH=$BIN tprof-import --slurm -o no.tprof ../dumps 2>&1
echo $?
ls -A

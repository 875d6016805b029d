#!/bin/sh
# Imports dumps by jobs of Slurm: an array job whose tasks import a list of dumps each, and jobs that
# depend on it and merge the tasks' stores, 16 at a time, until the last one makes the store.
#
#   slurm.sh submit BIN STORE SBATCH-OPTIONS TASKS POLL N OPTION... -- PATH...
#	What tprof-import --slurm becomes: submits the jobs that are missing. TASKS 0 is as many as are
#	worth it; POLL is empty, or the seconds between two looks at the jobs until they have ended; N
#	is how many OPTIONs there are for each task's tprof-import.
#   slurm.sh task WORK BIN [OPTION...]
#	Task N of the array job imports the dumps of WORK/list/N.
#   slurm.sh merge WORK BIN LEVEL COUNT [STORE]
#	Task N merges the stores 16 N - 15 to 16 N of those of the level below, which has COUNT. With
#	STORE there is one task, which merges all of them into STORE, and removes WORK.
#
# BIN is the folder of the commands ('' where PATH has them). WORK is STORE.slurm, for its owner only:
#
#   command           what it is the import of: folder, store, options and paths, a NUL after each
#   plan              "19 files (225KiB) in 18 tasks"; it goes first when all is done. Whoever looks for
#                     jobs and submits them holds a lock on it
#   jobs              ids of the jobs in the order in which they begin, a line each, and "all" behind
#                     them when there are all
#   list/N            the dumps of task N (tprof-import --lists)
#   LEVEL/N.tprof     what task N of this level made (0 imports), unless no dump could be imported
#   LEVEL/N.report    what became of the dumps (tprof-import --report); with it the task is done
#   LEVEL/N.log       what the task's programs printed
#
# By hand, for 40 tasks:
#
#   mkdir -p WORK/0 WORK/1 WORK/2 && tprof-import --lists=WORK/list --tasks=40 /dumps
#   sbatch --array=1-40 slurm.sh task WORK BIN                                          prints ID
#   sbatch --array=1-3 --dependency=afterany:ID slurm.sh merge WORK BIN 1 40            prints ID2
#   sbatch --dependency=afterany:ID2 slurm.sh merge WORK BIN 2 3 ALL.tprof
#
# WORK appears by rename, and so do stores and reports, from names that no other try has: a task that
# Slurm runs again, even while the first one lives on somewhere, does no harm.
set -fu

# ---- jobs ----

# Slurm sends a signal at the end of the time, before it stops a task or runs it again; users may choose
# another one (--signal). The task's program ends first, so that it leaves nothing.
child=
ended() {
	trap '' HUP INT QUIT TERM USR1 USR2 XCPU
	[ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
	exit 4
}

# Runs a command in such a way that a signal is not kept waiting.
run() {
	"$@" &
	child=$!
	wait "$child"
	status=$?
	child=
	return $status
}

# Removes drafts whatever their ends (programs have drafts of their own beside them).
remove_drafts() {
	set +f
	rm -f "$draft".* ${all:+"$all.report.$try"}
}

begin_task() { # LEVEL N
	part=$work/$1/$2
	try=${SLURM_JOB_ID:-0}-${SLURM_RESTART_COUNT:-0}
	draft=$part.$try
	PATH=${bin:+$bin:}$PATH
	trap ended HUP INT QUIT TERM USR1 USR2 XCPU
	exec >"$part.log" 2>&1 || exit 4
	trap remove_drafts EXIT
}

publish() { # the part's store, if there is one, and its report, which says that the part is done
	[ ! -e "$draft.tprof" ] || mv -f "$draft.tprof" "$part.tprof" || exit 4
	mv -f "$draft.report" "$part.report" || exit 4
}

task() { # WORK BIN [OPTION...]
	work=$1 bin=$2 all='' n=$SLURM_ARRAY_TASK_ID
	shift 2
	[ ! -e "$work/0/$n.report" ] || exit 0
	begin_task 0 "$n"
	run tprof-import -j "${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}" -o "$draft.tprof" \
		--report="$draft.report" "$@" "@$work/list/$n"
	# A dump that failed is in the report, and the others are in the store. Without a report the
	# import did not end.
	[ -e "$draft.report" ] || exit 4
	publish
}

# Another try may have ended meanwhile, and removed some of what is to be merged.
exit_if_done() {
	[ -n "$all" ] || [ ! -e "$part.report" ] || exit 0
}

merge() { # WORK BIN LEVEL COUNT [STORE]
	work=$1 bin=$2 level=$3 count=$4 all=${5-} n=${SLURM_ARRAY_TASK_ID:-1}
	below=$work/$((level - 1)) missing=
	[ ! -e "$work/$level/$n.report" ] || [ -n "$all" ] || exit 0
	begin_task "$level" "$n"
	first=$((16 * n - 15)) last=$((16 * n))
	[ $last -le "$count" ] || last=$count
	set --
	for i in $(seq "$first" "$last"); do
		[ -e "$below/$i.report" ] || missing="$missing $i"
		[ ! -e "$below/$i.tprof" ] || set -- "$@" "$below/$i.tprof"
	done
	if [ -n "$missing" ]; then
		echo "not done:$missing"
		exit 4
	fi
	exit_if_done
	for i in $(seq "$first" "$last"); do
		cat "$below/$i.report" || exit 4
	done >"$draft.report" || exit 4
	[ $# -eq 0 ] || run tprof-merge -o "${all:-$draft.tprof}" "$@" || { exit_if_done; exit 4; }
	exit_if_done
	if [ -z "$all" ]; then
		publish
		# Each dump is stored once meanwhile.
		rm -f "$@"
		exit 0
	fi
	tprof-import --sum-reports -o "$all" --report="$all.report.$try" "$draft.report"
	worst=$?
	mv -f "$all.report.$try" "$all.report" || exit 4
	trap - EXIT
	# The plan first: without it the import is over, whoever looks meanwhile.
	rm -f "$work/plan"
	rm -rf "$work/list" "$work/command" "$work/jobs"
	for i in $(seq 0 "$level"); do rm -rf "${work:?}/$i"; done
	rmdir "$work" 2>/dev/null
	exit $worst
}

# ---- submitting them: messages ----

# Names and what Slurm says must not steer a terminal.
line() {
	case $* in
	*[[:cntrl:]]*) printf '%s\n' "$(printf %s "$*" | LC_ALL=C tr '[:cntrl:]' '?')" ;;
	*) printf '%s\n' "$*" ;;
	esac
}
say() { line "$*" || exit 4; }
complain() { line "tprof-import: $*" >&2; }
fail() {
	complain "$*"
	exit 4
}

# "17", "17 and 18", "17, 18 and 19", without clusters.
enumerate() { # ID...
	text=${1%%;*}
	while [ $# -gt 1 ]; do
		shift
		if [ $# -gt 1 ]; then text="$text, ${1%%;*}"; else text="$text and ${1%%;*}"; fi
	done
	echo "$text"
}

# ---- submitting them: Slurm's commands ----

refuse() {
	complain "--slurm: sbatch's $1 is not to be given here"
	exit 2
}

# Refuses what is needed here otherwise (arrays and dependencies, the id that sbatch prints, the folder
# from which names count), in whatever form sbatch takes it (--array=1, --arr 1, -Ha1), and what it
# would take for the script. A word without a dash is the value of the option before it.
check_options() {
	may_be_value=
	for word in $sbatch_options; do
		case $may_be_value$word in
		yes[!-]*)
			may_be_value=
			continue
			;;
		esac
		may_be_value=yes
		case $word in
		--?*)
			for taken in array dependency wait parsable wrap test-only chdir workdir het-group help version usage quiet; do
				case --$taken in "${word%%=*}"*) refuse "${word%%=*}" ;; esac
			done
			case $word in *=*) may_be_value= ;; esac
			;;
		-[!-]*)
			letters=${word#-}
			# Those without a value may stand in one word.
			while :; do
				case $letters in [HIOksv]*) letters=${letters#?} ;; *) break ;; esac
			done
			case $letters in
			[adDQWhV]*) refuse "$word" ;;
			'' | ??*) may_be_value= ;;
			esac
			;;
		*) refuse "$word" ;;
		esac
	done
}

note_jobs() { # [all]
	# shellcheck disable=SC2086
	printf '%s\n' $jobs "$@" 2>/dev/null >"$work/jobs.new" && mv -f "$work/jobs.new" "$work/jobs" && return
	# The last job may have made the store by now.
	[ ! -e "$work/plan" ] || give_up "$store.slurm/jobs: cannot be written"
}

# Ends what was submitted: not all could be.
give_up() {
	cancel
	[ -z "$made" ] || [ -n "$jobs" ] || rm -rf "$work"
	fail "$*"
}

# Submits one job, to begin when the one before it has ended, however it did, and writes its id down at
# once: should this command end here, the next one finds it.
job() { # NAME ARRAY ARGUMENT...
	name=$1 array=$2 after=${jobs##* }
	shift 2
	# shellcheck disable=SC2086
	said=$(sbatch --job-name="$name" --output=/dev/null --error=/dev/null $sbatch_options --parsable --requeue \
		--chdir="$PWD" ${array:+--array="$array"} ${after:+--dependency=afterany:"${after%%;*}"} "$0" "$@" 2>&1 </dev/null)
	status=$?
	id=$(printf '%s\n' "$said" | LC_ALL=C grep -Ex '[0-9]+(;[!-~]+)?' | tail -n 1)
	said=$(printf '%s\n' "$said" | head -n 1)
	[ $status -eq 0 ] ||
		give_up "${said:-sbatch ended with status $status}; once sbatch works, give the same command again; without --slurm, -j N imports here"
	[ -n "$id" ] || give_up "sbatch said '$said', which is no job's number"
	jobs="$jobs${jobs:+ }$id"
}

# The option that names the cluster of a job, if sbatch did.
cluster() { # ID
	case $1 in *';'?*) echo "--clusters=${1#*;}" ;; esac
}

# Does any job wait or run? 2: Slurm does not say (it is away for a while, say).
jobs_alive() {
	answer=1
	for id in $jobs; do
		# One by one: squeue complains about all where it knows the first no more.
		# shellcheck disable=SC2046
		if said=$(squeue --noheader --format=%i $(cluster "$id") --jobs="${id%%;*}" 2>&1); then
			case $said in *"${id%%;*}"*) return 0 ;; esac
		else
			case $said in *'Invalid job id'*) ;; *) answer=2 ;; esac
		fi
	done
	return $answer
}

cancel() {
	# shellcheck disable=SC2046,SC2086
	[ -z "$jobs" ] || scancel --quiet $(cluster "${jobs%% *}") $(printf '%s ' $jobs | sed 's/;[^ ]* / /g') >/dev/null 2>&1
}

# ---- submitting them: the work folder ----

describe() { printf '%s\0' "$PWD" "$store" "$@"; }

# Is what we have locked still the plan that is there? The last job removes it without a lock.
plan_is_held() {
	[ -s "$work/plan" ] && [ "$(stat -Lc %d:%i "$work/plan")" = "$(stat -Lc %d:%i /dev/fd/9)" ]
}

# Opens the folder of an earlier command, locks it, and finds its jobs; fails where there is none.
open_work() { # OPTION... -- PATH...
	[ -e "$work" ] || return 1
	if [ ! -s "$work/plan" ] || [ ! -e "$work/command" ] || [ ! -e "$work/list/1" ]; then
		fail "$store.slurm: holds no import that could be gone on with; remove it, or say another store with -o"
	fi
	describe "$@" | cmp -s - "$work/command" ||
		fail "$store.slurm: is of an import with other arguments that has not ended; give those to go on with it, or remove it"
	# For writing, as NFS wants it.
	command exec 9<>"$work/plan" || return 1
	# Where files cannot be locked (other statuses) it goes without.
	flock -n 9
	[ $? -ne 1 ] || fail "$store.slurm: another tprof-import is submitting its jobs; try again when it is done"
	under_way=
	jobs=$(LC_ALL=C grep -Exs '[0-9]+(;[!-~]+)?' "$work/jobs" | tr '\n' ' ')
	jobs=${jobs% }
	if [ -n "$jobs" ]; then
		jobs_alive
		case $? in
		0) if grep -qx all "$work/jobs"; then under_way=yes; else cancel; fi ;;
		2) fail "Slurm does not say what has become of the jobs of an earlier import into $store; try again when it does" ;;
		esac
	fi
	[ -n "$under_way" ] || plan_is_held || return 1
}

# Makes the folder, complete and locked when it gets its name.
make_work() { # OPTION... -- PATH...
	draft=$(mktemp -d "$work-XXXXXX") || exit 4
	trap 'rm -rf "$draft"' EXIT
	trap 'exit 4' HUP INT TERM
	"$bin/tprof-import" --lists="$draft/list" --tasks="$tasks" "$@" >"$draft/plan" || exit
	[ -s "$draft/plan" ] || exit 0 # there is nothing to import
	describe "$@" >"$draft/command" && mkdir "$draft/0" || exit 4
	count_tasks "$draft"
	level=0 n=$tasks
	while [ "$level" -eq 0 ] || [ "$n" -gt 1 ]; do
		level=$((level + 1)) n=$(((n + 15) / 16))
		mkdir "$draft/$level" || exit 4
	done
	exec 9<>"$draft/plan"
	flock -n 9
	mv -T "$draft" "$work" 2>/dev/null || fail "$store.slurm: has just been made by somebody else"
	trap - EXIT HUP INT TERM
	made=yes
	# That of the import before.
	rm -f "$all.report"
}

count_tasks() { # WORK
	tasks=0
	while [ -e "$1/list/$((tasks + 1))" ]; do tasks=$((tasks + 1)); done
}

# Sets `left` to the tasks of a level that are not done, as sbatch wants them (1-3,7), `nleft` to how
# many they are.
find_left() { # LEVEL COUNT
	left='' nleft=0 i=1 from=
	while [ $i -le $(($2 + 1)) ]; do
		if [ $i -le "$2" ] && [ ! -e "$work/$1/$i.report" ]; then
			from=${from:-$i} nleft=$((nleft + 1))
		elif [ -n "$from" ]; then
			left=$left${left:+,}$from
			[ "$from" -eq $((i - 1)) ] || left=$left-$((i - 1))
			from=
		fi
		i=$((i + 1))
	done
}

# Dumps that the store has already are passed over, unless labels have to reach them. (Labels in a list
# are fields behind a tab.)
known() { # OPTION...
	[ -e "$all" ] || return
	for option; do
		case $option in --label=* | --known=*) return ;; esac
	done
	LC_ALL=C grep -rqz '^	[^=?]' "$work/list" || echo yes
}

# ---- submitting them ----

# Submits an array of the tasks that are missing, one of the merges of each level, and the last merge.
submit_missing() { # OPTION...
	jobs=
	find_left 0 "$tasks"
	parts=$nleft
	if [ "$parts" -gt 0 ]; then
		if [ -n "$(known "$@")" ]; then set -- "--known=$all" "$@"; fi
		job tprof-import "$left" task "$work" "$bin" "$@"
		note_jobs
	fi
	level=1 n=$tasks
	while [ "$n" -gt 16 ]; do
		find_left $level $(((n + 15) / 16))
		if [ "$nleft" -gt 0 ]; then
			job tprof-merge "$left" merge "$work" "$bin" $level "$n"
			note_jobs
		fi
		level=$((level + 1)) n=$(((n + 15) / 16))
	done
	job tprof-merge '' merge "$work" "$bin" $level "$n" "$all"
	note_jobs all
}

tell_begin() {
	ready=
	[ "$parts" -eq "$tasks" ] || ready=", $((tasks - parts)) of them done already"
	say "$plan$ready"
	begin=
	# shellcheck disable=SC2086
	set -- $jobs
	if [ "$parts" -gt 0 ]; then
		begin="job ${1%%;*} imports, "
		shift
	fi
	if [ $# -eq 1 ]; then
		say "${begin}job $(enumerate "$@") merges into $store"
	else
		say "${begin}jobs $(enumerate "$@") merge into $store"
	fi
}

# The last line of a task's log.
tell_log() { # LEVEL N
	if [ "$1" -eq 0 ]; then what="task $2"; else what="merge $2 of level $1"; fi
	if [ -e "$work/$1/$2.log" ]; then
		last=$(tail -n 1 "$work/$1/$2.log")
		complain "$what: ${last:-ended without a word}"
	else
		complain "$what: was not begun"
	fi
}

# The jobs have gone, and the store is not made: says why, by the logs of the tasks of the lowest level
# that are missing.
tell_failure() {
	level=0 n=$tasks
	find_left 0 "$n"
	while [ "$nleft" -eq 0 ] && [ "$n" -gt 16 ]; do
		level=$((level + 1)) n=$(((n + 15) / 16))
		find_left $level "$n"
	done
	told=0 i=1
	[ "$nleft" -gt 0 ] || tell_log $((level + 1)) 1
	while [ $i -le "$n" ] && [ $told -lt 5 ]; do
		[ -e "$work/$level/$i.report" ] || { tell_log $level $i; told=$((told + 1)); }
		i=$((i + 1))
	done
	[ "$nleft" -le 5 ] || complain "and $((nleft - 5)) more"
	fail "$store was not made; what is done is kept in $store.slurm, and the same command goes on"
}

interrupted() { # SIGNAL
	trap - "$1"
	# shellcheck disable=SC2086
	complain "note: jobs $(enumerate $jobs) go on; the same command waits for them again, scancel ends them"
	kill -s "$1" $$
}

tell_progress() {
	[ -t 2 ] || return
	find_left 0 "$tasks"
	printf '\r%s of %s tasks are done\033[K' $((tasks - nleft)) "$tasks" >&2
}

# Looks for the plan once a second, and asks Slurm for the jobs every POLL seconds: where they have gone
# three times, and the plan has not, they have failed. (A file may be seen late that another machine
# removed.)
wait_for_end() { # POLL
	pause=1 asks=${1%.*} looks=0 gone=0 told=
	[ "$asks" -gt 0 ] || pause=$1 asks=1
	while [ -e "$work/plan" ] && [ $gone -lt 3 ]; do
		tell_progress
		run sleep "$pause"
		looks=$((looks + 1))
		if [ $((looks % asks)) -ne 0 ] || [ ! -e "$work/plan" ]; then continue; fi
		jobs_alive
		case $? in
		0) gone=0 ;;
		1) gone=$((gone + 1)) ;;
		2)
			gone=0
			[ -n "$told" ] || complain 'note: Slurm does not answer; waiting goes on'
			told=yes
			;;
		esac
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
	[ ! -e "$work/plan" ] || tell_failure
	exec "$bin/tprof-import" --sum-reports -o "$store" "$store.report"
}

submit() { # BIN STORE SBATCH-OPTIONS TASKS POLL N OPTION... -- PATH...
	bin=$1 store=$2 sbatch_options=$3 tasks=$4 poll=$5 noptions=$6
	shift 6
	check_options
	for tool in sbatch squeue scancel; do
		command -v $tool >/dev/null ||
			fail "$tool is not there: --slurm is for machines from which jobs can be submitted to Slurm (Debian: slurm-client); without it -j N imports here"
	done
	# These would be options of all of these jobs.
	unset SBATCH_ARRAY_INX SBATCH_WAIT
	# Jobs may begin in another folder.
	case $store in /*) all=$store ;; *) all=$PWD/$store ;; esac
	work=$all.slurm under_way='' made='' jobs=''
	open_work "$@" || make_work "$@"
	count_tasks "$work"
	for signal in ${poll:+HUP INT TERM}; do
		# shellcheck disable=SC2064
		trap "interrupted $signal" "$signal"
	done
	if [ -n "$under_way" ]; then
		# shellcheck disable=SC2086
		say "$store is under way: jobs $(enumerate $jobs)"
	else
		plan=$(cat "$work/plan")
		# The options alone: they go behind the rest, which is dropped.
		i=0 rest=$(($# - noptions))
		while [ $i -lt "$noptions" ]; do
			set -- "$@" "$1"
			shift
			i=$((i + 1))
		done
		shift $rest
		submit_missing "$@"
		tell_begin
	fi
	exec 9<&-
	[ -z "$poll" ] || wait_for_end "$poll"
	say "until it is made, work is in $store.slurm; --wait waits"
}

role=$1
shift
case $role in
submit | task | merge) "$role" "$@" ;;
esac

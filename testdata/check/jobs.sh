#!/bin/sh
# The scheduler of all checks: make's -j. Jobs become the targets of a makefile, so that checks within
# checks share one limit on how many run at once (make's jobserver), JOBS or the number of processors.
#
#   … | sh testdata/check/jobs.sh each COMMAND…   runs the command once for each line of standard input,
#                                                 which becomes its last argument
#   … | sh testdata/check/jobs.sh graph           runs lines NAME<tab>NAMES<tab>COMMAND, each after the jobs
#                                                 of its second field have ended; what a job prints comes
#                                                 out in one piece when it ends
#
# Nothing is said about how a job ended: the command is to leave that somewhere.
set -u
dir=$(mktemp -d) || exit 4
trap 'rm -rf "$dir"' EXIT

mode=$1
shift
case $mode in
each)
	# The command as a script, so that its words need no second quoting inside the makefile.
	{
		printf 'exec'
		for word; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
		printf ' "$1"\n'
	} >"$dir/command"
	awk -v command="$dir/command" '
		{
			gsub(/\047/, "\047\\\047\047")
			gsub(/\$/, "$$")
			rules = rules sprintf("%d:\n\t+@sh %s \047%s\047 </dev/null || :\n", NR, command, $0)
			names = names " " NR
		}
		END { printf ".PHONY: all%s\nall:%s\n%s", names, names, rules }' >"$dir/Makefile"
	sync=
	;;
graph)
	awk -F '\t' '
		{
			command = $3
			gsub(/\$/, "$$", command)
			rules = rules sprintf("%s: | %s\n\t+@%s </dev/null\n", $1, $2, command)
			names = names " " $1
		}
		END { printf ".PHONY: all%s\nall:%s\n%s", names, names, rules }' >"$dir/Makefile"
	sync=--output-sync=target
	;;
esac

# The limit of an outer make holds where its jobserver can be reached: make closes it to recipes that it
# does not take for a make.
pipe=$(expr "${MAKEFLAGS:-}" : '.*--jobserver-[a-z]*=\([0-9]*,[0-9]*\)')
case ${MAKEFLAGS:-} in
*--jobserver-auth=fifo:*) jobs= ;;
*--jobserver-*=[0-9]*) if { eval ": <&${pipe%,*} >&${pipe#*,}"; } 2>/dev/null; then jobs=; else jobs=own; fi ;;
*' -j1'*) jobs=-j1 ;;
*) jobs=own ;;
esac
if [ "$jobs" = own ]; then
	MAKEFLAGS=$(printf %s "${MAKEFLAGS:-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//; s/ -j[0-9]*//')
	export MAKEFLAGS
	jobs=-j${JOBS:-$(nproc 2>/dev/null || echo 2)}
fi
make=${MAKE:-make}
# In a process group of its own, so that whatever the jobs have started ends with them.
own=$(command -v setsid)
child=
stop() { [ -z "$child" ] || { kill -TERM "${own:+-}$child"; wait "$child"; }; }
trap 'stop; exit 143' TERM
trap 'stop; exit 130' INT
# shellcheck disable=SC2086
$own ${make%% *} --no-print-directory -k $jobs $sync -f "$dir/Makefile" all &
child=$!
wait "$child"

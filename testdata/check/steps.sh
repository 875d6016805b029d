#!/bin/sh
# Runs steps of the table testdata/check/steps, those they need first, by jobs.sh. A step prints all it has
# to say when it ends; then comes a table of how long each took; the last line is the sum of what they
# counted. A step fails when its command does, when a step it needs has failed, and when it counts nothing,
# unless the table says that there is nothing to count. A command that leaves a check out says "not checked,
# as …" or ends with 77. In CI (CI=true) a missing tool or peer is a failure; what a kernel lacks is one only
# with FEATURES=all, which rows of long steps set.
#
#   [JOBS=N] sh testdata/check/steps.sh LOG_FOLDER SET_OR_STEP…
#
# In LOG_FOLDER there are then NAME.log, and `times`: the seconds of every single test that says them.
set -u
cd "$(dirname "$0")/../.." || exit 4
table=testdata/check/steps
corpus=${CORPUS:-../shared/corpus}
peers=${PEERS:-$HOME/.cache/tprof-peers}

# Field N of a step's row.
field() { # name, N
	awk -F ' *[|] *' -v name="$1" -v n="$2" '!/^#/ && $1 == name { print $n }' "$table"
}

# ---- one step, called by way of jobs.sh ----

# What commands of the table are made of.
san=SAN=address,undefined
bin=build/out/bin
make() { command make --no-print-directory "$@"; }
check() { script=$1; shift; CORPUS=$corpus sh "testdata/check/$script.sh" "$@"; }
need_folder() { for d; do [ -d "$d" ] || { echo "FAILED the folder $d is missing"; return 1; }; done; }
need_program() { for p; do [ -x "$p" ] || { echo "FAILED the program $p is missing"; return 1; }; done; }

one() { # name
	name=$1
	began=$(date +%s)
	{
		lacking=
		for n in $(field "$name" 3); do
			[ -e "$logs/$n.failed" ] && lacking="$lacking $n"
		done
		if [ -z "$lacking" ]; then
			(eval "$(field "$name" 5)")
			status=$?
		else
			echo "FAILED $name needs$lacking, which failed"
			status=1
		fi
	} >"$logs/$name.log" 2>&1
	times >"$logs/$name.cpu"
	seconds=$(($(date +%s) - began))
	cpu=$(tail -n 1 "$logs/$name.cpu" | tr 'ms' '  ' | awk '{ printf "%d", 60 * ($1 + $3) + $2 + $4 }')
	# The last count is the step's sum: "N passed, N failed", behind a name or not.
	counts=$(sed -nE 's/^(.*: )?([0-9]+) passed, ([0-9]+) failed(;.*)?$/\2 \3/p' "$logs/$name.log" | tail -n 1)
	p=${counts%% *} f=${counts##* }
	p=${p:-0} f=${f:-0}
	said="$p passed, $f failed"
	if [ "$status" -eq 77 ] && [ "$f" -eq 0 ] && [ "${CI:-}" != true ]; then
		said='left out'
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1 said="status $status"
		grep -q ^FAILED "$logs/$name.log" || echo "FAILED $name: status $status" >>"$logs/$name.log"
	elif [ "$status" -eq 0 ] && [ $((p + f)) -eq 0 ]; then
		case " $(field "$name" 2) " in
		*' uncounted '*) p=1 said=done ;;
		*)
			if grep -q 'not checked, as' "$logs/$name.log"; then
				said='left out'
			else
				f=1 said='counts nothing'
				echo "FAILED $name counted nothing" >>"$logs/$name.log"
			fi
			;;
		esac
	fi
	[ "$f" -eq 0 ] || : >"$logs/$name.failed"
	echo "$p $f $seconds $cpu $said" >"$logs/$name.ended"
	printf '\n==== %s: %s\n' "$name" "$(field "$name" 4)"
	cat "$logs/$name.log"
	echo "==== $name: $said, $seconds s"
}

if [ "$1" = --one ]; then
	logs=$2
	one "$3"
	exit 0
fi

# ---- all of them ----

logs=$1
shift
rm -rf "$logs"
mkdir -p "$logs" || exit 4
logs=$(realpath "$logs")
began=$(date +%s)

# The rows that are asked for and, before them, those they need. `others` in the third field stands for
# all other steps of this run.
awk -F ' *[|] *' -v asked="$*" '
	BEGIN { n = split(asked, a, " "); for (i = 1; i <= n; i++) ask[a[i]] = 1 }
	/^#/ || NF < 5 { next }
	{
		order[++rows] = $1; needs[$1] = $3
		if ($1 in ask) { used[$1] = 1; wanted[$1] = 1 }
		m = split($2, sets, " ")
		for (i = 1; i <= m; i++)
			if (sets[i] in ask) { used[sets[i]] = 1; wanted[$1] = 1 }
	}
	END {
		for (w in ask)
			if (!(w in used)) { print "steps.sh: there is no step or set \"" w "\" in testdata/check/steps" >"/dev/stderr"; exit 2 }
		do {
			grown = 0
			for (s in wanted) {
				m = split(needs[s], need, " ")
				for (i = 1; i <= m; i++)
					if (need[i] != "others" && !(need[i] in wanted)) { wanted[need[i]] = 1; grown = 1 }
			}
		} while (grown)
		for (i = 1; i <= rows; i++) {
			s = order[i]
			if (!(s in wanted)) continue
			before = " " needs[s] " "
			if (before ~ / others /)
				for (k = 1; k <= rows; k++)
					if (order[k] in wanted && k != i && (" " needs[order[k]] " ") !~ / others /) before = before order[k] " "
			sub(/ others /, " ", before)
			print s "\t" before
		}
	}' "$table" >"$logs/steps" || exit 2

summary() {
	passed=0 failed=0
	printf '\n%7s %6s  %-24s %-20s %s\n' seconds cpu counts step 'what it checks'
	while IFS='	' read -r name before; do
		if [ -e "$logs/$name.ended" ]; then
			read -r p f seconds cpu said <"$logs/$name.ended"
		else
			p=0 f=1 seconds=- cpu=- said='not ended'
		fi
		passed=$((passed + p)) failed=$((failed + f))
		printf '%7s %6s  %-24s %-20s %s\n' "$seconds" "$cpu" "$said" "$name" "$(field "$name" 4)"
	done <"$logs/steps"
	# What failed is named again: of a long log often only the end is kept.
	while IFS='	' read -r name before; do
		[ -e "$logs/$name.ended" ] && [ ! -e "$logs/$name.failed" ] && continue
		printf '\n-- %s\n' "$name"
		grep -a '^FAILED' "$logs/$name.log" | awk '!seen[$0]++' | head -n 20
	done <"$logs/steps"
	printf '\nin %d s\n' $(($(date +%s) - began))
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}

export TIMES="$logs/times"
: >"$TIMES"
trap 'kill "$child"; wait "$child"; summary; exit 143' TERM
trap 'kill "$child"; wait "$child"; summary; exit 130' INT
# Some steps wait for a terminal or a recorded program: one job more than there are processors.
JOBS=${JOBS:-$(($(nproc 2>/dev/null || echo 2) + 1))}
export JOBS
while IFS='	' read -r name before; do
	printf '%s\t%s\tsh testdata/check/steps.sh --one "%s" %s\n' "$name" "$before" "$logs" "$name"
done <"$logs/steps" >"$logs/graph"
sh testdata/check/jobs.sh graph <"$logs/graph" &
child=$!
wait "$child"
# The slowest single tests, for whoever wants the whole to be faster.
sort -rn "$TIMES" | head -n 20 >"$logs/slowest"
summary

# What the checks of the recorder share; to be read by a shell that has set BUILD (build/out), in the
# repository's root. The programs that are recorded are those of cmd/tprof-record/tests.
source=$PWD
bin=$PWD/$BUILD/bin
programs=$PWD/$BUILD/record
scratch=$(mktemp -d) || exit 4
# Of our servers: process ids, ended whatever happens.
servers=
end_servers() {
	[ -z "$servers" ] || kill $servers 2>/dev/null
	servers=
}
trap 'end_servers; umount disk 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8 TZ=UTC
unset DEBUGINFOD_URLS TPROF_RECORD
passed=0 failed=0 skipped=0
cd "$scratch" || exit 4

ok() {
	passed=$((passed + 1))
	[ -z "${QUIET:-}" ] && printf 'ok      %s%s\n' "$1" "${2:+: $2}"
	return 0
}
# LENIENT: it is tried once more.
bad() { # name, why, file
	if [ -n "${LENIENT:-}" ]; then
		printf 'again   %s: %s\n' "$1" "$2"
		return 0
	fi
	failed=$((failed + 1))
	printf 'FAILED  %s: %s\n' "$1" "$2"
	[ -z "${3:-}" ] || head -n 12 "$3" | sed 's/^/        /'
}
skip() { # name, why
	skipped=$((skipped + 1))
	printf 'skipped %s: %s\n' "$1" "$2"
}

# A port that nobody listens at (the third column is the local address, in hex).
free_port() {
	awk -v seed="$$" 'NR == FNR { if (split($2, a, ":") == 2) used[a[2]] = 1; next }
		END { srand(seed + systime()); do p = 20000 + int(rand() * 20000); while (sprintf("%04X", p) in used); print p }' \
		/proc/net/tcp /dev/null
}

# PRELOAD: what else is loaded into the program. AS: what runs the recorder, as another user maybe.
record() { env ${PRELOAD:+LD_PRELOAD="$PRELOAD"} timeout -k 5 "${LIMIT:-60}" ${AS:-} "$bin/tprof-record" "$@"; }

# judge FOLDER [LEAST]: our strict reader on all dumps, which are at least that many. Sets $why, and $n.
# One import reads them all; its report has what became of each. Dumps that are the same are read once.
judge() {
	find "$1" -type f ! -name '*.symbols' ! -name '*.so' >dumps.list 2>/dev/null
	n=$(wc -l <dumps.list)
	if [ "$n" -gt 0 ]; then
		rm -f judged.tprof judged.report
		if ! "$bin/tprof-import" --strict -j 1 --report=judged.report -o judged.tprof @dumps.list >judged.out 2>&1; then
			why="$(sed -n 's/^failure [0-9]* //p' judged.report | head -n 1)"
			why=${why:-$(tail -n 1 judged.out)}
			return 1
		fi
		read=$(awk '/^(imported|there) / { n += $2 } END { print n + 0 }' judged.report)
		if [ "$read" -ne "$n" ]; then
			why="$read of $n dumps were read"
			return 1
		fi
	fi
	[ "$n" -ge "${2:-1}" ] && return 0
	why="$n dumps, not ${2:-1}"
	return 1
}

# What else is to be asked of dumps; with peers it is more (real.sh).
ask_others() { return 0; }

# run OUTPUT COMMAND…: leaves OUTPUT.out, OUTPUT.err and $status, and no remark of the shell.
run() {
	output=$1
	shift
	{ "$@" >"$output.out" 2>"$output.err" </dev/null; status=$?; } 2>/dev/null
}

# same NAME LEAST OPTIONS PROGRAM ARGS…: under the recorder with these options the program prints and
# ends as without it, and there are at least LEAST dumps, all of them readable.
same() {
	name=$1 least=$2 options=$3
	shift 3
	run bare env ${PRELOAD:+LD_PRELOAD="$PRELOAD"} timeout -k 5 "${LIMIT:-60}" "$@"
	bare=$status
	rm -rf dumps
	# shellcheck disable=SC2086
	run recorded record -o dumps $options -- "$@"
	if [ "$status" -ne "$bare" ]; then
		bad "$name" "status $status, not $bare" recorded.err
	elif ! cmp -s bare.out recorded.out; then
		diff bare.out recorded.out >differs
		bad "$name" 'prints something else' differs
	elif grep -vxFf recorded.err bare.err >differs; then
		bad "$name" 'its messages are missing' differs
	elif ! judge dumps "$least"; then
		bad "$name" "$why" recorded.err
	elif ! ask_others dumps; then
		bad "$name" "$why"
	else
		ok "$name" "status $status, $n dumps"
	fi
}

# trip NAME OPTIONS ROUNDS [SHARE]: what the program waits logs is what the trace says.
trip() {
	rm -rf dumps
	# shellcheck disable=SC2086
	run trip record -o dumps --trace $2 -- "$programs/waits" waits.log "$3"
	if [ "$status" -ne 0 ]; then
		bad "$1" "status $status" trip.err
		return 1
	elif ! judge dumps; then
		bad "$1" "$why"
		return 1
	else
		rm -f trip.tprof
		"$bin/tprof-import" -o trip.tprof dumps/trace.out >/dev/null 2>&1
		"$bin/tprof-query" --format=tsv trip.tprof 'select goroutine, state, start_ns, end_ns, reason,
			coalesce(waker, 0), open from span order by goroutine, start_ns' >spans.tsv
		offset=$("$bin/tprof-query" --format=tsv trip.tprof \
			'select mono_ns - ts_ns from clock where mono_ns limit 1' | sed 1d)
		"$programs/compare" waits.log "${offset:-0}" 50 ${4:-} <spans.tsv >compared
		case $? in
		0) ok "$1" "$(tail -n 1 compared)"; return 0 ;;
		3) [ -n "${LENIENT:-}" ] || { skip "$1" "$(tail -n 1 compared)"; return 1; } ;;
		esac
		bad "$1" "$(tail -n 1 compared)" compared
		return 1
	fi
}

# What compared well must not when waits are left out (more than are excused), renamed or moved, or one is made up.
comparer_can_fail() {
	cp spans.tsv good.tsv
	for spoil in '$2 == "Waiting" && $5 != "kernel" && $4 - $3 > 400000 && n++ < 40 { next }' \
		'$5 == "semacquire" || $5 == "sync" { $5 = "chan send" }' \
		'{ $3 += 3000000; $4 += 3000000 }' \
		'{ print } $1 == 3 && !n++ { $2 = "Waiting"; $3 = 0; $4 = 9000000 }'; do
		awk -F '\t' -v OFS='\t' "$spoil { print }" good.tsv >spans.tsv
		if "$programs/compare" waits.log "${offset:-1}" 50 <spans.tsv >compared; then
			bad 'the comparer can fail' "it takes $spoil" compared
			return
		fi
	done
	ok 'the comparer can fail'
}

# thrice CHECK…: the machine may have been busy with something else; of three tries one has to do.
thrice() {
	LENIENT=yes
	if "$@" || "$@"; then
		LENIENT=
		return 0
	fi
	LENIENT=
	"$@"
}

# values DUMP SAMPLE_TYPE: cum by function, as lines "name value".
values() {
	"$bin/tprof-top" --format=tsv --no-trim -n 0 --sample-index="$2" "$1" 2>values.err |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["name"], $at["cum"] }'
}

# total OPTIONS DUMP: the sum of flat.
total() {
	"$bin/tprof-top" --format=tsv --no-trim -n 0 "$@" 2>/dev/null |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["flat"] } END { printf "%.0f\n", n }'
}

# A heap of which all is known: at rate 1 each number of each site is exact. What a program maps itself is exact
# at any rate; of these, numbers of the peak are known as well.
exact_heap() { # name, file of the profile, what program…
	name=$1 file=$2
	shift 2
	rm -rf dumps
	run truth record -o dumps "$@"
	[ "$status" -eq 0 ] || { bad "$name" "status $status" truth.err; return; }
	judge dumps || { bad "$name" "$why"; return; }
	: >wrong
	column=2
	types='alloc_objects alloc_space inuse_objects inuse_space'
	! grep -q '^\[mmap\]' truth.out || types="$types peak_objects peak_space"
	for type in $types; do
		values "dumps/$file" $type >got
		awk -v column=$column -v type=$type 'NR == FNR { got[$1] = $2; next }
			{ n++; if (got[$1] != $column) print $1, type, got[$1] + 0, "not", $column }
			END { if (!n) print "no truth" }' got truth.out >>wrong
		column=$((column + 1))
	done
	if [ -s wrong ]; then
		bad "$name" "$(wc -l <wrong) numbers wrong" wrong
	else
		ok "$name" "$(awk '{ n += $4; b += $5 } END { print n " blocks, " b " bytes in use" }' truth.out)"
	fi
}

# sums NAME PERCENT OPTIONS ARGS…: block and mutex profiles beside the program's own clock. They may be that
# much off, and less by what the program says of its waits that others on the machine made longer.
sums() {
	name=$1 percent=$2 options=$3
	shift 3
	rm -rf dumps
	# shellcheck disable=SC2086
	run truth record -o dumps $options -- "$programs/locks" "$@"
	[ "$status" -eq 0 ] || { bad "$name" "status $status" truth.err; return 1; }
	judge dumps 2 || { bad "$name" "$why"; return 1; }
	values dumps/block.pb.gz delay >got
	values dumps/mutex.pb.gz delay | sed -n '/^site_unlock /p' >>got
	awk -v percent="$percent" 'NR == FNR { got[$1] = $2; next }
		{ off = $2 ? 100 * (got[$1] / $2 - 1) : 0; noise = $2 ? 100 * $3 / $2 : 0; n++
		  said = said sprintf(" %s %+.2f %% (noise %.2f %%)", $1, off, noise)
		  if (off > percent || off < -percent - noise) wrong = 1 }
		END { print substr(said, 2); exit wrong || n != 3 }' got truth.out >said
	status=$?
	if [ $status -eq 0 ]; then
		ok "$name" "$(cat said)"
	else
		bad "$name" "$(cat said)"
		return 1
	fi
}

# blame POINTS: who held the lock for long is blamed for as much of what was waited for it as the program
# itself says, with so many percentage points between them at most. How much that is depends on the machine.
blame() {
	rm -rf dumps
	run blame record -o dumps --mutex -- "$programs/blame" 100
	values dumps/mutex.pb.gz delay >got
	awk -v points="$1" 'NR == FNR { got[$1] = $2; next } { own[$1] = $2 }
		END { sum = got["site_slow"] + got["site_quick"]; all = own["site_slow"] + own["site_quick"]
		p = sum ? 100 * got["site_slow"] / sum : 0; q = all ? 100 * own["site_slow"] / all : 0
		printf "%.1f %% of %.0f ms, by its own clock %.1f %% of %.0f ms\n", p, sum / 1e6, q, all / 1e6
		exit !sum || !all || p - q > points || q - p > points }' got blame.out >said
	if [ "$?$status" = 00 ]; then
		ok 'blame for a lock' "$(cat said)"
	else
		bad 'blame for a lock' "status $status, $(cat said)" blame.err
		return 1
	fi
}

# running NAME REASON LEAST_MS PROGRAM…: threads run for as long as the kernel says, within 2 % or 2 ms (stolen time
# added), and at least one waits for REASON for LEAST_MS. They wait for a processor as long as schedstat says.
running() {
	name=$1 reason=$2 least=$3
	shift 3
	rm -rf dumps
	run truth record -o dumps --trace -- "$@"
	if [ "$status" -eq 77 ]; then
		skip "$name" "$(head -n 1 truth.err)"
		return
	fi
	[ "$status" -eq 0 ] || { bad "$name" "status $status" truth.err; return 1; }
	judge dumps || { bad "$name" "$why"; return 1; }
	read -r begin end cpu delay stolen <truth.out
	rm -f running.tprof
	"$bin/tprof-import" -o running.tprof dumps/trace.out >/dev/null 2>&1
	"$bin/tprof-query" --format=tsv running.tprof "with w as (select mono_ns - ts_ns as off from clock
		where mono_ns limit 1) select coalesce(sum(min(end_ns + off, $end) - max(start_ns + off, $begin)), 0),
		(select coalesce(max(end_ns - start_ns), 0) from span where reason = '$reason') from span, w
		where state = 'Running' and end_ns + off > $begin and start_ns + off < $end" | sed 1d >ran
	sed -n 's/^CPU time: .*; run delay: \([0-9.]*\)\([a-z]*\).*$/\1 \2/p' truth.err >waited
	awk -v cpu="$cpu" -v stolen="$stolen" -v least="$least" -v delay="$delay" -v reason="$reason" '
		function ns(n, unit) { return n * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1) }
		FILENAME == "waited" { waited = ns($1, $2); next }
		{ ran = $1; longest = $2 }
		END { room = cpu / 50 > 2e6 ? cpu / 50 : 2e6; more = delay / 50 > 2e6 ? delay / 50 : 2e6
		printf "ran %.2f ms, by getrusage %.2f; waited %.2f ms for a processor, by schedstat %.2f; %s %.0f ms\n",
			ran / 1e6, cpu / 1e6, waited / 1e6, delay / 1e6, reason, longest / 1e6
		exit ran < cpu - room || ran > cpu + stolen + room || longest < least * 1e6 ||
			waited < delay - more || waited > delay + more }' waited ran >said
	if [ $? -eq 0 ]; then
		ok "$name" "$(cat said)"
	else
		bad "$name" "$(cat said)" truth.err
		return 1
	fi
}

# waits_in FUNCTION: the longest wait of the program that was recorded last has that function innermost, of a stack
# that was read from outside.
waits_in() {
	"$bin/tprof-top" --format=tsv dumps/trace.out block 2>waits.err >waits.tsv
	case $(sed -n 2p waits.tsv) in
	"$1 <"* | "$1	"*) ok "waits in $1" ;;
	*) bad "waits in $1" 'not the longest wait' waits.tsv && return 1 ;;
	esac
}
inlined() { running 'running: a system call that is inlined' kernel 110 "$programs/running" inlined && waits_in inlined; }

# unseen FUNCTIONS PROGRAM…: a wait that no hook sees has them, innermost first, where frames need the frame pointer.
unseen() {
	functions=$1
	shift
	running "running: frames by the frame pointer: $functions" kernel 110 "$@" || return
	"$bin/tprof-query" --format=tsv running.tprof "select stack_text(stack) from span where reason = 'kernel'
		order by end_ns - start_ns desc limit 1" | sed 1d >unseen
	if [ "$(cat unseen)" = "$functions" ]; then
		ok "waits in $functions"
	else
		bad "waits in $functions" 'others' unseen
		return 1
	fi
}

# cpu_shares: what each function uses by its thread's own clock is what the samples say, within three of them
# (five standard deviations of threads shorter than a period); the trace has as many samples as the profile.
# CHILD is empty where a child that runs no other program cannot be recorded.
cpu_shares() {
	child=${CHILD-child}
	name='CPU shares'
	rm -rf dumps cpu.tprof
	run truth record -o dumps --trace --cpu --follow-children -- "$programs/cpu" shares
	[ "$status" -eq 0 ] || { bad "$name" "status $status" truth.err; return 1; }
	judge dumps ${child:+4} || { bad "$name" "$why"; return 1; }
	ask_others dumps || { bad "$name" "$why"; return 1; }
	[ -n "$child" ] || sed -i /^child/d truth.out
	for who in self $child; do
		[ $who = self ] && dump=dumps/cpu.pb.gz || dump=$(echo dumps/*-cpu/cpu.pb.gz)
		values "$dump" cpu | sed "s/^/$who /"
	done >got
	"$bin/tprof-import" -o cpu.tprof dumps/trace.out dumps/cpu.pb.gz >/dev/null 2>&1
	n=$("$bin/tprof-query" --format=tsv cpu.tprof 'select (select sum(value) from bucket_value where type = 0)
		- (select count(*) from cpu_sample)' | sed 1d)
	for label in thread=second route=/pay; do
		"$bin/tprof-top" --format=tsv -n 0 --tag-focus=$label dumps/cpu.pb.gz 2>/dev/null |
			grep -o 'site_[a-z]*' | sort -u
	done | tr '\n' ' ' >labelled
	awk -v period=10309278 -v functions="${child:+7}" 'NR == FNR { got[$1, $2] = $3; next }
		{ off = got[$1, $2] - 1000 * $3; most = $2 == "brief" ? 5 * sqrt(1000 * $3 * period) : 3 * period; n++
		  if (off > most || off < -most) { wrong++; printf "%s has %.0f ms, not %.0f; ", $2, got[$1, $2] / 1e6, $3 / 1000 } }
		END { printf "%d functions\n", n; exit wrong || n != (functions ? functions : 6) }' got truth.out >said
	if [ $? -ne 0 ]; then
		bad "$name" "$(cat said)"
	elif [ "$n" != 0 ]; then
		bad "$name" "the trace has $n samples less than the profile"
	elif [ "$(total dumps/cpu.pb.gz)" != "$(total --view=cpu dumps/trace.out)" ]; then
		bad "$name" "the trace has $(total --view=cpu dumps/trace.out) ns, the profile $(total dumps/cpu.pb.gz)"
	elif [ "$(cat labelled)" != 'site_second site_first ' ]; then
		bad "$name" "labels are on $(cat labelled)"
	else
		ok "$name" "$(cat said)"
		return 0
	fi
	return 1
}

# crash_points N OPTIONS: kills a busy program at N moments (in us, from 0 to 150,000; the same in
# every run), each of them with readable dumps.
crash_points() {
	awk -v n="$1" 'BEGIN { srand(n); for (i = 0; i < n; i++) print int(rand() * rand() * 150000) }' >moments
	crashes=0 dumps=0 crashed=$failed
	while [ $((failed - crashed)) -lt 5 ] && read -r us; do
		rm -rf dumps.crash
		# shellcheck disable=SC2086
		run crash record -o dumps.crash $2 -- "$programs/busy" 1000 "$us"
		crashes=$((crashes + 1))
		if [ "$status" -ne 137 ]; then
			bad "crash points: killed after $us us" "status $status" crash.err
		elif ! judge dumps.crash 1 || ! ask_others dumps.crash; then
			bad "crash points: killed after $us us" "$why" crash.err
		else
			dumps=$((dumps + n))
			passed=$((passed + 1))
		fi
	done <moments
	[ -n "${QUIET:-}" ] || echo "        crash points ($2): $crashes kills, $dumps dumps accepted"
}

finish() { # name
	[ "$skipped" -eq 0 ] || echo "$1: $skipped skipped"
	echo "$1: $passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

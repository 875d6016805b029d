#!/bin/sh
# make check-heldout: traces that nobody has seen before equal Go's reader. Tests of Go's own packages
# and the sample programs of internal/trace are recorded now, with four releases. `conformance` compares
# each trace with what Go's reader says of it, strict imports accept it, tasks.py checks its user tasks,
# and every command and report ends well.
#
#   sh testdata/check/heldout.sh BIN_FOLDER [KEEP]      the traces and expectations stay in the folder KEEP
#
# The releases are toolchains in ${PEERS:-~/.cache/tprof-peers}; those that are missing are fetched by
# ../shared/tools/peers.sh. The reader is the peer `oracle`. T=TEXT: only traces whose name holds it.
# Go's build cache is kept, as after any other build with Go.
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$(cd "$1" && pwd) || exit 4
peers=${PEERS:-$HOME/.cache/tprof-peers}
export TZ=UTC
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tprof-heldout-XXXXXX") || exit 4
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
keep=${2:-$scratch/corpus}
mkdir -p "$keep/traces" && keep=$(cd "$keep" && pwd) || exit 4
passed=0 failed=0 experiment=
export XDG_CACHE_HOME="$scratch/cache"

pass() { passed=$((passed + 1)); }
fail() { # what, file with the reason
	failed=$((failed + 1))
	echo "FAILED $1"
	[ $# -lt 2 ] || tail -n 5 "$2" | cut -c 1-300
}

[ -x "$peers/bin/oracle" ] || { echo "FAILED there is no Go reader at $peers/bin/oracle; ../shared/tools/peers.sh builds it"; exit 1; }

go() { # release, arguments…
	release=$1
	shift
	env GOROOT="$peers/go$release/" GOTOOLCHAIN=local GOPROXY=off GOFLAGS= GOEXPERIMENT="$experiment" XDG_CACHE_HOME="$HOME/.cache" \
		timeout 300 "$peers/go$release/bin/go" "$@"
}

toolchain() { # release
	[ -x "$peers/go$1/bin/go" ] && return
	if [ ! -f ../shared/tools/peers.sh ]; then
		echo "there is no toolchain at $peers/go$1, and no ../shared/tools/peers.sh to fetch it" >"$scratch/log"
		return 1
	fi
	bash ../shared/tools/peers.sh toolchain "$1" >"$scratch/log" 2>&1 && [ -x "$peers/go$1/bin/go" ] && return
	echo "peers.sh cannot fetch it; is there a network?" >>"$scratch/log"
	return 1
}

# ---- recording ----

wanted() { case $1 in *"${T:-}"*) return 0 ;; esac; return 1; }

# A test that fails leaves a complete trace, too: what counts is that Go's reader reads it.
recorded() { # name
	if "$peers/bin/oracle" read "$keep/traces/$1.trace" >"$scratch/read" 2>&1; then
		pass
	else
		fail "$1: no trace was recorded that Go's reader reads" "$scratch/log"
		tail -n 1 "$scratch/read"
		rm -f "$keep/traces/$1.trace"
	fi
}

record_tests() { # release, name, package, options of go test…
	release=$1 name=$2-$1 package=$3
	shift 3
	wanted "$name" || return
	# Where a goroutine without a P helps marking, the reader's MMU panics (internal/trace/gc.go indexes
	# Ps by -1), which is up to chance: another recording is taken then.
	for _ in 1 2 3; do
		(cd "$scratch" && go "$release" test -trimpath -vet=off -short -count=1 -timeout=200s -o recorded.test \
			-trace="$keep/traces/$name.trace" "$@" "$package") >"$scratch/log" 2>&1
		"$peers/bin/oracle" mmu "$keep/traces/$name.trace" 2>&1 >/dev/null | grep -q '^panic:' || break
	done
	recorded "$name"
}

record_program() { # release, program of internal/trace
	name=$2-$1
	wanted "$name" || return
	program=$(find "$peers/go$1/src/" -path "*/testprog/$2.go" | head -n 1)
	# Threads of C that call Go one after the other: the id of their goroutine comes again.
	sed -e 's/const n = 10$/const n = 100/' -e 's/^		<-done$//' -e 's/^		}()$/&; <-done/' "$program" >"$scratch/$2.go" &&
		(cd "$scratch" && GO111MODULE=off go "$1" build -trimpath -o "$2" "$2.go") >"$scratch/log" 2>&1 &&
		timeout 100 "$scratch/$2" >"$keep/traces/$name.trace" 2>>"$scratch/log"
	recorded "$name"
}

for release in 1.22 1.24 1.26 1.27; do
	toolchain $release || { fail "there is no toolchain of go $release" "$scratch/log"; continue; }
	record_tests $release context context
	record_tests $release os-exec os/exec
	record_tests $release sync sync
	record_program $release annotations-stress
	record_program $release cgo-callback
	# What builds a program with go, or asks go vet, takes minutes and adds nothing.
	record_tests $release http net/http -skip 'OmitHTTP2|CmdGo'
	case $release in
	1.22) continue ;;
	1.24)
		experiment=synctest
		record_tests $release synctest testing/synctest
		experiment=
		;;
	*) record_tests $release synctest testing/synctest ;;
	esac
done

# ---- comparing ----

ends() { # command, arguments…
	command=$1
	shift
	timeout 120 "$bin/$command" "$@" >/dev/null 2>"$scratch/log" && pass && return
	fail "$command $* ($name): exit status $?" "$scratch/log"
}

: >"$scratch/seen"
for trace in "$keep"/traces/*.trace; do
	[ -e "$trace" ] || { fail 'nothing was recorded'; break; }
	name=$(basename "$trace" .trace)
	format=$(head -c 16 "$trace" | sed -n '1s/^go 1\.\([0-9]*\) trace.*/\1/p')
	if ! "$peers/bin/oracle" mmu "$trace" >"$scratch/mmu" 2>"$scratch/log" ||
		! "$peers/bin/oracle" summary "$trace" >"$scratch/summary" 2>"$scratch/log"; then
		fail "oracle: $name" "$scratch/log"
		continue
	fi
	{
		printf '{"format":%s,"reader":"go1.27","mmu":' "$format"
		cat "$scratch/mmu"
		printf ,
		sed 's/^{//' "$scratch/summary"
	} >"$keep/traces/$name.expect.json"

	if ! "$bin/tprof-import" --strict -o "$scratch/run.tprof" "$trace" >"$scratch/log" 2>&1; then
		fail "tprof-import --strict $name" "$scratch/log"
		continue
	fi
	pass
	for report in groups goroutines breakdown block locks sched syscalls cpu gc tasks task regions region logs outliers \
		story procs overview mmu pauses stops heap incident; do
		ends tprof-top "$scratch/run.tprof" $report
	done
	for report in summary hops tree totals requests wakers what-if; do
		ends tprof-path "$scratch/run.tprof" $report
	done
	ends tprof-path --goroutine=. "$scratch/run.tprof" blame
	for view in cpu running offcpu sched syscall; do
		ends tprof-flame --format=svg --view=$view "$scratch/run.tprof"
	done
	for format in events parsed raw footprint trace perfetto; do
		ends tprof-export --format=$format "$trace"
	done
	ends tprof-export --format=pprof --view=offcpu "$scratch/run.tprof"
	ends tprof-report "$scratch/run.tprof"
	ends tprof-leaks "$scratch/run.tprof"
	ends tprof-diff "$scratch/run.tprof" "$scratch/run.tprof"
	"$bin/tprof-query" --format=tsv "$scratch/run.tprof" "
		SELECT 'user tasks' WHERE (SELECT count(*) FROM task) > 10
		UNION SELECT 'user regions' WHERE (SELECT count(*) FROM region) > 10
		UNION SELECT 'ids that come again' WHERE (SELECT count(*) FROM goroutine WHERE life > 1) > 0
		UNION SELECT 'bubbles of synctest' WHERE (SELECT count(*) FROM span WHERE reason = 'synctest') > 0" >>"$scratch/seen"
	rm -f "$scratch/run.tprof"
done

# What the traces are recorded for has to be in them.
if [ -z "${T:-}" ]; then
	for what in 'user tasks' 'user regions' 'ids that come again' 'bubbles of synctest'; do
		grep -qx "$what" "$scratch/seen" && pass || fail "no trace has $what"
	done
fi

python3 testdata/check/tasks.py "$bin" --only "$keep"/traces/*.trace >"$scratch/log" 2>&1 && pass || fail "user tasks" "$scratch/log"
"$bin/conformance" "$keep" && pass || fail 'numbers that differ from those of Go'
echo "held-out traces: $passed passed, $failed failed"
[ $failed -eq 0 ]

#!/bin/sh
# tprof-export against `go tool trace`: --pprof=KIND of whole traces, of one group of goroutines and
# of one type of region against its -pprof=KIND and its web handlers, sample by sample; the formats
# raw, parsed and footprint against its -d=wire, -d=parsed and -d=footprint.
#
#   testdata/check/gotrace.sh BIN_FOLDER [TRACE …]
#
# Peers are gotrace and gopprof in ${PEERS:-~/.cache/tprof-peers}/bin; traces are those of testdata
# and of ${CORPUS:-../shared/corpus}/traces unless named. Does nothing where the peers are missing.
# Left out are traces that Go's tool does not read, or not to their end. Old ones with equal times it
# orders one way or another, by chance: then one of its ways is enough.
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1
shift
peers=${PEERS:-$HOME/.cache/tprof-peers}/bin
[ -x "$peers/gotrace" ] && [ -x "$peers/gopprof" ] || { echo "gotrace: no peers, nothing compared"; exit 77; }
[ $# -gt 0 ] || set -- testdata/*.trace "${CORPUS:-../shared/corpus}"/traces/*.trace
scratch=$(mktemp -d) || exit 4
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" TZ=UTC PPROF_BINARY_PATH=/nonexistent
same=0 differ=0 unread=0 undecided=0

# Each sample on a line: its values, and its locations from the leaf on by address, function, file
# and line.
samples() {
	"$peers/gopprof" -raw "$1" 2>"$scratch/pprof.err" | awk '
	/^Samples:/ { part = 1; next }
	/^Locations/ { part = 2; next }
	/^Mappings/ { part = 3; next }
	part == 1 && !types { types = $0; next }
	part == 1 && /^ *[0-9]+ +[0-9]+:/ {
		i = index($0, ":"); values[++n] = substr($0, 1, i - 1); stack[n] = substr($0, i + 1); next
	}
	part == 2 && /^ *[0-9]+: 0x/ {
		id = $1; sub(":", "", id); $1 = ""; gsub(/ M=[0-9]+| s=[0-9]+|\[F\]/, ""); at[id] = $0; next
	}
	part == 2 { at[id] = at[id] " + " $0 }
	END {
		print types
		for (i = 1; i <= n; i++) {
			k = split(stack[i], place, " "); text = ""
			for (j = 1; j <= k; j++) text = text "|" at[place[j]]
			print values[i], text | "sort"
		}
	}' | tr -s ' '
}

compare() { # what; the profiles are go.pb.gz and our.pb.gz
	samples "$scratch/go.pb.gz" >"$scratch/go"
	samples "$scratch/our.pb.gz" >"$scratch/our"
	if [ -s "$scratch/go" ] && cmp -s "$scratch/go" "$scratch/our"; then
		same=$((same + 1))
	else
		differ=$((differ + 1))
		echo "FAILED $1"
		diff "$scratch/go" "$scratch/our" | cut -c1-160 | head -n 6
	fi
}

export_ours() { # arguments…
	"$bin/tprof-export" -o "$scratch/our.pb.gz" "$@" 2>"$scratch/err" && return
	echo "FAILED tprof-export $*"
	cat "$scratch/err"
	differ=$((differ + 1))
	return 1
}

text() { # what, file of theirs, file of ours
	if cmp -s "$2" "$3"; then
		same=$((same + 1))
		return
	fi
	differ=$((differ + 1))
	echo "FAILED $1"
	diff -a "$2" "$3" | cut -c1-160 | head -n 6
}

# Theirs, as long as it is not ours; when it is not itself either, there is nothing to compare with.
parsed() { # trace
	cp "$scratch/go" "$scratch/first"
	wavers=
	for again in 1 2 3 4 5 6; do
		cmp -s "$scratch/go" "$scratch/our" && break
		"$peers/gotrace" -d=parsed "$1" >"$scratch/go" 2>/dev/null
		cmp -s "$scratch/go" "$scratch/first" || wavers=yes
	done
	if [ -n "$wavers" ] && ! cmp -s "$scratch/go" "$scratch/our"; then
		undecided=$((undecided + 1))
	else
		text "parsed $1" "$scratch/go" "$scratch/our"
	fi
}

for f in "$@"; do
	[ -r "$f" ] || continue
	if "$peers/gotrace" -d=wire "$f" >"$scratch/go" 2>/dev/null; then
		"$bin/tprof-export" --format=raw "$f" >"$scratch/our" 2>"$scratch/err"
		text "raw $f" "$scratch/go" "$scratch/our"
		# All types there are by what they amount to; ours has those that occur.
		"$peers/gotrace" -d=footprint "$f" | awk 'NR > 2 && NF == 5 && $4 > 0 { print $1, $2, $4 }' | sort >"$scratch/go"
		"$bin/tprof-export" --format=footprint "$f" | tr -d , |
			awk 'NR > 1 && !/^\(/ { print $1, $2, $4 }' | sort >"$scratch/our"
		text "footprint $f" "$scratch/go" "$scratch/our"
	fi
	if "$peers/gotrace" -d=parsed "$f" >"$scratch/go" 2>/dev/null; then
		"$bin/tprof-export" --format=parsed "$f" >"$scratch/our" 2>"$scratch/err"
		parsed "$f"
	fi
done

for f in "$@"; do
	[ -r "$f" ] || continue
	"$bin/tprof-import" -o "$scratch/s.tprof" "$f" >/dev/null 2>&1 || continue
	lost=$("$bin/tprof-query" --format=tsv "$scratch/s.tprof" 'SELECT count(*) FROM loss' | tail -n 1)
	for kind in net sync syscall sched; do
		if [ "$lost" != 0 ] || ! "$peers/gotrace" -pprof=$kind "$f" >"$scratch/go.pb.gz" 2>"$scratch/err"; then
			unread=$((unread + 1))
			break
		fi
		# Another order, another nanosecond.
		export_ours --pprof=$kind "$scratch/s.tprof" || continue
		samples "$scratch/our.pb.gz" >"$scratch/our"
		for again in 1 2 3 4 5 6 7 8 9 10 11 12; do
			samples "$scratch/go.pb.gz" >"$scratch/go"
			cmp -s "$scratch/go" "$scratch/our" && break
			"$peers/gotrace" -pprof=$kind "$f" >"$scratch/go.pb.gz"
		done
		compare "$kind of $f"
	done
	rm -f "$scratch/s.tprof"
done

# What only its web page can be asked.
ask() { # port, request
	if command -v curl >/dev/null; then
		curl -s "http://127.0.0.1:$1/$2"
	else
		wget -q -O - "http://127.0.0.1:$1/$2"
	fi >"$scratch/go.pb.gz"
}
encode() { printf %s "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'; }
quote() { printf %s "$1" | sed 's/[][().*+?{}|\\^$]/\\&/g'; }

for f in testdata/checkout.trace testdata/checkout-1.19.trace; do
	BROWSER=true DISPLAY= "$peers/gotrace" -http=127.0.0.1:0 "$f" >"$scratch/log" 2>&1 &
	server=$!
	port=
	for i in $(seq 120); do
		port=$(sed -n 's/.*listening on http:\/\/127\.0\.0\.1:\([0-9]*\).*/\1/p' "$scratch/log")
		[ -z "$port" ] || break
		sleep 0.5
	done
	for i in $(seq 120); do
		[ -n "$port" ] && ask "$port" goroutines && [ -s "$scratch/go.pb.gz" ] && break
		sleep 0.5
	done
	[ -s "$scratch/go.pb.gz" ] || port=
	[ -n "$port" ] || { echo "FAILED gotrace -http: $(tail -n 1 "$scratch/log")"; differ=$((differ + 1)); }
	"$bin/tprof-query" --format=tsv "$f" 'SELECT DISTINCT name FROM goroutine WHERE name <> ""' |
		sed 1d >"$scratch/groups"
	"$bin/tprof-query" --format=tsv "$f" 'SELECT DISTINCT name FROM region WHERE name <> ""' |
		sed 1d >"$scratch/regions"
	for kind in io:net block:sync syscall:syscall sched:sched; do
		[ -n "$port" ] || break
		while read -r name; do
			ask "$port" "${kind%:*}?raw=1&name=$(encode "$name")"
			export_ours --pprof="${kind#*:}" --goroutine="^$(quote "$name")\$" "$f" &&
				compare "${kind#*:} of goroutines $name of $f"
		done <"$scratch/groups"
		while read -r name; do
			ask "$port" "region${kind%:*}?raw=1&type=$(encode "$name")"
			export_ours --pprof="${kind#*:}" --region="^$(quote "$name")\$" "$f" &&
				compare "${kind#*:} of regions $name of $f"
		done <"$scratch/regions"
	done
	kill $server
	wait $server 2>/dev/null
	server=
done
echo "gotrace: $same the same, $differ differ, $unread traces that go's tool does not read, $undecided that it reads now one way, now another"
echo "exports equal to go tool trace's: $same passed, $differ failed"
[ "$differ" = 0 ] && [ "$same" -gt 0 ]

# Go's own readers as judges; to be read by a shell that has read lib.sh.
peers=${PEERS:-$HOME/.cache/tprof-peers}/bin
needs_peers() {
	for peer in oracle oracle-legacy gotrace gopprof; do
		[ -x "$peers/$peer" ] || bad "the peer $peer" "there is no $peers/$peer"
	done
}

# All of them on all dumps of a folder; $why is what they said. Numbers of profiles are compared
# with tprof-top's (testdata/check/pprof.sh); OPTIONS is what with.
ask_others() {
	find "$1" -type f ! -name '*.symbols' >others.list
	while read -r dump; do
		case $dump in
		*.pb.gz | *.txt) ask_pprof "$dump" ;;
		*) ask_tracers "$dump" ;;
		esac || { why="$dump: $why"; return 1; }
	done <others.list
}
ask_pprof() {
	case $1 in
	*.txt)
		PEERS=${peers%/bin} sh "$source/testdata/check/pprof-texts.sh" "$bin" "$PWD/$1" >pprof.out 2>&1 &&
			grep -q ' in 1 texts equal, 0 differ' pprof.out && return 0
		;;
	*)
		# tprof-top shows the peak of a heap of which nothing is in use, unless both are told what to show.
		case ${1##*/} in heap*) type=-sample_index=inuse_space ;; *) type= ;; esac
		options=$(printf '%s' "${OPTIONS:--trim=false
-trim=false -sample_index=0
-lines}" | sed "/sample_index/! s/\$/ $type/")
		PEERS=${peers%/bin} OPTIONS="$options
" sh "$source/testdata/check/pprof.sh" "$bin" "$PWD/$1" >pprof.out 2>&1 &&
			grep -q ' [1-9][0-9]* reports equal, 0 differ, 0 that pprof refuses' pprof.out && return 0
		;;
	esac
	why="pprof: $(head -n 3 pprof.out | tr '\n' ' ')"
	return 1
}
ask_tracers() {
	if [ "$(head -c 12 "$1" | tr -d '\0')" = 'go 1.5 trace' ]; then
		"$peers/oracle-legacy" read "$1" >legacy.out 2>&1 && return 0
		why="oracle-legacy: $(tail -n 1 legacy.out)"
		return 1
	fi
	if ! "$peers/oracle" read "$1" >oracle.out 2>&1; then
		why="oracle: $(tail -n 1 oracle.out)"
	elif ! "$peers/gotrace" -d=parsed "$1" >gotrace.out 2>&1; then
		why="gotrace: $(tail -n 1 gotrace.out)"
	# It refuses a trace in which no goroutine ran, as one that ended right after its header.
	elif [ "$(awk '{ print $2 }' oracle.out)" -gt 1 ] &&
		! "$peers/gotrace" -pprof=sync "$1" >gotrace.pb 2>gotrace.out; then
		why="gotrace -pprof=sync: $(grep . gotrace.out | tail -n 1)"
	else
		# As many events as our own reader sees.
		rm -f asked.tprof
		"$bin/tprof-import" -o asked.tprof "$1" >asked.out 2>&1
		ours=$("$bin/tprof-query" --format=tsv asked.tprof 'select events from run' | sed 1d)
		theirs=$(awk '{ print $2 }' oracle.out)
		[ "$ours" = "$theirs" ] && return 0
		why="$ours events, not $theirs"
	fi
	return 1
}

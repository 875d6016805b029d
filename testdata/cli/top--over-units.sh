# A unit, or a type, with which another begins is another one; so is none at all.
profile() {
	printf '\012\004\010\001\020\002\022\006\012\001\001\022\001\007\042\006\010\001\042\002\010\001\052\004\010\001\020\003'
	printf '\062\000'
	for word in "$1" "$2" f; do
		printf "\062\\$(printf %03o ${#word})%s" "$word"
	done
}
try() {
	(cd "$TMP" && tprof-top --over=run "$@" 2>&1)
	echo "status $?"
}
profile alloc s >"$TMP/s"
profile alloc samples >"$TMP/samples"
profile alloc '' >"$TMP/none"
profile alloc_space s >"$TMP/space"
profile '' s >"$TMP/type"
try s samples
try samples s
try none s
try s space
try type s
try s s

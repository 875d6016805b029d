# Methods with type arguments of their own keep their receivers, and arguments that are functions
# their parameters: Go's pprof takes either for parameters of C++.
fill=testdata/generic/fill.heap
tprof-top --sample-index=alloc_space --focus='main\.' "$fill" | sed -n '/^ *FLAT/,$p'
tprof-top --sample-index=alloc_space --demangle=templates --focus='A..Fill' "$fill" | tail -4
tprof-top --peek='Fill' --sample-index=alloc_space "$fill" | grep -c 'main\.(\*[AB])\.Fill\[go.shape.int64\]'
tprof-flame --format=folded --sample-index=alloc_space "$fill" | sed -n 's/.*;\(main\.[^;]*\)$/\1/p' | sort
tprof-import -o "$TMP/fill.tprof" "$fill" >"$TMP/log"
tprof-top --sample-index=alloc_space --focus=Fill "$TMP/fill.tprof" | tail -3

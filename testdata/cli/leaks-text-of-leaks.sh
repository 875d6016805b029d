# The text of a goroutineleak profile (debug=2, go 1.27): who writes it does not leak, nor with --all.
cd "$TMP"
cat >leaks.d2 <<'END'
goroutine 1 [running]:
runtime/pprof.writeGoroutineStacks({0x64f650, 0xc000})
	runtime/pprof/pprof.go:816 +0x69
runtime/pprof.writeGoroutineLeak({0x64f650, 0xc000}, 0x2)
	runtime/pprof/pprof.go:803 +0xa8
main.main()
	bakery/main.go:168 +0x79c

goroutine 30 [chan receive (leaked)]:
main.bake.func1()
	bakery/main.go:90 +0x19
created by main.bake in goroutine 1
	bakery/main.go:90 +0x96

goroutine 31 [chan receive (leaked)]:
main.bake.func1()
	bakery/main.go:90 +0x19
created by main.bake in goroutine 1
	bakery/main.go:90 +0x96
END
tprof-leaks leaks.d2
tprof-leaks --all leaks.d2
tprof-leaks --gate=2 leaks.d2 >/dev/null; echo "status $?"

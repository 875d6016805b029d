# Goroutines that share stack, state and creator, from a dump, from a crash, and from a profile that
# has counts alone; which of them wait longest; a profile without goroutines.
dumps=testdata/corpus/profiles
tprof-top --goroutines "$dumps/stuck-1.27.goroutine.d2"
tprof-top --goroutines --focus=main.down "$dumps/stuck-1.27.quit.d2"
tprof-top --goroutines --focus=stamp "$dumps/stuck-1.27.goroutine.d1"
cat >"$TMP/old.d2" <<'END'
fatal error: all goroutines are asleep - deadlock!

goroutine 7 [select]:
main.wait()
	/src/wait.go:7 +0x1d
created by main.main in goroutine 1
	/src/wait.go:30 +0x5e

goroutine 8 [select, 2 minutes]:
main.wait()
	/src/wait.go:7 +0x1d
created by main.main in goroutine 1
	/src/wait.go:30 +0x5e

goroutine 18 [chan receive, 5 minutes]:
main.old(...)
	/src/wait.go:17
created by main.main in goroutine 1
	/src/wait.go:31 +0x5e
END
tprof-top --goroutines --sample-index=wait "$TMP/old.d2"
tprof-top --goroutines -n 1 "$TMP/old.d2"
tprof-top --goroutines -n 2 --format=json "$TMP/old.d2"
tprof-top --goroutines --format=csv "$TMP/old.d2"
# Labels with numbers.
tprof-top --goroutines --by=goroutine --focus=main.old "$TMP/old.d2"
tprof-top --goroutines --by=goroutine -n 2 --format=csv "$TMP/old.d2"
# Two goroutines without an id, and goroutine 5.
{
	printf '\n\004\010\001\020\0022\0002\011goroutine2\005count'
	printf '\022\002\020\001\022\002\020\001\022\010\020\001\032\004\010\001\030\005'
} >"$TMP/ids.pb"
tprof-top --goroutines "$TMP/ids.pb"
tprof-top --goroutines --format=csv "$TMP/ids.pb"
tprof-top --goroutines testdata/catalog.cpu 2>&1
echo "status $?"

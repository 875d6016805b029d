# Folded stacks as their producers write them: files and lines, kernel and inlined frames, a
# difference, fractions, a line of something else, compressed, and what is no folded stack.
cp testdata/folded/*.folded "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top java.folded
try tprof-top --traces --sample-index=before difference.folded
try tprof-top --lines python.folded
try tprof-top fractions.folded
try tprof-import --strict -o s.tprof fractions.folded
gzip -k java.folded
try tprof-flame --format=folded java.folded.gz
tprof-export --format=folded java.folded | tprof-top --cum - 2>&1
try tprof-diff java.folded python.folded
printf 'main 12\nf 3\n' | try tprof-top -

echo '# names of C++ and Rust are demangled where they are mangled, and lose hashes; others stay'
for how in default full none; do
	tprof-top --demangle=$how --cum - <<-'EOF'
		_ZN3app3runIiEEvi;_ZN4core3fmt9Formatter3new17h1f2e3d4c5b6a7988E;<module>;<a::B<T> as c::D>::f::h1f2e3d4c5b6a7988;std::vector<int>::f(int);std::vector<int>::hash_table_lookup;a::b<(c)>;operator() (int) 1
	EOF
done
echo 'a 1 1.000001: 1 cycles: 1 c::D::f::h1f2e3d4c5b6a7988+0x1 (/a)' | tprof-top -

#!/bin/sh
# What a newcomer does, each on a machine that has nothing but Debian's base, git, make and
# ca-certificates, as a chroot made anew:
#
#   clone   make demo and make test, the first two commands in a clone
#   dist    make test, the first command in what the tarball of make dist holds
#   deb     the packages of make deb: installed, used, asked for their manual pages, taken away
#
#   [SUITE=bookworm] [MIRROR=URL] sh testdata/check/fresh.sh [clone|dist|deb]…
#
# Needs root, debootstrap and the mirror; without them it says so and ends with 77. The base is kept in
# build/fresh, beside the packages that were fetched; `rm -r build/fresh` makes the next one new.
set -u
cd "$(dirname "$0")/../.." || exit 4
keep=$PWD/build/fresh
passed=0 failed=0
leave_out() { echo "Not tried on a fresh machine: $*."; exit 77; }

[ "$(id -u)" -eq 0 ] || leave_out 'a chroot is made by root only'
command -v debootstrap >/dev/null || leave_out 'debootstrap is missing (Debian: apt-get install debootstrap)'
here=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}")
SUITE=${SUITE:-${here:-bookworm}}
MIRROR=${MIRROR:-$(sed -n 's/^URIs: *\(http[^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)}
[ -n "$MIRROR" ] || leave_out 'this system names no mirror of Debian (MIRROR=URL does)'
base=$keep/$SUITE.tar

make_base() {
	rm -rf --one-file-system "$keep/base"
	mkdir -p "$keep/archives"
	debootstrap --variant=minbase --include=git,make,ca-certificates "$SUITE" "$keep/base" "$MIRROR" >"$keep/base.log" 2>&1 &&
		tar -C "$keep/base" -cf "$base.part" --exclude='./var/cache/apt/archives/*.deb' . && mv "$base.part" "$base"
	status=$?
	rm -rf --one-file-system "$keep/base"
	return $status
}
mkdir -p "$keep"
exec 9>"$keep/lock" # there may be two of us
flock 9
if [ ! -s "$base" ]; then
	make_base || {
		tail -n 5 "$keep/base.log"
		leave_out "debootstrap could not bring $SUITE from $MIRROR ($keep/base.log)"
	}
fi
exec 9>&-

root=
leave() {
	[ -n "$root" ] || return
	for m in proc dev/pts dev/shm; do umount -l "$root/$m" 2>/dev/null; done
	rm -rf --one-file-system "$root"
	root=
}
trap leave EXIT
trap 'exit 130' INT TERM

enter() { # a fresh machine
	root=$(mktemp -d /var/tmp/fresh.XXXXXX) && chmod 755 "$root" && tar -C "$root" -xf "$base" || exit 4
	cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null
	cp -L /etc/hosts "$root/etc/" 2>/dev/null
	cp -rL /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null
	# It will not last: no package has to reach the disk before the next one. Nothing is fetched twice.
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
	printf 'Binary::apt-get::APT::Keep-Downloaded-Packages "1";\nAPT::Keep-Downloaded-Packages "1";\nDPkg::Post-Invoke "";\nAPT::Update::Post-Invoke "";\n#clear DPkg::Post-Invoke;\n#clear APT::Update::Post-Invoke;\n' \
		>"$root/etc/apt/apt.conf.d/zz-fresh"
	cp "$keep"/archives/*.deb "$root/var/cache/apt/archives/" 2>/dev/null
	mkdir -p "$root/dev/pts" "$root/dev/shm" "$root/src"
	mount -t proc proc "$root/proc" 2>/dev/null
	mount -t devpts devpts "$root/dev/pts" 2>/dev/null
	mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null
}
inside() { # command…: in /src there
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
		chroot "$root" /bin/sh -c 'cd /src && exec "$@"' sh "$@" </dev/null
}
keep_archives() { cp -n "$root"/var/cache/apt/archives/*.deb "$keep/archives/" 2>/dev/null; }

ok() { passed=$((passed + 1)); }
wrong() { echo "FAILED $*"; failed=$((failed + 1)); }
expect() { # what, command…
	what=$1
	shift
	if "$@" >"$keep/$subject.log" 2>&1; then ok; else wrong "$what"; tail -n 40 "$keep/$subject.log"; fi
}

try_clone() {
	git clone -q --no-hardlinks . "$root/src" || { wrong 'git clone'; return; }
	inside make demo >"$keep/demo.log" 2>&1 || { tail -n 40 "$keep/demo.log"; wrong 'make demo'; return; }
	ok
	# It ranks, draws and records what it is meant to.
	for text in 'main.(\*Shop).cashier' 'mutex.pb.gz' 'file:///src/build/demo/order.svg'; do
		if grep -q "$text" "$keep/demo.log"; then ok; else wrong "make demo says nothing of $text"; fi
	done
	expect 'its picture' test -s "$root/src/build/demo/order.svg"
	make_test
}

try_dist() {
	make --no-print-directory dist >"$keep/$subject.log" 2>&1 || { cat "$keep/$subject.log"; wrong 'make dist'; return; }
	tar -C "$root/src" --strip-components=1 -xzf "$(tail -n 1 "$keep/$subject.log")"
	make_test
}

make_test() {
	if inside make test >"$keep/test.log" 2>&1; then ok; else wrong 'make test'; fi
	grep FAILED "$keep/test.log"
	tail -n 2 "$keep/test.log"
	# All but what needs a tool that is not there is checked.
	expect 'it counts its tests' sh -c "tail -n 1 '$keep/test.log' | grep -qE '^[0-9]{4,} passed, 0 failed$'"
}

try_deb() {
	ls build/deb/*.deb >/dev/null 2>&1 || expect 'make deb' make --no-print-directory deb
	cp build/deb/*.deb "$root/src" || { wrong 'there are no packages'; return; }
	cp -r debian/tests testdata README.md TOUR.md "$root/src"
	mkdir "$root/src/man" "$root/src/libparse"
	cp man/tprof.3 "$root/src/man"
	cp libparse/tprof.h "$root/src/libparse"
	expect 'apt-get update' inside apt-get update -qq
	expect 'apt-get install' inside sh -c 'apt-get install -y -qq --no-install-recommends ./tprof_*.deb ./lib*.deb man-db sqlite3 g++ gcc libc6-dev pkgconf'
	for t in commands library; do
		expect "debian/tests/$t" inside env AUTOPKGTEST_TMP=/tmp sh "tests/$t"
	done
	for c in $(inside sh -c 'cd /usr/bin && echo tprof*'); do
		expect "man $c" inside sh -c "man '$c' | grep -q NAME"
		expect "$c for bash" inside bash -c ". /usr/share/bash-completion/completions/$c && complete -p $c"
	done
	expect 'man 5 tprof-store' inside sh -c 'man 5 tprof-store | grep -q goroutine_block'
	expect 'man 3 tprof-record' inside sh -c 'man 3 tprof-record | grep -q tprof_task_begin'
	expect 'tprof help' inside sh -c 'tprof help top | grep -q NAME'
	expect 'files are as they were packed' inside sh -c '! dpkg --verify tprof libtprof-dev libtprof0 libtprof-record0 libtprof-record-dev | grep .'
	expect 'apt-get purge' inside apt-get purge -y -qq tprof libtprof-dev libtprof0 libtprof-record0 libtprof-record-dev
	expect 'nothing stays' sh -c "! find '$root/usr' '$root/etc' '$root/var/lib' -name '*tprof*' | grep ."
}

for subject in ${*:-clone dist deb}; do
	case $subject in clone | dist | deb) ;; *) echo "there is no '$subject'; clone, dist and deb are there" >&2; exit 2 ;; esac
	started=$(date +%s)
	enter
	"try_$subject"
	keep_archives
	leave
	echo "fresh machine, $subject: $(($(date +%s) - started)) s"
done
echo "fresh machine: $passed passed, $failed failed"
[ $failed -eq 0 ]

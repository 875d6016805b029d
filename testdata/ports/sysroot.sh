#!/bin/sh
# The libraries and headers of another machine's Debian, unpacked below DIR/root, for a cross compiler's
# --sysroot: of the release that is installed here, from the same mirrors. apt resolves what is needed
# in a state of its own, so that no architecture is added to this system, and nothing is installed. What
# was fetched stays in DIR; DIR/done names what it was made of.
#
#   sh testdata/ports/sysroot.sh arm64|i386|s390x DIR
set -eu

arch=$1 dir=$2
packages='libc6-dev libsqlite3-dev zlib1g-dev libdeflate-dev libzstd-dev liblz4-dev libxxhash-dev libjson-c-dev libxml2-dev libdw-dev libelf-dev libedit-dev libncurses-dev libcmocka-dev libseccomp-dev libmicrohttpd-dev libcurl4-openssl-dev'
release=$(. /etc/os-release 2>/dev/null && echo "$ID ${VERSION_CODENAME:-}")

[ "$(cat "$dir/done" 2>/dev/null)" != "$release $packages" ] || exit 0
for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null 2>&1 || { echo "tprof: $tool is missing: libraries of other machines are fetched with it" >&2; exit 1; }
done

rm -rf "$dir"
mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/root"
: >"$dir/status"
cat >"$dir/apt.conf" <<END
Dir::State "$dir/state";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
END
export APT_CONFIG="$dir/apt.conf"
log=$dir/log
# A source that has nothing for this machine is no trouble as long as every package is found.
apt-get -q update >"$log" 2>&1 || :
# shellcheck disable=SC2086
apt-get -q -y install --download-only $packages >>"$log" 2>&1 || {
	cat "$log" >&2
	echo "tprof: the libraries of $arch could not be fetched" >&2
	exit 1
}
for p in "$dir"/cache/archives/*.deb; do
	case ${p##*/} in
	# Programs and translations that nothing here is linked with.
	gcc-*-base_* | icu-devtools_* | rpcsvc-proto_* | ncurses-bin_* | libc-dev-bin_*) ;;
	*) dpkg-deb -x "$p" "$dir/root" ;;
	esac
done
# Links that mean this root would lead out of the sysroot.
find "$dir/root" -type l -lname '/*' | while read -r link; do
	ln -sfn "$dir/root$(readlink "$link")" "$link"
done
rm -rf "$dir/cache" "$dir/state" "$dir/status"
printf '%s\n' "$release $packages" >"$dir/done"

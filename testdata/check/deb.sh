#!/bin/sh
# Debian packages of a tarball, and their source, into a folder. Nothing is asked of the network.
#
#   sh testdata/check/deb.sh TARBALL FOLDER     (DEB_BUILD_OPTIONS=nocheck: without the tests)
set -eu
tarball=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper; do
	command -v "${tool%%:*}" >/dev/null || {
		echo "make deb: ${tool%%:*} is missing (Debian: apt-get install ${tool#*:}; then apt-get build-dep .)" >&2
		exit 1
	}
done
rm -rf "$to"/tprof* "$to"/libtprof*
# The tarball lists no folders: what tar makes them like goes into the source package.
(umask 022 && tar -C "$to" -xzf "$tarball")
source=$(echo "$to"/tprof-*)
# What make says of the build it was started by is not for this one.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
if ! (cd "$source" && dpkg-buildpackage -us -uc) >"$to/build.log" 2>&1; then
	tail -n 50 "$to/build.log" >&2
	echo "make deb: failed; $to/build.log has all of it" >&2
	exit 1
fi
rm -rf "$source"
ls "$to"/*.deb

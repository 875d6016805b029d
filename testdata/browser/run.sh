#!/bin/sh
# make test-browser: flame graphs (flame.py) and pages (report.py) of the sample data in headless
# Chromium, which clicks, zooms, searches, sorts, filters and prints them, and takes screenshots into
# BUILD_FOLDER/browser.
#
#   sh testdata/browser/run.sh BUILD_FOLDER
set -eu
cd "$(dirname "$0")/../.."
out=$1/browser
command -v python3 >/dev/null || {
	echo "tprof: python3 is missing (Debian: apt-get install python3)" >&2
	exit 1
}
rm -rf "$out"
mkdir -p "$out"
status=0
for test in flame report; do
	BIN=$1/bin PYTHONDONTWRITEBYTECODE=1 python3 testdata/browser/$test.py "$out" || status=1
done
exit $status

#!/bin/sh
# make test-browser: flame graphs of the sample data in headless Chromium, which clicks, zooms,
# searches and sorts them (flame.py), and takes screenshots into BUILD_FOLDER/browser.
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
BIN=$1/bin PYTHONDONTWRITEBYTECODE=1 python3 testdata/browser/flame.py "$out"

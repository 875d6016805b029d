#!/bin/sh
# make test-web: every view of tprof-web's page in headless Chromium (web.py); screenshots are left in
# BUILD_FOLDER/web.
#
#   [SHORT=1] [WEB_ROUNDS=N] [WEB_SECONDS=N] [WEB_SEED=N] [ONLY='timeline chance'] [TIMES=1] sh testdata/web/run.sh BUILD_FOLDER
set -eu
cd "$(dirname "$0")/../.."
out=$1/web
command -v python3 >/dev/null || {
	echo "tprof: python3 is missing (Debian: apt-get install python3)" >&2
	exit 1
}
rm -rf "$out"
mkdir -p "$out"
BIN=$1/bin PYTHONDONTWRITEBYTECODE=1 exec python3 testdata/web/web.py "$out"

#!/bin/sh
# Does FLEET.md have the numbers that sizing.py computes from measured.tsv? With UPDATE=1 it gets them.
#
#   [UPDATE=1] sh testdata/fleet/paper.sh [BIN_FOLDER]
set -u
cd "$(dirname "$0")/../.." || exit 4
exec python3 testdata/fleet/paper.py

#!/bin/sh
# make tui: what tprof-tui shows when it is driven by keys, compared with recorded screens (run.py).
#
#   [BIN=FOLDER] [UPDATE=1] sh testdata/tui/run.sh [PATTERN]...
#
# It needs tmux and Python; where one is missing nothing is checked, and that is said. In CI it fails.
cd "$(dirname "$0")/../.." || exit 4
for tool in tmux python3; do
	command -v $tool >/dev/null && continue
	if [ "${CI:-}" = true ]; then
		echo "FAILED $tool is missing"
		echo 'screens: 0 passed, 1 failed'
		exit 1
	fi
	echo "The screens of tprof-tui are not checked, as $tool is missing (Debian: apt-get install $tool)."
	echo 'screens: 0 passed, 0 failed'
	exit 0
done
PYTHONDONTWRITEBYTECODE=1 exec python3 testdata/tui/run.py "$@"

#!/bin/sh
# make test-mcp: tprof-mcp against the protocol's own client (client.mjs), and its inspector where Node is new
# enough. Both come from npm, into ${PEERS:-~/.cache/tprof-peers}/mcp.
#
#   [SHORT=1] sh testdata/mcp/run.sh BUILD_FOLDER
#
# 77 where node or npm is missing or a package cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 4
sdk=@modelcontextprotocol/sdk@1.32.2 inspector=@modelcontextprotocol/inspector@2.12.0
modules=${PEERS:-$HOME/.cache/tprof-peers}/mcp
bring() { # package: its name without the version is its folder
	[ -d "$modules/node_modules/${1%@*}" ] && return
	npm install --no-audit --no-fund --ignore-scripts --prefix "$modules" "$1" >/dev/null 2>&1
}
command -v node >/dev/null && command -v npm >/dev/null || {
	echo "mcp: node or npm is missing, nothing compared"
	exit 77
}
mkdir -p "$modules" && bring $sdk || {
	echo "mcp: npm cannot install $sdk, nothing compared"
	exit 77
}
# The inspector says what it needs.
if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 19) ? 0 : 1)'; then
	bring $inspector || echo "mcp: npm cannot install $inspector"
	[ ! -d "$modules/node_modules/${inspector%@*}" ] || INSPECTOR=$modules/node_modules/.bin/mcp-inspector
else
	echo "mcp: this Node is too old for the inspector"
fi
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
# Packages are found beside what imports them.
ln -s "$modules/node_modules" "$scratch/node_modules"
cp testdata/mcp/client.mjs "$scratch/"
BIN=$PWD/$1/bin TMP=$scratch INSPECTOR=${INSPECTOR:-} node "$scratch/client.mjs"

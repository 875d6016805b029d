# tprof-mcp without a client: the handshake, tools, pages, and what it refuses. make test-mcp has the protocol's
# own client.
export COLUMNS=80 LC_ALL=C.UTF-8
session() { # LINE…: a session of these requests; answers as text, a blank line between
	{
		echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
		echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
		printf '%s\n' "$@"
	} | tprof-mcp testdata | sed '1d; s/\\u000a/\n/g; s/\\"/"/g'
	echo
}
# TOOL ARGUMENTS
ask() { session "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"; }

echo '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"1999-12-31"}}' | tprof-mcp
session '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | grep -o '"name": "[a-z]*"' | tr '\n' ' '
echo
ask list '{"path":"inbox"}'
ask overview '{"file":"catalog.cpu"}'
ask top '{"files":["checkout.trace"],"report":"block","rows":2}'
ask query '{"file":"checkout.trace","sql":"SELECT id, name FROM goroutine","budget":500}'
ask top '{"files":["../README.md"]}'
ask top '{"files":["checkout.trace"],"options":["--output=x"]}'
ask source '{"file":"catalog.cpu"}'
session 'nothing' '[]' '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}'

echo '## wrong command lines'
for words in '--timeout=0' 'testdata testdata' 'nowhere' 'README.md' '--source-path=nowhere testdata'; do
	tprof-mcp $words </dev/null 2>&1
	echo "status $?"
done

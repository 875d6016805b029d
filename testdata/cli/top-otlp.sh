# OpenTelemetry's profiles: one message, messages with their sizes, lines of JSON; compressed, from
# standard input; links, attributes and times as labels; two services; cut off; an older layout.
cp testdata/otlp/shop.* "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top --traces shop.otlp
try tprof-top --sample-index=cpu --tag-focus=trace_id=101112131415161718191a1b1c1d1e1f shop.jsonl
try tprof-top --sample-index=events --tag-focus=time=1700000001s:1700000002s shop.sized
tprof-top --tags --sample-index=events shop.sized 2>&1 | grep -A 2 service.name
gzip -k shop.otlp
zstd -q shop.jsonl
head -n 1 shop.jsonl >shop.json
try tprof-flame --format=folded --tag-root=service.name --sample-index=cpu shop.otlp.gz
try tprof-flame --format=folded --tag-root=service.name --sample-index=cpu shop.jsonl.zst
tprof-flame --format=folded --sample-index=cpu - <shop.sized
tprof-flame --format=folded --sample-index=cpu shop.packed
{ printf '\0\0%b' "$(printf '\\0%03o\\0%03o' $(($(wc -c <shop.json) / 256)) $(($(wc -c <shop.json) % 256)))"; cat shop.json; } >json.sized
tprof-flame --format=folded --sample-index=cpu json.sized
try tprof-diff shop.otlp shop.sized
tprof-import -o s.tprof shop.otlp >log 2>&1 || cat log
tprof-query --format=tsv s.tprof "SELECT text FROM notice"
tprof-export --format=pprof shop.jsonl | tprof-top --traces - 2>&1 | head -n 16
head -c 1500 shop.sized | try tprof-top -n 2 -
head -c 900 shop.otlp | try tprof-top -
head -n 1 shop.jsonl | sed 's/"stackIndex":2/"locationsStartIndex":2/' | try tprof-top -
head -c 1500 shop.sized | try tprof-import --strict -o t.tprof -

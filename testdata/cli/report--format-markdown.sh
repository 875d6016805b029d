# Pages as Markdown: findings, tables and commands, of a trace, a profile, comparisons, and a damaged trace.
tprof-report --format=markdown testdata/checkout.trace --budget=6000
tprof-report --format=markdown -n 3 --sample-index=cpu testdata/catalog.cpu
tprof-report -o "$TMP/diff.md" -n 3 --sample-index=alloc_space --base testdata/prices/old-1.heap testdata/prices/new-1.heap
cat "$TMP/diff.md"
tprof-report --format=markdown --base testdata/checkout-1.19.trace testdata/checkout.trace --budget=4000
tprof-report --format=markdown testdata/checkout-cut.trace 2>/dev/null | sed -n '/^## What is missing/,/^## Reports/p'
# A heading that would be markup.
tprof-report --format=markdown --title='<b>*1. | `x`' testdata/catalog.cpu | head -1
tprof-report --format=markdown -o "$TMP/a.html" testdata/catalog.cpu 2>&1 | head -1
tprof-report --format=html -o "$TMP/a.md" testdata/catalog.cpu 2>&1 | head -1
tprof-report -o "$TMP/a.pdf" testdata/catalog.cpu 2>&1 | head -1

"""make fuzz-ledger: adds the lines that runs of make fuzz left in FUZZ_CORPUS/ledger.tsv to the ledger
of the tree, testdata/fuzz/ledger.tsv, once, and writes the table in FUZZING.md anew.

    python3 testdata/check/fuzzledger.py

A line is when, engine, target, seconds of processor time, executions, edges, new findings. Lines come
from runs only (fuzz.py writes them); the table is sums of them, and the most edges of any run.
"""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = pathlib.Path(os.environ.get("FUZZ_CORPUS") or ROOT / "build/fuzz/corpus")
LEDGER = ROOT / "testdata/fuzz/ledger.tsv"
PAGE = ROOT / "FUZZING.md"


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def table(rows):
    total = {}
    for line in rows:
        _, _, target, cpu, executions, edges, found = line.split("\t")
        t = total.setdefault(target, [0.0, 0, 0, 0])
        t[0] += float(cpu)
        t[1] += int(executions)
        t[2] = max(t[2], int(edges))
        t[3] += int(found)
    out = ["| target | CPU-hours | executions | edges | findings |", "|---|---|---|---|---|"]
    for name, (cpu, executions, edges, found) in sorted(total.items()):
        out.append(f"| {name} | {cpu / 3600:.2f} | {executions:,} | {edges:,} | {found} |")
    return "\n".join(out)


rows = lines(LEDGER)
rows += [line for line in lines(CORPUS / "ledger.tsv") if line not in set(rows)]
LEDGER.write_text("".join(line + "\n" for line in sorted(rows)))
print(table(rows))
if PAGE.exists():
    page = re.sub(r"(<!-- ledger -->\n).*?(\n<!-- /ledger -->)", lambda m: m[1] + table(rows) + m[2], PAGE.read_text(),
                  flags=re.S)
    PAGE.write_text(page)

"""Compares the cells that the timeline saves with tprof-top: python3 sums.py CELLS.csv TRACE"""

import csv
import io
import subprocess
import sys

STATES = {"running_ns": ["running_ns"], "runnable_ns": ["runnable_ns"], "blocked_ns": ["blocked_ns"],
          "syscall_ns": ["syscall_ns", "syscall_blocked_ns"]}


def top(report, trace, begin, end):
    text = subprocess.run(["tprof-top", "--format=csv", "--rows=0", f"--from={begin}ns", f"--to={end}ns", trace,
                           report], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def main():
    cells = list(csv.DictReader(open(sys.argv[1])))
    begin = min(int(c["from_ns"]) for c in cells)
    end = max(int(c["to_ns"]) for c in cells)
    sums = {}
    for cell in cells:
        key = cell["name"] if cell["row"] == "groups" else int(cell["id"])
        row = sums.setdefault(key, dict.fromkeys(STATES, 0))
        for state in STATES:
            row[state] += int(cell[state])
    rows = {int(r["goroutine"]): r for r in top("goroutines", sys.argv[2], begin, end)}
    rows.update({r["function"]: r for r in top("groups", sys.argv[2], begin, end)})
    wrong = 0
    for key, row in sums.items():
        for state, columns in STATES.items():
            expected = sum(int(rows[key][c] or 0) for c in columns if c in rows[key])
            if row[state] != expected:
                print(f"{key} {state}: {row[state]}, tprof-top says {expected}")
                wrong += 1
    print(f"{len(sums)} rows from {begin} to {end}, {wrong} wrong")
    sys.exit(wrong > 0 or len(sums) < 5)


main()

#!/usr/bin/env python3
"""Merging in any order and by any tree of merges gives the same store.

    merge.py BIN [ROUNDS [SEED [DUMP...]]]

Each round takes some dumps, imports each into one or several stores, in different ways (with
occupancy, written out as rows, packed harder, labelled), merges them by two random trees, and
compares the bytes of what comes out; then once more with itself and with one of its parts. Of some
runs, every row of every table and some reports are compared with those of the store that the run
came from. Without DUMP: the dumps of testdata."""
import glob
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
import merging  # noqa: E402
from merging import GIVEN, HERE, ROUNDS, check, name, rng, run, same, scratch, tree

WAYS = [[], ["--occupancy"], ["--compress=high"], ["--materialize"], ["--label=os=linux"],
        ["--label=os=plan9", "--label=rev=7"], ["--name=another"]]
REPORTS = [["tprof-top"], ["tprof-flame", "--format=folded"], ["tprof-export", "--format=pprof"]]


def leaf(dump):
    """A store of this dump, imported in some way; None where it is no dump."""
    way = rng.choice(WAYS)
    key = (dump, *way)
    if key not in leaf.made:
        path = name()
        status, _, _ = run("tprof-import", "-o", path, *way, dump)
        leaf.made[key] = path if not status else None
    return leaf.made[key]


leaf.made = {}


def merge(target, stores):
    status, _, err = run("tprof-merge", "-o", target, *stores)
    check(not status, f"tprof-merge says {err}")
    return target


def tables():
    with open(HERE + "/../../libparse/store/tables.h") as f:
        return [line.split(",")[1].strip() for line in f if line.startswith("\tT(")]


TABLES = tables() + ["event", "span", "string"]


def rows(store, run_id, table):
    columns = [line.split("\t")[0] for line in run(
        "tprof-query", "--format=tsv", store,
        f"SELECT name FROM pragma_table_info('{table}')")[1].decode().split("\n")[1:] if line]
    wanted = ", ".join(f'"{c}"' for c in columns if c != "run")
    return run("tprof-query", "--format=tsv", store,
               f'SELECT {wanted} FROM "{table}" WHERE run = {run_id}')[:2]


def runs(store):
    db = sqlite3.connect(store)
    try:
        return {h: i for i, h in db.execute("SELECT id, hash FROM run")}
    finally:
        db.close()


def has_features(store, run_id):
    """Tables that depend on how it was imported."""
    return rows(store, run_id, "occupancy")[1].count(b"\n") > 1


def compare(merged, part):
    """All that can be asked of a run of `part` is answered alike by `merged`."""
    there = runs(merged)
    for digest, old in runs(part).items():
        new = there.get(digest)
        check(new is not None, f"run {old} of {part} is not there")
        if new is None:
            continue
        for t in TABLES:
            if t == "occupancy" and not has_features(part, old):
                continue
            check(rows(part, old, t) == rows(merged, new, t), f"{t} of {part} and {merged}")
        for report in REPORTS:
            a, b = (run(*report, f"--run={i}", s) for s, i in ((part, old), (merged, new)))
            # The first line of some is the run's name, which another store may have decided.
            check(a[1].split(b"\n")[1:] == b[1].split(b"\n")[1:] and a[0] == b[0],
                  f"{report} of {part} and {merged}")


def round_of(dumps):
    stores = []
    for dump in dumps:
        stores += [s for s in (leaf(dump) for _ in range(rng.choice((1, 1, 2, 3)))) if s]
    if not stores:
        return
    first = merge(name(), sorted(stores))
    check(run("tprof-store", "verify", first)[0] == 0, "verify")
    for _ in range(2):
        made, err = tree(stores)
        check(made and same(made, first), f"a tree of {len(stores)} stores: {err}")
    again = name()
    shutil.copy(first, again)
    merge(again, [again])
    check(same(again, first), "merged with itself")
    merge(again, [rng.choice(stores)])
    check(same(again, first), "merged with one of its parts")
    compare(first, rng.choice(stores))


def main():
    here = HERE + "/.."
    dumps = GIVEN or sorted(glob.glob(here + "/*.trace") + glob.glob(here + "/catalog.*") +
                            glob.glob(here + "/fuzz/profile/*") + [here + "/inbox", here + "/ledger"])
    try:
        for _ in range(ROUNDS or 12):
            round_of(rng.sample(dumps, min(len(dumps), rng.randint(2, 12))))
    finally:
        shutil.rmtree(scratch)
    print(f"merge: {merging.passed} passed, {merging.failed} failed")
    return merging.failed != 0


sys.exit(main())

#!/usr/bin/env python3
"""Merging in any order and by any tree of merges gives the same store.

    merge.py BIN [ROUNDS [SEED [DUMP...]]]

Each round takes some dumps, imports each into one or several stores, in different ways (written out
as rows, packed harder, labelled), adds at times a store of an earlier version, merges them by two
random trees, and compares the bytes of what comes out; then once more with itself and with one of its
parts. Of some runs, every row of every table and some reports are compared with those of the store
that the run came from. Without DUMP: the dumps of testdata."""
import glob
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
GIVEN = sys.argv[4:]
HERE = os.path.dirname(os.path.abspath(__file__))

rng = random.Random(SEED)
scratch = tempfile.mkdtemp(prefix="tprof-merging-")
os.environ["XDG_CACHE_HOME"] = scratch + "/cache"
passed = failed = names = 0
WAYS = [[], ["--compress=high"], ["--materialize"], ["--label=os=linux"],
        ["--label=os=plan9", "--label=rev=7"], ["--name=another"]]
REPORTS = [["tprof-top"], ["tprof-flame", "--format=folded"], ["tprof-export", "--format=pprof"]]


def check(ok, what):
    global passed, failed
    passed += ok
    failed += not ok
    if not ok:
        print("FAILED", what)
    return ok


def run(*words):
    p = subprocess.run([f"{BIN}/{words[0]}", *words[1:]], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace").strip()


def name():
    global names
    names += 1
    return f"{scratch}/{names}.tprof"


def tree(stores):
    """Merges them by a random tree, also into stores that are there: the result, None where a merge
    failed, and what the last one said."""
    stores = list(stores)
    rng.shuffle(stores)
    while True:
        n = min(len(stores), rng.randint(1, 4))
        some, stores = stores[:n], stores[n:]
        target = name()
        if rng.random() < 0.3:
            shutil.copy(rng.choice(some), target)
        status, _, err = run("tprof-merge", "-o", target, *some)
        if status:
            return None, err
        if not stores:
            return target, err
        stores.insert(rng.randint(0, len(stores)), target)


def same(a, b):
    with open(a, "rb") as x, open(b, "rb") as y:
        return x.read() == y.read()


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


def compare(merged, part):
    """All that can be asked of a run of `part` is answered alike by `merged`."""
    there = runs(merged)
    for digest, old in runs(part).items():
        new = there.get(digest)
        check(new is not None, f"run {old} of {part} is not there")
        if new is None:
            continue
        for t in TABLES:
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
    if rng.random() < 0.3:
        stores.append(HERE + "/../parts.store")
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
        for _ in range(ROUNDS):
            round_of(rng.sample(dumps, min(len(dumps), rng.randint(2, 12))))
    finally:
        shutil.rmtree(scratch)
    print(f"merge: {passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())

#!/usr/bin/env python3
"""A trace that was cut by generation and joined again is the run that one import makes.

    parts.py BIN [ROUNDS [SEED [TRACE...]]]

Each trace of go 1.22 and later is cut in ROUNDS random ways (one of them: each generation by itself),
the parts are merged in any order and by any tree of merges, and the result is compared with
tprof-merge's of a store that all of it was imported into: byte by byte, but for the time of import,
which is made the same in all. Parts of damaged traces (broken/ in their path) may stay parts, of
which a warning tells; these go into the whole. Then parts and wholes that were imported with
different options are merged by several trees. Without TRACE:
those of testdata and of the corpus, where there is one; and of each with several generations three
more, cut off somewhere."""
import glob
import os
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
import merging  # noqa: E402
from merging import GIVEN, HERE, check, name, rng, run, same, scratch, tree

ROUNDS = merging.ROUNDS or 4
CORPUS = os.environ.get("CORPUS") or HERE + "/../../../shared/corpus"
WAYS = [[], [], [], ["--occupancy"], ["--compress=high"], ["--label=os=linux"], ["--materialize"]]

refused = 0


def same_time(store):
    """All runs were imported at the same time."""
    db = sqlite3.connect(store)
    db.execute("UPDATE run SET imported_ns = 1")
    db.commit()
    db.close()
    return store


def imported(trace, *options):
    store = name()
    status, _, err = run("tprof-import", "-o", store, *options, trace)
    return (None, err) if status else (same_time(store), err)


def cuts(n, first):
    """Random ranges that cover 1 to n."""
    if first:
        return [(i, i) for i in range(1, n + 1)]
    ends = sorted(rng.sample(range(1, n), rng.randint(1, min(n - 1, 6)))) + [n]
    return [(a + 1, b) for a, b in zip([0] + ends, ends)]


def differences(a, b):
    """Which tables differ, for who has to find out why."""
    found = []
    one, other = sqlite3.connect(a), sqlite3.connect(b)
    for (table,) in one.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        rows = [sorted(map(repr, db.execute(f'SELECT * FROM "{table}"').fetchall()))
                for db in (one, other)]
        if rows[0] != rows[1]:
            found.append(f"{table} ({len(rows[0])} and {len(rows[1])} rows)")
    return ", ".join(found) or "bytes only"


def count(store):
    db = sqlite3.connect(store)
    (n,), = db.execute("SELECT count(*) FROM run").fetchall()
    db.close()
    return n


def damage(store):
    """A block that is not what it was. What a part says of itself stays: without that, nobody knows
    what it belongs to."""
    db = sqlite3.connect(store)
    row, data = rng.choice(db.execute("SELECT rowid, data FROM block WHERE stream <> 'cut' "
                                      "AND length(data) > 8 ORDER BY stream, part").fetchall())
    db.execute("UPDATE block SET data = ? WHERE rowid = ?", (data[:rng.randint(1, 8)], row))
    db.commit()
    db.close()
    return store


def try_mixed(trace, label, n, damaged):
    """The whole trace and parts of it, one by one imported with other options, some of them twice,
    some damaged: what is kept is the same by every tree."""
    ways = [[], ["--occupancy"], ["--compress=high"], ["--occupancy", "--compress=high"]]
    wanted = [(a, b) for a, b in cuts(n, False) for _ in range(rng.randint(1, 2))]
    made = [imported(trace, *rng.choice(ways), f"--generations={a}-{b}") for a, b in wanted]
    made += [imported(trace, *rng.choice(ways)) for _ in range(rng.randint(0, 2))]
    stores = [store for store, _ in made if store]
    harmed = damaged or rng.random() < 0.5
    for store in stores:
        if harmed and rng.random() < 0.2:
            damage(store)
    one, err = tree(stores)
    for _ in range(2):
        other, why = tree(stores)
        check(one and other and same(one, other),
              f"{label}: mixed {wanted}: {err or why or differences(one, other)}")
    if one and not harmed:
        status, out, _ = run("tprof-store", "verify", one)
        check(not status, f"{label}: mixed {wanted}: {out}")


def try_trace(trace, label, damaged):
    global refused
    status, out, err = run("tprof-import", "--generations=list", trace)
    if status:
        return
    n = len(out.splitlines())
    options = rng.choice(WAYS)
    one, err = imported(trace, *options)
    if n < 2 or not one:
        return
    whole = name()
    run("tprof-merge", "-o", whole, one)
    for i in range(ROUNDS):
        ranges = cuts(n, not i and n <= 40)
        made = [imported(trace, *options, f"--generations={a}-{b}") for a, b in ranges]
        wrong = [err for store, err in made if not store]
        joined, err = (None, wrong[0]) if wrong else tree([store for store, _ in made])
        what = f"{label} {' '.join(options)} {ranges}"
        if not joined:
            refused += 1
            check(damaged and ("damaged" in err or "as a whole" in err), f"{what}: {err}")
        elif count(joined) > 1:
            refused += 1
            check(damaged and "stay as they are" in err, f"{what}: {err}")
            beside, err = tree([joined, one])
            check(beside and same(whole, beside), f"{what}: beside the whole: {err}")
        elif not same(whole, joined):
            check(False, f"{what}: differs in {differences(whole, joined)}")
        else:
            check(True, what)
            if not i:
                status, _, err = run("tprof-merge", "-o", name(), joined, made[0][0], one)
                check(not status, f"{what}: once more: {err}")
                check(same(f"{scratch}/{merging.names}.tprof", whole), f"{what}: once more")
        for store, _ in made:
            if store:
                os.unlink(store)
    try_mixed(trace, label, n, damaged)
    for old in glob.glob(scratch + "/*.tprof"):
        os.unlink(old)


def main():
    traces = GIVEN or sorted(glob.glob(HERE + "/../**/*.trace", recursive=True) +
                             glob.glob(CORPUS + "/traces/*.trace") +
                             glob.glob(CORPUS + "/broken/*"))
    for trace in traces:
        broken = "/broken/" in trace or "broken" in os.path.basename(trace)
        try_trace(trace, os.path.basename(trace), broken)
        status, out, _ = run("tprof-import", "--generations=list", trace)
        if status or len(out.splitlines()) < 2 or os.path.getsize(trace) > 20_000_000:
            continue
        size = os.path.getsize(trace)
        for at in [size - 1, size - rng.randint(2, max(2, size // 10)), rng.randint(size // 3, size)]:
            with open(trace, "rb") as f, open(scratch + "/cut.trace", "wb") as g:
                g.write(f.read(at))
            try_trace(scratch + "/cut.trace", f"{os.path.basename(trace)} cut at {at}", True)


try:
    main()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
print(f"parts: {merging.passed} passed, {merging.failed} failed; "
      f"{refused} of damaged traces were refused")
sys.exit(merging.failed > 0)

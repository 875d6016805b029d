#!/usr/bin/env python3
"""Stores are the same wherever they are made, and read the same everywhere.

Every dump of a sample is imported by the commands of this machine and by those of another. The two
stores have to agree in every value of every table, blobs byte by byte, but for the moment at which
they were made. With --unpacked the rows that blobs hold have to agree, not the blobs: LZ4 and zstd
find other matches where bytes have another order, so that a column packs a little better or worse. Then all four ways to read them (by either's commands, what either wrote) have to
print the same: reports, exports, and rows of virtual tables.

    exchange.py [--unpacked] HERE THERE [CORPUS]

HERE and THERE are folders of commands; without CORPUS only dumps of testdata are in the sample.
"""

import csv
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

MOST_BYTES = 300_000  # of a dump of the corpus: the other machine may be an emulated one
EACH = int(os.environ.get("EACH", 6))  # dumps of every folder of the corpus

DUMPS = """checkout.trace checkout-cut.trace checkout-1.19.trace counter-1.5.trace relay.trace
catalog.heap catalog.cpu catalog.mutex inbox/inbox-3.d2 prices/new.cpu""".split()

TRACE = """
tprof-top STORE --format=csv
tprof-top STORE goroutines --format=csv -n 0
tprof-top STORE mmu --format=csv
tprof-top STORE --view=offcpu --format=csv
tprof-export STORE --format=events
tprof-export STORE --format=trace
tprof-export STORE --format=folded --view=offcpu
tprof-path STORE --format=csv
""".split("\n")
SPANS = "SELECT * FROM span; SELECT * FROM site_hist; SELECT * FROM goroutine_time; SELECT * FROM stack"

PROFILE = """
tprof-top STORE --raw
tprof-top STORE --tree
tprof-top STORE --traces
tprof-top STORE --format=csv -n 0
tprof-flame STORE --format=svg
tprof-export STORE --format=pprof
""".split("\n")

BY_ROWS = "--unpacked" in sys.argv
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", what)


def run(folder, words, store):
    """Status, output and messages, which know no store by its name."""
    argv = [os.path.join(folder, words[0])] + [store if w == "STORE" else w for w in words[1:]]
    env = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", COLUMNS="100", XDG_CACHE_HOME=os.path.dirname(store))
    done = subprocess.run(argv, env=env, capture_output=True, timeout=600)
    return done.returncode, done.stdout.replace(store.encode(), b"STORE"), done.stderr.replace(store.encode(), b"STORE")


def tables(store):
    """All rows of all tables, by name."""
    db = sqlite3.connect(store)
    rows = {}
    for name, sql in db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall():
        columns = [c[1] for c in db.execute(f'PRAGMA table_info("{name}")') if c[1] != "imported_ns"]
        rows[name] = sql, db.execute('SELECT {} FROM "{}"'.format(",".join(f'"{c}"' for c in columns), name)).fetchall()
    db.close()
    return rows


def unpacked(here, store, scratch):
    """All rows of all tables as tprof-export writes them, by name; rows of `block` are in the others."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        done = run(here, ["tprof-export", "--format=csv", "-o", folder, "STORE"], store)
        check(done[0] == 0, f"tables of {store}: {done[2][:200]}")
        rows = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), newline="") as f:
                lines = list(csv.reader(f))
            drop = [i for i, c in enumerate(lines[0]) if c in ("imported_ns", "bytes_stored")]
            rows[name] = "", [[v for i, v in enumerate(line) if i not in drop] for line in lines]
    check(len(rows) > 10, f"{store}: {len(rows)} tables")
    return rows


def differ(a, b):
    """The first table of two stores that differs, or None."""
    for name in sorted(set(a) | set(b)):
        if a.get(name) != b.get(name):
            for x, y in zip(a.get(name, ("", []))[1], b.get(name, ("", []))[1]):
                if x != y:
                    return f"{name}: {str(x)[:200]} and {str(y)[:200]}"
            return name
    return None


def sample(corpus):
    dumps = [os.path.join("testdata", d) for d in DUMPS]
    for part in ("traces", "broken", "profiles") if corpus else ():
        folder = os.path.join(corpus, part)
        if not os.path.isdir(folder):
            continue
        names = [n for n in sorted(os.listdir(folder)) if not n.endswith((".json", ".md", ".txt", ".symbols"))]
        names = [n for n in names if os.path.isfile(os.path.join(folder, n)) and os.path.getsize(os.path.join(folder, n)) < MOST_BYTES]
        step = max(1, len(names) // EACH)
        dumps += [os.path.join(folder, n) for n in names[::step][:EACH]]
    return dumps


def exchange(here, there, dump, scratch):
    stores = [os.path.join(scratch, "here.tprof"), os.path.join(scratch, "there.tprof")]
    said = []
    for folder, store in zip((here, there), stores):
        status, out, err = run(folder, ["tprof-import", "-o", "STORE", dump], store)
        said.append((status, re.sub(rb"; [0-9.]+s;", b"", out), err))  # but for how long it took
    check(said[0] == said[1], f"{dump}: imports say {said[0]} and {said[1]}")
    made = [os.path.exists(s) for s in stores]
    if made == [False, False]:
        return
    if not all(made):
        check(False, f"{dump}: only one of them made a store")
        return
    if BY_ROWS:
        found = differ(unpacked(here, stores[0], scratch), unpacked(here, stores[1], scratch))
    else:
        found = differ(tables(stores[0]), tables(stores[1]))
    check(not found, f"{dump}: stores differ in {found}")
    db = sqlite3.connect(stores[0])
    trace = db.execute("SELECT count(*) FROM wire").fetchone()[0] > 0
    db.close()
    asked = [line.split() for line in (TRACE if trace else PROFILE) if line]
    if trace:
        asked.append(["tprof-query", "--format=csv", "STORE", SPANS])
    for words in asked:
        want = run(here, words, stores[0])
        check(want[0] == 0 or not dump.startswith("testdata"), f"{dump}: {' '.join(words)} says {want[2]}")
        for folder, store, way in ((here, stores[1], "theirs here"), (there, stores[0], "ours there"), (there, stores[1], "theirs there")):
            got = run(folder, words, store)
            check(got == want, f"{dump}: {' '.join(words)}, {way}: {got[0]} {got[2][:200]}, not {want[0]} {want[2][:200]}")
    for store in stores:
        os.remove(store)


def main():
    argv = [a for a in sys.argv if a != "--unpacked"]
    here, there = (os.path.abspath(f) for f in argv[1:3])
    corpus = argv[3] if len(argv) > 3 and os.path.isdir(argv[3]) else None
    for dump in sample(corpus):
        with tempfile.TemporaryDirectory() as scratch:
            exchange(here, there, dump, scratch)
    print(f"stores: {passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())

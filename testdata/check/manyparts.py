#!/usr/bin/env python3
"""A trace in very many parts is joined to what one import makes of it, in time and memory that grow
as the trace does.

    manyparts.py BIN [PARTS [SEED]]

Traces of a quarter of PARTS generations and of PARTS are made up and cut into parts of one each,
which are merged all at once and by a tree of merges. Four times the parts may take six times the
processor time of the merge (as the square of them it would be 16 times), and 16 MiB more."""
import os
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
import merging  # noqa: E402
from merging import check, name, rng, run, same, scratch

PARTS = merging.ROUNDS or 1000
TIMES, MORE_KB = 6, 16 << 10
GOROUTINES = 20
NOBODY = (1 << 64) - 1


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out) + bytes([v])


def words(*values):
    return b"".join(map(varint, values))


def batch(generation, m, ts, data):
    return words(1, generation, m, ts, len(data)) + data


def generation(number):
    """In each generation its goroutines block and wake each other; numbers are those of go 1.23."""
    ts = number * 100000
    events = words(13, 1, 0, 1)
    for g in range(1, GOROUTINES + 1):
        events += words(25, 1, g, *((1, 2) if g == 1 else (NOBODY, 4)))
    for g in range(1, GOROUTINES + 1):
        after = g % GOROUTINES + 1
        events += words(44, 1, 0, 1, 2, 0) + words(21, 1, after, 1, 0)
        events += words(20, 1, 1, 0) + words(16, 1, after, 2)
    strings = b"\4" + b"".join(b"\5" + words(i, len(s)) + s for i, s in
                               ((1, b"chan receive"), (2, b"log %d" % number)))
    return (batch(number, 1, ts, events) + batch(number, NOBODY, ts, words(8, 10 ** 9)) +
            batch(number, NOBODY, ts, b"\2") + batch(number, NOBODY, ts, strings))


def measured(*command):
    """What a command says, processor seconds and most KiB of memory."""
    said = name() + ".txt"
    flags = os.O_WRONLY | os.O_CREAT
    pid = os.posix_spawn(f"{merging.BIN}/{command[0]}", command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, said, flags, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)])
    _, status, used = os.wait4(pid, 0)
    with open(said) as f:
        check(not status and "warning" not in (text := f.read()), f"{command[:3]}: {text}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def same_time(store):
    db = sqlite3.connect(store)
    db.execute("UPDATE run SET imported_ns = 1")
    db.commit()
    db.close()


def tree(stores):
    while len(stores) > 1:
        rng.shuffle(stores)
        upper = []
        for i in range(0, len(stores), 32):
            upper.append(name())
            # Those that are missing are told of.
            status, _, err = run("tprof-merge", "-o", upper[-1], *stores[i:i + 32])
            check(not status, err)
        stores = upper
    return stores[0]


def try_trace(n):
    """The merge's processor time and memory."""
    trace, one, whole, joined = scratch + "/made.trace", name(), name(), name()
    with open(trace, "wb") as f:
        f.write(b"go 1.23 trace\0\0\0" + b"".join(map(generation, range(1, n + 1))))
    status, _, err = run("tprof-import", "-o", one, trace)
    check(not status, err)
    same_time(one)
    run("tprof-merge", "-o", whole, one)
    parts = []
    for i in range(1, n + 1):
        parts.append(name())
        status, _, err = run("tprof-import", "-o", parts[-1], f"--generations={i}-{i}", trace)
        check(not status, err)
        same_time(parts[-1])
    rng.shuffle(parts)
    used = measured("tprof-merge", "-o", joined, *parts)
    check(same(joined, whole), f"{n} parts at once")
    check(same(tree(parts), whole), f"{n} parts by a tree")
    return used


def main():
    few, many = try_trace(PARTS // 4), try_trace(PARTS)
    print(f"{PARTS // 4} parts: {few[0]:.2f} s, {few[1] >> 10} MiB; "
          f"{PARTS} parts: {many[0]:.2f} s, {many[1] >> 10} MiB")
    check(many[0] < few[0] * TIMES, "processor time")
    check(many[1] < few[1] + MORE_KB, "memory")


try:
    main()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
print(f"many parts: {merging.passed} passed, {merging.failed} failed")
sys.exit(merging.failed > 0)

#!/usr/bin/env python3
"""Heap profiles of jemalloc: tprof-top beside jeprof, which comes with it.

    python3 testdata/check/jeprof.py BIN_FOLDER

Compiles testdata/programs/pantry.c and records it under jemalloc, with and without prof_accum. Of
each thread and each sample type, the totals have to be the same, and so do the sums of every function.
jeprof adds up fractions and we add up whole numbers, so a unit per sample may be missing. Needs
libjemalloc2, jeprof (libjemalloc-dev) and cc. Ends with 77 where they are missing.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TYPES = ("inuse_objects", "inuse_space", "alloc_objects", "alloc_space")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=True, **more).stdout


def record(folder, accumulate):
    conf = f"prof:true,prof_final:true,prof_accum:{accumulate},lg_prof_sample:12,prof_prefix:{folder}/{accumulate}"
    run(f"{folder}/pantry", env={"MALLOC_CONF": conf, "LD_PRELOAD": "libjemalloc.so.2"})
    found = glob.glob(f"{folder}/{accumulate}.*.heap")
    return found[0] if found else None


def theirs(program, dump, thread, kind):
    """The total, and the cumulative values by address."""
    lines = run("jeprof", "--text", "--addresses", "--show_bytes", f"--thread={thread}", f"--{kind}", program, dump)
    total = re.search(r"^Total[^:]*: (\d+)", lines, re.M)
    rows = re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\S+ ([0-9a-f]{16})", lines, re.M)
    return int(total[1]) if total else 0, {int(a, 16): int(v) for v, a in rows}


def ours(top, dump, thread, kind):
    """The same, and how many samples of the thread there are."""
    raw = run(top, "-raw", "-all_frames", dump)
    types = re.search(r"^Samples:\n(.*)$", raw, re.M)[1].split()
    column = [t.split("/")[0] for t in types].index(kind)
    address = {int(i): int(a, 16) for i, a in re.findall(r"^ *(\d+): 0x([0-9a-f]+)", raw, re.M)}
    total, sums, n = 0, {}, 0
    for values, stack, labels in re.findall(r"^ *([\d ]+): ([\d ]*)\n((?: +\w+:.*\n)?)", raw, re.M):
        if not re.search(rf"\bthread:\[{thread}\b", labels):
            continue
        value = int(values.split()[column])
        total, n = total + value, n + 1
        for a in {address[int(i)] for i in stack.split()}:
            sums[a] = sums.get(a, 0) + value
    return total, sums, n


def main():
    top = sys.argv[1] + "/tprof-top"
    if not all(map(shutil.which, ("jeprof", "cc", "objdump"))):
        print("jeprof: no peer, nothing compared")
        sys.exit(77)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        program = f"{folder}/pantry"
        run("cc", "-O1", "-g", "-no-pie", "-pthread", "-o", program, "testdata/programs/pantry.c")
        for accumulate in ("true", "false"):
            dump = record(folder, accumulate)
            if not dump:
                print("jeprof: jemalloc wrote no dump (libjemalloc2), nothing compared")
                sys.exit(77)
            for kind in TYPES if accumulate == "true" else TYPES[:2]:
                for thread in range(4):
                    total, sums = theirs(program, dump, thread, kind)
                    total2, sums2, n = ours(top, dump, thread, kind)
                    shared = set(sums) & set(sums2)
                    wrong = [a for a in shared if abs(sums[a] - sums2[a]) > n]
                    if n and shared and not wrong and abs(total - total2) <= n:
                        passed += 1
                    else:
                        failed += 1
                        print(f"DIFFERS: prof_accum:{accumulate} thread {thread} {kind}: jeprof {total}, tprof {total2}"
                              f" ({n} samples), {len(wrong)} of {len(shared)} addresses differ")
    print(f"jeprof: {passed} passed, {failed} failed")
    sys.exit(failed > 0 or not passed)


if __name__ == "__main__":
    main()

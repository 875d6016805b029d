#!/usr/bin/env python3
"""A CPU profile with as many distinct stacks as one asks for, the same for the same seed, as a gzipped
profile.proto (github.com/google/pprof, proto/profile.proto) on standard output.

    stacks.py STACKS [SEED]

Stacks are paths in a call graph of 4,000 functions in 200 packages. Each begins like one that was
there before and leaves it somewhere, which makes about five new frames per stack in the tree of all
of them, 5 to 60 frames deep, as in profiles of large programs."""

import gzip
import random
import sys

FUNCTIONS, PACKAGES, ENTRIES = 4000, 200, 20


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    # The call graph itself does not depend on the seed: profiles of one program.
    graph = random.Random(0)
    names = ["example.com/shop/pkg%03d/part.(*Type%d).Method%d" % (i % PACKAGES, i // PACKAGES, i) for i in range(FUNCTIONS)]
    calls = [[graph.randrange(FUNCTIONS) for _ in range(graph.randint(1, 8))] for _ in range(FUNCTIONS)]
    stacks, paths = {}, [(entry,) for entry in range(ENTRIES)]
    while len(stacks) < count:
        old = paths[int(len(paths) * rng.random())]
        path = list(old[:rng.randint((len(old) + 1) // 2, len(old))])
        for _ in range(rng.randint(1, 9)):
            if len(path) < 60:
                path.append(calls[path[-1]][rng.randrange(len(calls[path[-1]]))])
        path = tuple(path)
        if len(path) > 4 and path not in stacks:
            stacks[path] = 1 + int(rng.expovariate(0.3))
        paths.append(path)
    strings = ["", "samples", "count", "cpu", "nanoseconds", "main.go", "/app/shop"] + names
    out = [field(1, field(1, 1) + field(2, 2)), field(1, field(1, 3) + field(2, 4))]
    for stack, n in stacks.items():
        out.append(field(2, packed(1, [f + 1 for f in reversed(stack)]) + packed(2, [n, n * 10000000])))
    out.append(field(3, field(1, 1) + field(2, 0x400000) + field(3, 0x800000) + field(5, 6) + field(7, 1) + field(8, 1) + field(9, 1)))
    for i in range(FUNCTIONS):
        out.append(field(4, field(1, i + 1) + field(2, 1) + field(3, 0x400000 + 64 * i) + field(4, field(1, i + 1) + field(2, i % 500 + 1))))
    for i in range(FUNCTIONS):
        out.append(field(5, field(1, i + 1) + field(2, 7 + i) + field(3, 7 + i) + field(4, 5)))
    for s in strings:
        out.append(field(6, s.encode()))
    out += [field(9, 1700000000 * 10**9), field(10, 60 * 10**9), field(11, field(1, 3) + field(2, 4)), field(12, 10000000)]
    sys.stdout.buffer.write(gzip.compress(b"".join(out), 6, mtime=0))


main()

"""Writes unknown-frame.trace: a goroutine blocks with a stack of three frames, of which the middle one has
neither address nor function, file nor line, as go 1.22 would write it."""
import sys


def varint(n):
    b = bytearray()
    while n >= 128:
        b.append(n & 127 | 128)
        n >>= 7
    return bytes(b + bytes([n]))


def numbers(*values):
    return b"".join(varint(v) for v in values)


def batch(m, body):
    return b"\x01" + numbers(1, m, 100 if m == 7 else 0, len(body)) + body


NO_M = 2**64 - 1
STRINGS = [b"main.leaf", b"main.main", b"/x.go"]
FRAMES = [(16, 1, 3, 7), (0, 0, 0, 0), (32, 2, 3, 9)]  # address, function, file, line

out = b"go 1.22 trace\0\0\0"
out += batch(NO_M, b"\x08" + varint(10**9))  # Frequency
out += batch(NO_M, b"\x04" + b"".join(b"\x05" + numbers(i, len(s)) + s for i, s in enumerate(STRINGS, 1)))
out += batch(NO_M, b"\x02\x03" + numbers(1, len(FRAMES)) + b"".join(numbers(*f) for f in FRAMES))
# ProcStatus of P 0, GoStatus of goroutine 1 on M 7, both running; GoBlock with the stack.
out += batch(7, b"\x0d" + numbers(1, 0, 1) + b"\x19" + numbers(1, 1, 7, 2) + b"\x14" + numbers(1, 0, 1))
with open(sys.argv[1], "wb") as f:
    f.write(out)

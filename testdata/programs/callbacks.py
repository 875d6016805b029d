"""Writes callbacks.trace: threads of C that call Go, as go 1.26 writes it.

main makes a task and waits for a result that the callbacks bring. C calls Go three times on one
thread, each time by goroutine 17, and once on another by goroutine 18:

- 17, first life, 100 us to 300 us: makes goroutine 40, is in a region of the task, logs "one",
  wakes main at 250 us;
- 18, 320 us to 420 us;
- 17, second life, 500 us to 900 us: waits for goroutine 40 from 600 us to 700 us, is in a region of none,
  logs "two", is sampled at 750 us;
- 17, third life, begins at 1000 us and is in its call when the trace ends at 1200 us.

The third life is in a generation of its own."""
import sys

EVENTS = dict(ProcStart=10, ProcStop=11, ProcSteal=12, ProcStatus=13, GoCreate=14, GoCreateSyscall=15,
              GoStart=16, GoDestroy=17, GoDestroySyscall=18, GoBlock=20, GoUnblock=21,
              GoSyscallBegin=22, GoSyscallEnd=23, GoSyscallEndBlocked=24, GoStatus=25,
              UserTaskBegin=40, UserTaskEnd=41, UserRegionBegin=42, UserRegionEnd=43, UserLog=44)
NONE = 2**64 - 1
out = bytearray(b"go 1.26 trace\0\0\0")


def varint(n):
    b = bytearray()
    while n >= 128:
        b.append(n & 127 | 128)
        n >>= 7
    return bytes(b + bytes([n]))


def numbers(*ns):
    return b"".join(varint(n) for n in ns)


def batch(gen, m, time, data):
    out.extend(b"\1" + numbers(gen, m, time, len(data)) + data)


def thread(gen, m, events):
    """[(ts, name, args…)]; times are in us."""
    last = start = events[0][0] * 1000
    data = b""
    for ts, name, *args in events:
        data += bytes([EVENTS[name]]) + numbers(ts * 1000 - last, *args)
        last = ts * 1000
    batch(gen, m, start, data)


STRINGS = ["main.main", "main.goCallback", "main.helper", "main.go", "order", "handle", "note",
           "one", "two", "chan receive", "runtime.cgocallback"]
# Stacks by number: function, leaf first, with its line.
STACKS = {1: [("main.main", 10)],
          2: [("main.goCallback", 21), ("runtime.cgocallback", 1)],
          3: [("main.helper", 30)],
          4: [("main.goCallback", 25), ("runtime.cgocallback", 1)]}


def string(text):
    return STRINGS.index(text) + 1


def begin(gen, ts):
    clock = b"\x32\x08" + varint(10**9) + b"\x33" + numbers(0, 1 + ts * 1000, 1700000000, ts * 1000)
    batch(gen, NONE, ts * 1000, clock)


def end(gen, ts):
    strings = b"\4" + b"".join(b"\5" + numbers(i + 1, len(s)) + s.encode()
                               for i, s in enumerate(STRINGS))
    stacks = b"\2"
    for number, frames in STACKS.items():
        stacks += b"\3" + numbers(number, len(frames))
        for function, line in frames:
            stacks += numbers(4096 * string(function) + line, string(function), string("main.go"),
                              line)
    batch(gen, NONE, ts * 1000, strings)
    batch(gen, NONE, ts * 1000, stacks)


def callback(ts, p_seq, seq, g=17):
    """C calls Go: the thread has no P yet; it takes one and runs."""
    return [(ts, "GoCreateSyscall", g), (ts + 1, "ProcStart", 1, p_seq),
            (ts + 2, "GoSyscallEndBlocked"), (ts + 10, "GoStart", g, seq)]


def back(ts, p_seq):
    return [(ts, "GoSyscallBegin", p_seq, 4), (ts + 1, "GoDestroySyscall")]


begin(1, 0)
thread(1, 100, [
    (1, "ProcStatus", 0, 1), (2, "GoStatus", 1, 100, 2), (3, "ProcStatus", 1, 2),
    (10, "UserTaskBegin", 7, 0, string("order"), 1),
    (50, "GoBlock", string("chan receive"), 1),
    (210, "GoStart", 40, 1), (240, "GoBlock", string("chan receive"), 3),
    (260, "GoStart", 1, 2), (640, "GoBlock", string("chan receive"), 1),
    (645, "GoStart", 40, 3), (700, "GoUnblock", 17, 2, 3), (720, "GoDestroy"), (940, "ProcStop"),
])
thread(1, 200, callback(100, 1, 1) + [
    (120, "UserRegionBegin", 7, string("handle"), 2),
    (200, "GoCreate", 40, 3, 2),
    (220, "UserLog", 7, string("note"), string("one"), 2),
    (250, "GoUnblock", 1, 1, 2),
    (280, "UserRegionEnd", 7, string("handle"), 2),
] + back(299, 2) + callback(500, 7, 1) + [
    (520, "UserRegionBegin", 0, string("handle"), 2),
    (540, "UserLog", 0, string("note"), string("two"), 2),
    (590, "GoUnblock", 40, 2, 2),
    (600, "GoBlock", string("chan receive"), 2),
    (710, "GoStart", 17, 3),
    (850, "UserRegionEnd", 0, string("handle"), 2),
] + back(899, 8))
thread(1, 300, callback(320, 4, 1, g=18) + back(419, 5))
# The P that a thread leaves behind is taken away by another.
thread(1, 400, [(305, "ProcSteal", 1, 3, 200), (425, "ProcSteal", 1, 6, 300),
                (905, "ProcSteal", 1, 9, 200)])
batch(1, NONE, 900000, b"\6\7" + numbers(750000, 200, 1, 17, 2))
end(1, 950)
out.extend(b"\x34")
begin(2, 960)
thread(2, 100, [(961, "ProcStatus", 0, 2), (962, "GoStatus", 1, NONE, 4),
                (963, "ProcStatus", 1, 2)])
thread(2, 200, callback(1000, 1, 1) + [
    (1050, "GoUnblock", 1, 1, 2),
    (1100, "GoSyscallBegin", 2, 4),
])
thread(2, 100, [(1110, "ProcStart", 0, 1), (1120, "GoStart", 1, 2),
                (1200, "UserTaskEnd", 7, 1)])
end(2, 1250)
out.extend(b"\x34")
open(sys.argv[1], "wb").write(out)

"""How long tprof-tui takes to answer a key, at a pseudo terminal: until it has drawn, until the screen is full
(views that open show what is known at once, then more), and until what it shows is final (nobody has anything
left to do).

    python3 testdata/tui/latency.py [--size 120x40] [--rounds 3] TPROF_TUI FILE [NAME]...

Prints a line per kind of key: name, how many, then in ms the median and the maximum until drawn, the median until
full, and the median and the maximum until final. For make bench (testdata/bench/run.sh), which makes rows of them.
"""

import argparse
import fcntl
import os
import pty
import select
import shutil
import statistics
import struct
import sys
import tempfile
import termios
import time

from terminal import threads

FULL = 2000    # bytes: more than a frame and a sentence take
GAP = 0.004    # with no output for so long, what was drawn is drawn
QUIET = 0.040  # … and it is looked whether more is being worked on


class Seat:
    def __init__(self, program, file, size, scratch, view=None):
        environment = dict(PATH="/usr/bin:/bin", HOME=scratch, TERM="xterm-256color", LC_ALL="C.UTF-8", TZ="UTC",
                           XDG_STATE_HOME=scratch, XDG_CACHE_HOME=scratch)
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
                os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
                os.execve(program, [program, file] + ([view] if view else []), environment)
            finally:
                os._exit(127)

    def read(self, wait):
        ready, _, _ = select.select([self.fd], [], [], wait)
        if not ready:
            return 0
        try:
            return len(os.read(self.fd, 1 << 20))
        except OSError:
            raise SystemExit("tprof-tui has ended")

    def answer(self, since, patience=60):
        """Seconds from `since` until drawn and until final; None where nothing was drawn."""
        drawn = full = last = None
        count = None
        size = 0
        while True:
            more = self.read(GAP if drawn is None and last else QUIET)
            if more:
                last = time.monotonic()
                size += more
                if full is None and size >= FULL:
                    full = last
                continue
            if drawn is None and last:
                drawn = last
                continue
            before, count = count, None
            now, idle = threads(self.pid)
            if idle and now == before:
                break
            count = now
            if time.monotonic() - since > patience:
                raise SystemExit("no answer within %d s" % patience)
        return (drawn - since, max(drawn, full or drawn) - since, last - since) if last else None

    def key(self, data):
        while self.read(0):
            pass
        since = time.monotonic()
        os.write(self.fd, data)
        return self.answer(since)

    def leave(self):
        try:
            os.kill(self.pid, 9)
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Rows:
    def __init__(self):
        self.times = {}

    def add(self, name, answer):
        if answer:
            self.times.setdefault(name, []).append(answer)

    def show(self):
        for name, times in self.times.items():
            drawn = [1000 * t[0] for t in times]
            full = [1000 * t[1] for t in times]
            final = [1000 * t[2] for t in times]
            print("%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f" % (
                name, len(times), statistics.median(drawn), max(drawn), statistics.median(full),
                statistics.median(final), max(final)), flush=True)


VIEWS = [("overview", b"2"), ("timeline", b"3"), ("top", b"4"), ("flame", b"5"), ("sql", b"7"), ("goroutine", b"8")]


def measure(program, file, size, wanted, rows, scratch):
    def asked(name):
        return not wanted or any(name.startswith(w) for w in wanted)

    def seat(view=None):
        s = Seat(program, file, size, scratch, view)
        s.first = s.answer(s.started)
        return s

    if asked("start"):
        for view in ("top", "overview", "timeline"):
            s = seat(view)
            rows.add("start, %s" % view, s.first)
            s.leave()
    for name, key in VIEWS:
        if asked("open " + name):
            s = seat("runs")
            if name == "goroutine":  # of which there are more than anybody looks at
                s.key(b"@1\r")
            rows.add("open %s" % name, s.key(key))
            s.leave()
    if asked("table"):
        s = seat("top")
        for key in (b"j", b"G", b"g", b"\x06", b">", b">", b"r", b"l", b"/", b"m", b"a", b"\r", b"n", b"f", b"o", b"\x1b"):
            rows.add("table, a key", s.key(key))
        for _ in range(8):
            rows.add("table, next report", s.key(b"\t"))
        s.leave()
    if asked("timeline"):
        s = seat("timeline")
        # From the whole run to a nanosecond around the cursor, panning and moving at each zoom, and back.
        for turn, zoom in ((40, b"+"), (40, b"-")):
            for _ in range(turn):
                rows.add("timeline, zoom", s.key(zoom))
                for key in (b"l", b"h", b"j", b"k"):
                    rows.add("timeline, cursor", s.key(key))
                for key in (b"L", b"H"):
                    rows.add("timeline, pan", s.key(key))
                rows.add("timeline, redraw", s.key(b"\x0c"))
        rows.add("timeline, unfold", s.key(b" "))
        for key in (b"\x06", b"\x06", b"\x02", b"G", b"g"):
            rows.add("timeline, page", s.key(key))
        for _ in range(4):
            rows.add("timeline, other rows", s.key(b"x"))
        s.leave()
    if asked("flame"):
        s = seat("flame")
        for key in (b"j", b"j", b"\r", b"k", b"u", b"i", b"i", b"l"):
            rows.add("flame, a key", s.key(key))
        for _ in range(3):
            rows.add("flame, next kind", s.key(b"x"))
        rows.add("flame, from the leaf", s.key(b"R"))
        s.leave()
    if asked("overview"):
        s = seat("overview")
        for key in (b"j", b"j", b"k", b"G", b"g", b"\x06", b"\x02"):
            rows.add("overview, a key", s.key(key))
        s.leave()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    size = tuple(int(n) for n in args.size.split("x"))
    scratch = tempfile.mkdtemp(prefix="latency-")
    rows = Rows()
    try:
        for _ in range(args.rounds):
            measure(os.path.abspath(args.program), os.path.abspath(args.file), size, args.names, rows, scratch)
    finally:
        shutil.rmtree(scratch)
    rows.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())

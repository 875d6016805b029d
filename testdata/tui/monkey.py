"""Random keys: tprof-tui at a pseudo terminal, keys that reach every view, and what does not belong.

    python3 testdata/tui/monkey.py [--keys N] [--seed N] TPROF_TUI FILE...

Each round opens one of the files and types some thousand keys, with clicks, sizes, pastes and rubbish among
them, then leaves. It has to leave with status 0, with nothing to say on its standard error and in the logs of
the sanitizers, and it has to answer within a minute. What was typed is kept in KEYS (see the last line of
a failure); the seed makes the same keys again.
"""

import argparse
import errno
import fcntl
import glob
import os
import pty
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from terminal import threads

WORDS = ["runs", "overview", "timeline", "top", "flame", "diff", "goroutine", "sql", "help", "from", "to", "focus",
         "reason", "state", "task", "region", "clear", "go", "top block", "top groups", "top goroutines", "top mmu",
         "top tasks", "top regions", "top heap", "top logs", "top users", "flame cpu", "flame diff", "goroutine 1",
         "goroutine 22", "goroutine 99999999", "from 10%", "to 50%", "from 1ms", "to 2ms", "from", "to", "from 100%",
         "to 0", "task order", "region", "focus main", "focus (", "focus a*", "reason sync", "state blocked",
         "state nonsense", "save", "yank", "sort-right", "zoom", "rows tasks", "diff 1", "diff 2", "diff rev=abc", "diff rev=abc rev=def", "diff --by=line --cum 1",
         "diff --by=view=offcpu 1", "diff --by=nothing", "diff --by=sched --per=task --all-stats rev=abc", "highlight state:blocked", "unfold",
         "", " ", "nonsense", "from -1", "to 999999999999999999999s", "from 1e300s", "goroutine .*", "select"]
QUERIES = ["select 1", "select * from goroutine", "select * from event limit 300", "select", "", "drop table run",
           "select name, total_ns from goroutine where run = :run order by 2 desc limit 20",
           "with recursive c(x) as (select 1 union all select x+1 from c limit 3000) select x, x*x from c",
           "select x'00ff1b5b33', char(27)||'[31m', null, 1e308*10, 'a'||char(10)||'b'",
           "select count(*) from event", "pragma table_info(run)", "select 'not closed", ".schema", ".tables",
           "select state, sum(dur_ns) from span group by 1"]
SEARCHES = ["main", "g", "runtime", "zzzz", "(", "order", ".", "1", "é", "main.(*Shop).customer"]
PLACES = ["1", "22", "0", "99999", "50%", "1ms", "100%", "1.5s", "-1", "x", "", "9223372036854775807", "0ns", "101%"]
ARROWS = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD", "\x1b[5~", "\x1b[6~",
          "\x1b[H", "\x1b[F", "\x1b[Z", "\x1bOP", "\x1b[1~", "\x1b[4~", "\x1b[3~"]
# That every system has; the first ones most often. Without UTF-8 and colours, too. Not linux: there ncurses loads
# libgpm, which keeps ten bytes.
TERMINALS = ["xterm-256color"] * 6 + ["xterm", "screen", "vt100", "vt220", "tmux-256color", "xterm-mono", "ansi"]
LOCALES = ["C.UTF-8"] * 6 + ["C"]
SIZES = [(80, 24), (80, 24), (120, 40), (250, 70), (40, 8), (39, 7), (1, 1), (20, 5), (81, 25), (500, 200), (80, 3)]


class Failed(Exception):
    pass


def damaged_copy(path, r, scratch):
    """A store in which some bytes are others: behind what SQLite looks at first, mostly."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    for _ in range(r.choice([1, 3, 10, 100])):
        at = r.randrange(4096 if r.random() < 0.9 else 0, len(data))
        data[at] = r.choice([0, 0xff, data[at] ^ (1 << r.randrange(8)), r.randrange(256)])
    copy = os.path.join(scratch, "damaged.tprof")
    with open(copy, "wb") as f:
        f.write(data)
    return copy


class Seat:
    def __init__(self, program, file, view, scratch, size, terminal, locale):
        self.scratch = scratch
        environment = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        log = os.path.join(scratch, "sanitizer")
        for name in ("ASAN", "UBSAN", "TSAN"):
            key = name + "_OPTIONS"
            environment[key] = ":".join(filter(None, [environment.get(key), "log_path=" + log, "exitcode=99",
                                                      "print_stacktrace=1" if name == "UBSAN" else ""]))
        environment.update(PATH="/usr/local/bin:/usr/bin:/bin", HOME=scratch, TERM=terminal, TZ="UTC", LC_ALL=locale,
                           XDG_STATE_HOME=os.path.join(scratch, "state"),
                           XDG_CACHE_HOME=os.path.join(scratch, "cache"), EDITOR="true")
        arguments = [program, file] + ([view] if view else [])
        self.pid, self.fd = pty.fork()
        if not self.pid:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
                errors = os.open(os.path.join(scratch, "stderr"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.dup2(errors, 2)
                os.chdir(os.path.join(scratch, "cwd"))
                os.execve(program, arguments, environment)
            finally:
                os._exit(127)
        fcntl.fcntl(self.fd, fcntl.F_SETFL, fcntl.fcntl(self.fd, fcntl.F_GETFL) | os.O_NONBLOCK)
        self.status = None
        self.tail = b""

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def drain(self, wait=0.0):
        """Reads what there is; False: there was nothing."""
        any_read = False
        while True:
            try:
                ready, _, _ = select.select([self.fd], [], [], 0 if any_read else wait)
                if not ready:
                    return any_read
                data = os.read(self.fd, 65536)
            except OSError as e:
                if e.errno == errno.EIO:
                    return any_read
                raise
            if not data:
                return any_read
            self.tail = (self.tail + data)[-4000:]
            any_read = True

    def write(self, data):
        deadline = time.monotonic() + 300
        while data and not self.ended():
            self.drain()
            _, ready, _ = select.select([], [self.fd], [], 0.05)
            if ready:
                try:
                    data = data[os.write(self.fd, data[:512]):]
                except OSError as e:
                    if e.errno not in (errno.EAGAIN, errno.EIO):
                        raise
                    if e.errno == errno.EIO:
                        return
            if time.monotonic() > deadline:
                raise Failed("it does not read keys any more")

    def settle(self, patience=300):
        """All threads wait, and nobody has woken up between two looks."""
        deadline = time.monotonic() + patience
        last = None
        while not self.ended():
            silent = not self.drain(0.01)
            count, idle = threads(self.pid)
            if silent and idle and count == last:
                return
            last = count
            if time.monotonic() > deadline:
                raise Failed("it is still at work after %d s" % patience)

    def resize(self, size):
        try:
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        except OSError:
            pass


def some_keys(r):
    """A few keys that belong together, as bytes, or a size."""
    what = r.random()
    if what < 0.10:
        return r.choice("1234567234563").encode()
    if what < 0.30:
        return r.choice("jjjjkkhhllgGHLJKMW").encode() * r.choice([1, 1, 1, 2, 5, 20])
    if what < 0.38:
        return r.choice(ARROWS).encode()
    if what < 0.45:
        return b"\r"
    if what < 0.50:
        return r.choice([b"\x1b", b"\x0f", b"\x0e", b"\x7f", b"q", b"\x0f\x0f\x0f"])
    if what < 0.68:
        return r.choice("+-+-+-xxxiiwwbb  ><>rtTpau=nN[]{}()'\"vVoOzZ.,;dDFIRSPEAUBC_|!$%^&*\t\t\t").encode()
    if what < 0.73:
        return (":" + r.choice(WORDS) + "\r").encode()
    if what < 0.75:
        return (":" + r.choice(WORDS)[:r.randint(0, 4)] + "\t" * r.randint(0, 5) + r.choice(["\r", "\x1b"])).encode()
    if what < 0.78:
        return ("/" + r.choice(SEARCHES) + r.choice(["\r", "\rnnN", "\x1b"])).encode()
    if what < 0.81:
        return ("@" + r.choice(PLACES) + "\r").encode()
    if what < 0.83:
        return ("f" + r.choice(SEARCHES) + r.choice(["\r", "\x1b"])).encode()
    if what < 0.85:
        return ("7" + r.choice(QUERIES) + "\r").encode()
    if what < 0.87:
        return r.choice([b"y", b"Y", b"e", b"c", b"c", b"?"])
    if what < 0.88:
        return ("s%d%s\r" % (r.randint(0, 9), r.choice([".csv", ".svg", ".folded", ".json", ".tsv", ".md", ".html", "", "/x"]))).encode()
    if what < 0.92:
        button = r.choice([0, 0, 0, 64, 65, 4, 16, 2])
        col, row = r.randint(1, 90), r.randint(1, 30)
        return ("\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm" % (button, col, row, button, r.randint(1, 90), row)).encode()
    if what < 0.94:
        return bytes([r.randint(1, 31) for _ in range(3) if r])  # control characters, ^C and ^Z among them
    if what < 0.96:
        return r.choice(["é漢字", "\U0001f600", "e\u0301\u0302", "\u202e", "\x1b[200~paste\x1b[201~"]).encode()
    if what < 0.97:
        return bytes(r.randint(128, 255) for _ in range(r.randint(1, 6)))
    return r.choice(SIZES)


def check_end(seat, scratch, damaged):
    status = seat.status
    said = ""
    for path in glob.glob(os.path.join(scratch, "sanitizer*")) + [os.path.join(scratch, "stderr")]:
        with open(path, encoding="utf-8", errors="replace") as f:
            said += f.read()
    # Commands say on standard error what they lost; that is no accident.
    said = "\n".join(line for line in said.split("\n") if line and not line.startswith("tprof-tui: "))
    if os.WIFSIGNALED(status):
        raise Failed("signal %d\n%s" % (os.WTERMSIG(status), said))
    # What is damaged too much is not opened.
    if said or os.WEXITSTATUS(status) not in ([0, 3] if damaged else [0]):
        raise Failed("status %d\n%s" % (os.WEXITSTATUS(status), said))


VIEWS = ["runs", "overview", "timeline", "top", "flame", "diff", "goroutine", "sql", "help"]


def has_view(program, view):
    """Without a terminal it has nothing to say but that, or that there is no such view."""
    done = subprocess.run([program, "/nowhere", view], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return b"no view" not in done.stdout


def a_round(program, file, view, r, most, scratch, damaged):
    """Types until `most` keys or it has left by itself; says how many."""
    size = r.choice(SIZES[:4])
    keys = open(os.path.join(scratch, "keys"), "wb")
    terminal, locale = r.choice(TERMINALS), r.choice(LOCALES)
    keys.write(("%s %s %s %s %s\n" % (file, view, size, terminal, locale)).encode())
    seat = Seat(program, file, view, scratch, size, terminal, locale)
    typed = 0
    try:
        # Before it has drawn anything ^C ends it, as any program.
        deadline = time.monotonic() + 300
        while not seat.tail and not seat.ended() and time.monotonic() < deadline:
            seat.drain(0.05)
        seat.settle()
        while typed < most and not seat.ended():
            burst = b""
            for _ in range(r.choice([1, 1, 2, 3, 5, 8, 20])):
                more = some_keys(r)
                if isinstance(more, tuple):
                    keys.write(b"\nsize %dx%d\n" % more)
                    seat.resize(more)
                    continue
                # It never stops: nobody would wake it up. Neither does it quit half of the time.
                more = more.replace(b"\x1a", b"").replace(b"\x1c", b"")
                burst += more
            keys.write(burst)
            keys.flush()
            seat.write(burst)
            typed += len(burst)
            if r.random() < 0.3:
                seat.settle()
            else:
                seat.drain()
        if not seat.ended():
            seat.resize((80, 24))
            seat.settle()
        # Out of whatever it is in, then back to where it began and out of the door.
        for _ in range(200):
            if seat.ended():
                break
            seat.write(b"\x1b")
            seat.settle()
            for _ in range(3):
                if not seat.ended():
                    seat.write(b"q")
                    seat.settle()
        if not seat.ended():
            raise Failed("it does not leave; last it said %r" % seat.tail[-600:])
        check_end(seat, scratch, damaged)
    finally:
        keys.close()
        if not seat.ended():
            os.kill(seat.pid, signal.SIGKILL)
            os.waitpid(seat.pid, 0)
        os.close(seat.fd)
    return typed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=100000)
    parser.add_argument("--round", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--damage", action="store_true", help="each round opens a store with some bytes changed")
    parser.add_argument("--seconds", type=int, default=0, help="stop after this time (0: never)")
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randint(0, 1 << 31)
    program = os.path.abspath(args.program)
    files = [os.path.abspath(f) for f in args.files]
    print("seed %d" % seed, flush=True)
    views = [None] + [view for view in VIEWS if has_view(program, view)]
    typed, n, empty, started = 0, 0, 0, time.monotonic()
    while typed < args.keys and (not args.seconds or time.monotonic() - started < args.seconds):
        r = random.Random("%d %d" % (seed, n))
        scratch = tempfile.mkdtemp(prefix="monkey-")
        os.mkdir(os.path.join(scratch, "cwd"))
        try:
            file = files[n % len(files)]
            if args.damage:
                file = damaged_copy(file, r, scratch)
            more = a_round(program, file, r.choice(views), r, args.round, scratch, args.damage)
            typed += more
            empty = 0 if more else empty + 1
            if empty > 200:
                raise Failed("it never takes keys")
        except Failed as e:
            print("FAILED round %d of seed %d, %s: %s\nthe keys are in %s/keys" %
                  (n, seed, files[n % len(files)], e, scratch), flush=True)
            return 1
        shutil.rmtree(scratch)
        n += 1
    print("%d random keys in %d rounds, %d s" % (typed, n, time.monotonic() - started))
    return 0


if __name__ == "__main__":
    sys.exit(main())

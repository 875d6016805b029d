"""tprof-tui under faults: it starts, opens views, saves, and leaves.

It sits at a terminal of its own, in which somebody types when all its threads wait. Whatever failed,
the terminal is as it was before, and the command has ended as asked, or with a sentence."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import threading
import time

import judge
from scenes import Scene

# What switches the terminal over, and back.
PAIRS = ((rb"\x1b\[\?1049h", rb"\x1b\[\?1049l"), (rb"\x1b\[\?25l", rb"\x1b\[\?(?:25|12;25|12l\x1b\[\?25)h"),
         (rb"\x1b\[\?1000h|\x1b\[\?1002h|\x1b\[\?1006;1000h", rb"\x1b\[\?1000l|\x1b\[\?1006;1000l"),
         (rb"\x1b\[\?2004h", rb"\x1b\[\?2004l"), (rb"\x1b\[\?1h", rb"\x1b\[\?1l"))


class Typist:
    """Reads what a terminal is sent and types the keys, one by one, each when the last is answered."""

    def __init__(self, keys, server):
        self.keys, self.server = keys, server
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.sit, daemon=True)
        self.thread.start()

    def sit(self):
        quiet, looks, keys = None, None, list(self.keys)
        while not self.over.is_set():
            ready, _, _ = select.select([self.master], [], [], 0.02)
            if ready:
                self.seen += os.read(self.master, 65536)
                quiet = None
                continue
            # Keys that come before the screen has begun would be thrown away.
            if not keys or termios.tcgetattr(self.slave)[3] & termios.ICANON:
                continue
            count = self.threads()
            now = time.monotonic()
            if count is None or count != looks or quiet is None:
                quiet, looks = now, count
            elif now - quiet > 0.05:
                os.write(self.master, keys.pop(0))
                quiet = None

    def threads(self):
        """How often each thread has woken up; None while one of them runs."""
        count = {}
        try:
            for child in self.children(self.server.process.pid):
                for tid in os.listdir(f"/proc/{child}/task"):
                    with open(f"/proc/{child}/task/{tid}/status") as f:
                        text = f.read()
                    if re.search(r"^State:\s+[RD]", text, re.M):
                        return None
                    count[tid] = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M)[1]
        except (OSError, TypeError):
            return None
        return count or None

    @staticmethod
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return f.read().split()

    def end(self):
        self.over.set()
        self.thread.join()
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 65536)
        self.restored = termios.tcgetattr(self.slave) == self.before
        os.close(self.master)
        os.close(self.slave)


class Screen(Scene):
    most = 40
    parts = 16  # most of the time they wait
    environment = {"TERM": "xterm-256color"}

    def __init__(self, name, command, keys, instead=None, **more):
        super().__init__(name, command, **more)
        self.keys, self.instead = keys, instead

    def begin(self, server):
        self.typist = Typist(self.keys, server)
        return os.ttyname(self.typist.slave)

    def end(self):
        self.typist.end()

    def judge(self, folder, expected, result, fault, must_succeed):
        if result.timed_out:
            return ["it hangs"], []
        seen, wrong = self.typist.seen, []
        if not self.typist.restored:
            wrong.append("the terminal's modes are not as they were")
        for on, off in PAIRS:
            ons, offs = ([m.start() for m in re.finditer(p, seen)] for p in (on, off))
            if ons and (not offs or offs[-1] < ons[-1]):
                wrong.append("the terminal is left with %r" % seen[ons[-1]:ons[-1] + 8])
        if result.signal:
            return wrong + ["it dies of signal %d" % result.signal], []
        if "line 0, col 0: Out of memory" in result.stderr and result.status == 1:
            return wrong, []  # ncurses' own words, and its own exit
        if "Sanitizer" in result.stderr or "runtime error:" in result.stderr:
            return wrong + ["the sanitizer says: " + judge.sanitizer(result.stderr)], []
        if result.leaked or result.note:
            wrong.append("a descriptor: " + result.note if result.leaked else result.note)
        if result.left:
            wrong.append("a process of it stays behind")
        # ncurses says that it cannot read a terminal's description, and not why.
        unknown = "is not known here; try TERM" in result.stderr
        if result.status not in ((2,) if unknown else (0, 3, 4)):
            wrong.append("its exit status is %d" % result.status)
        wrong += judge.sentence(self, result, 0 if unknown else fault[2])
        bad, temporary = self.look(folder, expected, seen, result, fault[2])
        if temporary and fault[0] not in ("unlink", "lock", "stat", "other", "close") and not fault[3]:
            wrong.append("it leaves " + ", ".join(re.sub(r"[0-9a-f]{12}|\w{6}$", "X", t) for t in temporary))
        return wrong + bad, temporary

    def is_instead(self, path):
        """What the view that is shown in place of one that cannot be opened saves, complete."""
        with open(path, "rb") as f:
            return self.instead and re.fullmatch(self.instead, f.read())

    @staticmethod
    def words(seen):
        """The end of what was drawn, without how."""
        return re.sub(rb"(\x1b(\[[?>]?[0-9;]*[A-Za-z@`]|[()][B0]|[=>78])|[\0-\x1f])+", b" ", seen)[-300:].decode("utf-8", "replace")

    def look(self, folder, expected, seen, result, error):
        """What is saved is complete, or not there."""
        wrong, temporary = [], []
        said = re.search(rb"cannot|" + judge.WORDS.get(error, "cannot").encode(), seen, re.I)
        for name in sorted(set(folder.changed()) | set(expected.changes)):
            path = os.path.join(folder.path, name)
            there = os.path.exists(path)
            if name.startswith("home/") or judge.is_lasting(name):
                continue  # where somebody was; each run writes it anew
            if not there:
                if name in expected.before:
                    wrong.append(f"{name} is gone")
                elif not judge.is_cached(name) and not result.status and not said:
                    wrong.append(f"{name} is not there, and nothing is said but {self.words(seen)!r}")
            elif name not in expected.before and name not in expected.after:
                temporary.append(name)
            elif judge.content(path) not in (expected.after.get(name), expected.before.get(name)) and \
                    not (said and self.is_instead(path)):
                wrong.append(f"{name} is neither as before nor complete")
        return wrong, temporary


def scenes():
    runs = "v2.trace cpu.pb"
    yield Screen("tui", "tprof-tui s.tprof --run=v2.trace", [b"Q"], store=runs)
    yield Screen("tui-cached", "tprof-tui convoy.trace overview", [b"Q"], dumps="convoy.trace")
    yield Screen("tui-save", "tprof-tui --run=v2.trace s.tprof top", [b"\t", b"s", b"out", b"\r", b"Q"], store=runs,
                 instead=rb"mark\tid\tname\t.*\n.*\tv2\.trace\t.*\n.*\tcpu\.pb\t.*\n")
    yield Screen("tui-views", "tprof-tui --run=v2.trace s.tprof timeline",
                 [b"5", b"8", b"2", b"1", b"Q"], store=runs)

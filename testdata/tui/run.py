"""Runs scripts that drive tprof-tui, NAME.tui of this folder, and compares what it shows with NAME.screens.

    BIN=FOLDER python3 testdata/tui/run.py [PATTERN]...           those whose name holds one of them
    BIN=FOLDER UPDATE=1 python3 testdata/tui/run.py [PATTERN]...  records their screens anew

README.md has the words that scripts are made of. What could make screens differ
from machine to machine is pinned: size, locale, terminal, time zone, home; each script has folders of its
own for state, cache and scratch, and starts in the repository's root.
"""

import concurrent.futures
import difflib
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from terminal import Server, Terminal, Trouble

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "testdata", "tui")
BIN = os.path.abspath(os.environ.get("BIN", os.path.join(ROOT, "build", "out", "bin")))
UPDATE = bool(os.environ.get("UPDATE"))
PATIENCE = 300 if "/san-" in BIN else 120  # seconds, to end what hangs: screens take less than one


def squeeze(text):
    return " ".join(text.split())


def within(words, line):
    """Are the words in the line, in order? A word that was cut may be in the middle of one that was not."""
    at = 0
    for word in words:
        while at < len(line) and not (word == line[at] or "…" in word and
                                      re.fullmatch(".*".join(map(re.escape, word.split("…"))), line[at])):
            at += 1
        if at == len(line):
            return False
        at += 1
    return True


class Script:
    def __init__(self, path, socket, scratch):
        self.name = os.path.basename(path)[:-len(".tui")]
        self.path = path
        self.golden = path[:-len(".tui")] + ".screens"
        self.socket = socket
        self.scratch = scratch
        self.size = (80, 24)
        self.terminal = None
        self.screens = []  # (name, lines)
        for folder in ("state", "cache", "tmp", "home"):
            os.makedirs(os.path.join(scratch, folder))
        self.environment = {
            "PATH": BIN + ":/usr/local/bin:/usr/bin:/bin",
            "HOME": os.path.join(scratch, "home"),
            "XDG_STATE_HOME": os.path.join(scratch, "state"),
            "XDG_CACHE_HOME": os.path.join(scratch, "cache"),
            "TMP": os.path.join(scratch, "tmp"),
            "TERM": "tmux-256color",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            # After Escape a program sleeps so long for what may follow: shorter than between two looks (terminal.py).
            "ESCDELAY": "5",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    # ---- words ----

    def do_size(self, rest):
        cols, rows = rest.split("x")
        self.size = (int(cols), int(rows))
        if self.terminal and self.terminal.show("#{window_width}x#{window_height}") != rest.strip():
            self.terminal.resize(*self.size)

    def do_env(self, rest):
        for word in shlex.split(rest):
            name, value = word.split("=", 1)
            self.environment[name] = value

    def do_open(self, rest):
        self.start(["tprof-tui"] + [w.replace("TMP/", self.environment["TMP"] + "/", 1) if w.startswith("TMP/") else w
                                    for w in shlex.split(rest)])

    def do_run(self, rest):
        """Any program, by way of the shell."""
        self.start(["sh", "-c", rest])

    def start(self, command):
        if self.terminal:
            self.terminal.close()
        # Somebody has to be there when it has ended, or tmux would put the terminal's modes back itself.
        command = ["sh", "-c", '"$0" "$@"; printf "status %d.\\n" $?; exec sleep 3600'] + command
        self.terminal = Terminal(self.socket, *self.size, self.environment, command, PATIENCE)
        self.terminal.settle()

    def do_keys(self, rest):
        self.seat().keys(rest.split())

    def do_type(self, rest):
        self.seat().type(re.sub("(^| )TMP/", lambda m: m[1] + self.environment["TMP"] + "/", rest))

    def do_line(self, rest):
        """For shells, which do not wake up before a line ends."""
        self.seat().send([rest + "\r"], literal=True)

    def do_paste(self, rest):
        self.seat().paste(bytes(rest, "ascii").decode("unicode_escape").encode("latin-1"))

    def do_click(self, rest):
        col, row = (int(word) + 1 for word in rest.split())
        self.seat().paste(b"\x1b[<0;%d;%dM\x1b[<0;%d;%dm" % (col, row, col, row))

    def do_wheel(self, rest):
        col, row, way = rest.split()
        self.seat().paste(b"\x1b[<%d;%d;%dM" % (64 if way == "up" else 65, int(col) + 1, int(row) + 1))

    def do_lacks(self, rest):
        for line in self.seat().screen():
            if rest in line:
                raise Trouble("the screen says '%s'" % line)

    def do_signal(self, rest):
        self.seat().signal(rest)

    def do_screen(self, rest):
        self.screens.append((rest or "screen", self.clean(self.seat().screen())))

    def do_hints(self, rest):
        self.screens.append((rest or "hints", self.clean(self.seat().screen()[-1:])))

    def do_colours(self, rest):
        lines = [line.replace("\x1b", "\\e").replace("\x0e", "\\SO").replace("\x0f", "\\SI")
                 for line in self.seat().screen(colours=True)]
        self.screens.append((rest or "colours", self.clean(lines)))

    def do_sh(self, rest):
        self.shell(rest)

    def do_has(self, rest):
        """Each line that a command prints is somewhere on the screen."""
        screen = [squeeze(line) for line in self.seat().screen()]
        wanted = [squeeze(line) for line in self.shell(rest).split("\n") if line.strip()]
        if not wanted:
            raise Trouble("the command prints nothing: %s" % rest)
        for line in wanted:
            if not any(line in s for s in screen):
                raise Trouble("the screen does not say '%s':\n%s" % (line, "\n".join(self.seat().screen())))

    def do_table(self, rest):
        """What Y copies is what a command prints."""
        yank = os.path.join(self.environment["XDG_STATE_HOME"], "tprof", "yank")
        if os.path.exists(yank):
            os.unlink(yank)
        self.seat().keys(["Y"])
        if not os.path.exists(yank):
            raise Trouble("Y has not copied anything:\n%s" % "\n".join(self.seat().screen()))
        with open(yank, encoding="utf-8", errors="replace") as f:
            got = f.read()
        want = self.shell(rest)
        if got != want:
            raise Trouble("what Y copies is not what '%s' prints:\n%s" % (rest, diff(want, got)))
        if want.count("\n") < 2:
            raise Trouble("there is nothing in it to compare: %s" % rest)

    def do_rows(self, rest):
        """The lines of the screen below the heading are those of the table that a command prints: what does not
        fit on the screen is left out, or cut with an ellipsis."""
        want = [line.split() for line in self.shell(rest, COLUMNS="600").split("\n") if line.strip()]
        got = [line for line in self.seat().screen()[1:-2] if line.strip()]
        for line in got:
            if not any(within(line.split(), w) for w in want):
                raise Trouble("the screen says '%s', which is not in what '%s' prints:\n%s" %
                              (line, rest, "\n".join(" ".join(w) for w in want[:60])))
        if len(got) < 2:
            raise Trouble("there are no rows on the screen:\n%s" % "\n".join(self.seat().screen()))

    def do_end(self, rest):
        """It ends, with a status (0), and the terminal is as it was."""
        t = self.seat()
        want = "status %d." % int(rest or 0)
        deadline = time.monotonic() + PATIENCE
        while not any(line.startswith("status ") for line in t.screen()):
            if time.monotonic() > deadline:
                raise Trouble("it has not ended:\n%s" % "\n".join(t.screen()))
            time.sleep(0.02)
        if not any(line.startswith(want) for line in t.screen()):
            raise Trouble("wanted %s:\n%s" % (want, "\n".join(t.screen())))
        self.do_restored("")

    def do_restored(self, rest):
        """The terminal's modes are as they were."""
        modes = self.seat().show("#{alternate_on}#{cursor_flag}#{mouse_any_flag}#{keypad_flag}#{keypad_cursor_flag}")
        if modes != "01000":
            raise Trouble("alternate screen, cursor, mouse, keypad, cursor keys are %s, not 01000" % modes)

    # ---- what they need ----

    def seat(self):
        if not self.terminal:
            raise Trouble("nothing has been opened")
        return self.terminal

    def clean(self, lines):
        return [line.replace(self.scratch + "/tmp", "TMP").replace(self.scratch + "/state", "STATE")
                .replace(self.scratch, "SCRATCH") for line in lines]

    def shell(self, command, **more):
        environment = dict(self.environment, SCREEN=os.path.join(self.scratch, "screen"),
                           YANK=os.path.join(self.environment["XDG_STATE_HOME"], "tprof", "yank"), **more)
        if self.terminal:
            with open(environment["SCREEN"], "w", encoding="utf-8") as f:
                f.write("\n".join(self.terminal.screen()) + "\n")
        done = subprocess.run(["sh", "-uc", command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        if done.returncode:
            raise Trouble("status %d of: %s\n%s" % (done.returncode, command,
                                                    done.stderr.decode("utf-8", "replace") +
                                                    done.stdout.decode("utf-8", "replace")))
        return done.stdout.decode("utf-8", "replace")

    def run(self):
        """None, or what is wrong."""
        number = 0
        try:
            with open(self.path, encoding="utf-8") as f:
                lines = f.read().split("\n")
            for number, line in enumerate(lines, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                word, _, rest = line.partition(" ")
                do = getattr(self, "do_" + word, None)
                if not do:
                    raise Trouble("there is no word '%s'" % word)
                do(rest.strip())
        except (Trouble, subprocess.TimeoutExpired, ValueError, OSError) as e:
            return "%s:%d: %s" % (os.path.relpath(self.path, ROOT), number, e)
        finally:
            if self.terminal:
                self.terminal.close()
        return self.compare()

    def compare(self):
        got = "".join("==== %s\n%s\n" % (name, "\n".join(lines)) for name, lines in self.screens)
        want = ""
        if os.path.exists(self.golden):
            with open(self.golden, encoding="utf-8") as f:
                want = f.read()
        if UPDATE and got != want:
            if got:
                with open(self.golden, "w", encoding="utf-8") as f:
                    f.write(got)
            else:
                os.unlink(self.golden)
            print("recorded %s" % os.path.relpath(self.golden, ROOT))
            return None
        if without_hints(got) == without_hints(want):
            return None
        return diff(without_hints(want), without_hints(got), os.path.relpath(self.golden, ROOT))


def without_hints(screens):
    """A key more somewhere would change the last line of every screen there is: `hints` is for those."""
    kept = []
    for screen in re.split("(?m)^(?=====)", screens):
        lines = screen.split("\n")[:-1]
        if len(lines) > 4 and lines[-1].startswith((" ", "\\e[")):
            lines[-1] = " (keys)"
        kept += lines
    return "\n".join(kept)


def diff(want, got, name="want"):
    lines = list(difflib.unified_diff(want.split("\n"), got.split("\n"), name, "got", lineterm="", n=2))
    return "\n".join(lines[:200])


def main():
    patterns = " ".join(sys.argv[1:]).split() or [""]
    paths = [p for p in sorted(glob.glob(os.path.join(HERE, "*.tui")))
             if any(pattern in os.path.basename(p) for pattern in patterns)]
    # Long scripts are begun first, so that none is left when all others have ended.
    paths.sort(key=os.path.getsize, reverse=True)
    scratch = tempfile.mkdtemp(prefix="tui-")
    socket = "tprof-%d" % os.getpid()
    os.chdir(ROOT)

    def one(path):
        name = os.path.basename(path)[:-len(".tui")]
        os.mkdir(os.path.join(scratch, name))
        began = time.monotonic()
        try:
            wrong = Script(path, socket, os.path.join(scratch, name)).run()
        except Exception as e:  # a mistake of ours is a failed test, too
            wrong = "%s: %r" % (path, e)
        if "TIMES" in os.environ:
            with open(os.environ["TIMES"], "a", encoding="utf-8") as f:
                f.write("%d %s\n" % ((time.monotonic() - began) * 1000, os.path.relpath(path, ROOT)))
        if wrong:
            print("%s\nFAILED %s" % (wrong, os.path.relpath(path, ROOT)), flush=True)
        return not wrong

    try:
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 2 * (os.cpu_count() or 1)))) as pool:
            results = list(pool.map(one, paths))
    finally:
        Server.end(socket)
        shutil.rmtree(scratch, ignore_errors=True)
    if not results:
        print("FAILED no test is called *%s*" % "*, *".join(patterns))
        results = [False]
    print("screens: %d passed, %d failed" % (results.count(True), results.count(False)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

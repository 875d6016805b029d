"""A terminal that a test sits at: tmux at a pinned size, keys sent, screens read.

Nothing here sleeps for a fixed time. Keys have been answered when the program has woken up since they
were sent, all its threads wait again, its first line has no sign of work in the background, and two
looks in a row find the same. Where there is no /proc, the last two have to do.
"""

import os
import shlex
import subprocess
import threading
import time

TICK = 0.005  # between two questions whether it works
LONGEST = 0.015  # while it goes on working
LOOKS = 0.015  # between two looks: what it wrote may be under way for so long


class Trouble(Exception):
    """What a test fails with: a sentence."""


class Server:
    """A tmux server, and one connection to it (tmux -C): to start a program for each key and each look would
    cost more than all that is looked at. It goes with the last session, and the connection's own goes with
    the connection."""

    known = {}
    starting = threading.Lock()

    @classmethod
    def of(cls, socket):
        with cls.starting:
            if socket not in cls.known:
                cls.known[socket] = cls(socket)
            return cls.known[socket]

    def __init__(self, socket):
        self.tmux = ["tmux", "-L", socket, "-f", "/dev/null"]
        self.lock = threading.Lock()
        self.process = subprocess.Popen(self.tmux + ["-u", "-C", "new-session", "-x", "80", "-y", "24",
                                                     "while sleep 3600; do :; done", ";",
                                                     "set-option", "destroy-unattached", "on"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answer()
        self.answer()

    def answer(self):
        """Whether a command succeeded, and what it printed; None when the server has gone."""
        begin = None
        lines = []
        for line in self.process.stdout:
            if begin is None:
                if line.startswith(b"%begin "):
                    begin = line.split(b" ", 1)[1]
            elif line == b"%end " + begin or line == b"%error " + begin:
                return line.startswith(b"%end "), b"".join(lines).decode("utf-8", "replace")
            else:
                lines.append(line)
        return None, "the server has gone"

    def ask(self, words):
        """A command, or several with ";" between them: whether they succeeded, and what they printed."""
        if any(c < " " for word in words for c in word):  # which no line of commands can hold
            done = subprocess.run(self.tmux + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            return not done.returncode, (done.stderr if done.returncode else done.stdout).decode("utf-8", "replace")
        line = " ".join(word if word == ";" else "'" + word.replace("'", "'\\''") + "'" for word in words)
        text = ""
        with self.lock:
            try:
                self.process.stdin.write(line.encode("utf-8") + b"\n")
                self.process.stdin.flush()
            except OSError:
                return None, "the server has gone"
            for _ in range(words.count(";") + 1):
                good, printed = self.answer()
                if not good:
                    return good, printed
                text += printed
        return True, text

    @classmethod
    def end(cls, socket):
        """Ends a server, and all that runs in it, if there is one."""
        with cls.starting:
            server = cls.known.pop(socket, None)
        if server:
            subprocess.run(server.tmux + ["kill-server"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            server.process.communicate()  # which closes what it reads, and waits


def threads(pid):
    """How often each thread of a process has woken up, and whether all of them wait."""
    count, idle = {}, True
    try:
        for tid in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/status" % (pid, tid)) as f:
                for line in f:
                    if line.startswith("State:"):
                        idle = idle and line.split()[1] in "StT"
                    elif line.startswith("voluntary_ctxt_switches:"):
                        count[tid] = int(line.split()[1])
    except (OSError, IndexError):
        return None, True
    return count, idle


def groups(pid):
    """The process group of a process, and the one that has its terminal."""
    with open("/proc/%d/stat" % pid) as f:  # the name in parentheses may hold anything
        words = f.read().rpartition(")")[2].split()
    return int(words[2]), int(words[5])


def foreground(pid):
    """Who is at the terminal: of a shell what it runs there, of that what it runs, and so on."""
    try:
        group = groups(pid)[1]
        if group > 0 and os.path.exists("/proc/%d" % group):
            pid = group
        while True:
            with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
                children = [int(child) for child in f.read().split()]
            children = [child for child in children if groups(child)[0] == group]
            if not children:
                return pid
            pid = children[-1]
    except (OSError, ValueError, IndexError):
        return pid


def careless(pid):
    """Is it a program that sleeps on when its terminal gets another size?"""
    try:
        with open("/proc/%d/comm" % pid) as f:
            return f.read().strip() in ("sh", "dash", "bash", "zsh", "sleep", "tmux")
    except OSError:
        return True


class Terminal:
    """One program in a terminal of its own; `socket` names the tmux server, which goes with the last."""

    def __init__(self, socket, cols, rows, environment, command, patience=120):
        self.server = Server.of(socket)
        self.name = "t%d" % id(self)
        self.patience = patience
        self.before = None
        line = ["env", "-i"] + ["%s=%s" % kv for kv in sorted(environment.items())] + command
        # Servers that are starting or ending at the same moment do not always answer.
        for attempt in range(5):
            done = self.ask("new-session", "-d", "-s", self.name, "-x", str(cols), "-y", str(rows),
                            "exec " + " ".join(map(shlex.quote, line)),
                            ";", "set-option", "-g", "status", "off",
                            ";", "set-option", "-g", "remain-on-exit", "on",
                            ";", "set-option", "-s", "escape-time", "0",
                            ";", "set-option", "-s", "set-clipboard", "off", check=False)
            if done is not None:
                break
            time.sleep(0.1 * (attempt + 1))
        else:
            raise Trouble("tmux does not start")
        # A program that ended before `remain-on-exit` was set has taken its terminal along.
        self.pid = int(self.show("#{pane_pid}") or 0)

    def ask(self, *words, check=True):
        good, text = self.server.ask(words)
        if good:
            return text
        if check:
            raise Trouble("tmux %s: %s" % (words[0], text.strip()))
        return None

    def show(self, what):
        return self.ask("display-message", "-p", "-t", self.name, what).rstrip("\n")

    def close(self):
        self.ask("kill-session", "-t", self.name, check=False)

    # ---- what a person does ----

    def keys(self, names):
        """As tmux names them. What follows an escape character at once belongs to it, so Escape goes alone."""
        batch = []
        for name in names:
            batch.append(name)
            if name == "Escape":
                self.send(batch)
                batch = []
        if batch:
            self.send(batch)

    def send(self, names, literal=False):
        self.before, _ = threads(foreground(self.pid))
        self.ask("send-keys", "-t", self.name, *(["-l"] if literal else []), "--", *names)
        self.settle()

    def type(self, text):
        self.send([text], literal=True)

    def paste(self, data):
        """Bytes as they are."""
        self.before, _ = threads(foreground(self.pid))
        self.ask("send-keys", "-t", self.name, "-H", *["%02x" % b for b in data])
        self.settle()

    def resize(self, cols, rows):
        self.before, _ = threads(foreground(self.pid))
        self.ask("resize-window", "-t", self.name, "-x", str(cols), "-y", str(rows))
        self.settle(0.5 if careless(foreground(self.pid)) else None)

    def signal(self, name):
        pid = foreground(self.pid)
        self.before, _ = threads(pid)
        subprocess.run(["kill", "-" + name, str(pid)], check=True)
        self.settle()

    # ---- what a person sees ----

    def screen(self, colours=False):
        text = self.ask("capture-pane", "-p", "-t", self.name, *(["-e"] if colours else []))
        return [line.rstrip() for line in text.split("\n")[:-1]]

    def status(self):
        """None while it runs, else its status (128 and the number for a signal)."""
        dead, status, number = self.show("#{pane_dead}:#{pane_dead_status}:#{pane_dead_signal}").split(":")
        if dead != "1":
            return None
        return 128 + int(number) if number else int(status or 0)

    def settle(self, asleep=None):
        """`asleep`: so long after it has not woken up it is not expected to."""
        last = was = None
        looked = 0
        tick = TICK
        started = time.monotonic()
        deadline = started + self.patience
        while time.monotonic() < deadline:
            count, idle = threads(foreground(self.pid))
            if count is None or count != self.before or (asleep and time.monotonic() > started + asleep):
                # Looking takes longer than asking whether it works: then there is nothing to see yet.
                if not idle or count != was:
                    last = None
                elif last is None or time.monotonic() > looked + LOOKS:
                    look = self.screen()
                    looked = time.monotonic()
                    if look == last and not look[0].endswith(" ..."):
                        self.before = count
                        return
                    last = look
                was = count
                if count is None and self.status() is not None:
                    return
            time.sleep(tick)
            tick = min(tick * 1.2, LONGEST)
        raise Trouble("the screen is not settled after %d s:\n%s" % (self.patience, "\n".join(self.screen())))

    def wait_end(self):
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            status = self.status()
            if status is not None:
                return status
            time.sleep(TICK)
        raise Trouble("it has not ended after %d s" % self.patience)

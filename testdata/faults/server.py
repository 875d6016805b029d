"""A command behind the fault library (server.c), and the folder it works in."""
import array
import errno
import os
import shutil
import subprocess

KINDS = ("alloc", "read", "write", "sync", "size", "name", "unlink", "open", "stat", "map",
         "thread", "lock", "close", "other")
SHORT, KILL, SITES, EXPLAIN = 1, 2, 4, 8
FOREVER = 1 << 62
MOST_SITES = 1 << 22  # FAULT_MAX_SITES


def mask(*kinds):
    return sum(1 << KINDS.index(k) for k in kinds)


ALL = (1 << len(KINDS)) - 1
SYSTEM = ALL & ~mask("alloc", "thread")


class Result:
    """What came of one run of the command."""

    def __init__(self, line, folder):
        f = line.split(" ", 8)
        self.status, self.signal, self.timed_out, self.left, self.hits, self.counted, self.leaked = \
            map(int, f[:7])
        self.kinds = dict(zip(KINDS, map(int, f[7].split(","))))
        self.note = f[8].strip()
        self.stdout = read(os.path.join(folder, "stdout"))
        self.stderr = read(os.path.join(folder, "stderr")).decode("utf-8", "replace")


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


class Server:
    """`argv` in the folder `work`, ready to be run many times; close it."""

    def __init__(self, library, argv, work, io, env, timeout_ms):
        self.work, self.io, self.timeout_ms = work, io, timeout_ms
        os.makedirs(io, exist_ok=True)
        to_r, to_w = os.pipe()
        from_r, from_w = os.pipe()
        # The library reads and writes at 198 and 199: the shell puts them there.
        for fd in (to_r, from_w):
            os.set_inheritable(fd, True)
        shell = 'r=$1 w=$2; shift 2; eval "exec 198<&$r 199>&$w $r<&- $w>&-"; export LD_PRELOAD=$FAULT_LIBRARY; ' \
                'exec "$@"'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "fault", str(to_r), str(from_w), *argv], cwd=work,
            env=dict(env, FAULT_LIBRARY=library, FAULT_DIR=io), pass_fds=(to_r, from_w),
            stdin=subprocess.DEVNULL)
        os.close(to_r)
        os.close(from_w)
        self.to = to_w
        self.answers = os.fdopen(from_r, "r", errors="replace")

    def run(self, kinds=0, first=0, last=None, error=0, flags=0, stdin="/dev/null"):
        last = first if last is None else last
        os.write(self.to, f"{kinds:x} {first} {last} {error} {flags} {self.timeout_ms} {stdin}\n"
                 .encode())
        line = self.answers.readline()
        if not line:
            raise RuntimeError("the fault library ended with status %s" % self.process.wait())
        return Result(line, self.io)

    def sites(self):
        """Of each counted call of the last run: (kind, a number for where it came from)."""
        a = array.array("Q")
        a.frombytes(read(os.path.join(self.io, "sites")))
        return [(KINDS[v & 15], v >> 4) for v in a]

    def close(self):
        os.close(self.to)
        self.process.wait()
        self.answers.close()


class Folder:
    """A working folder that can be put back to how it was: files only, by their bytes."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)
        self.kept = {}

    def state(self):
        """name: (inode, size, mtime) of all files below."""
        out = {}
        for top, _, names in os.walk(self.path):
            for name in names:
                p = os.path.join(top, name)
                s = os.lstat(p)
                out[os.path.relpath(p, self.path)] = (s.st_ino, s.st_size, s.st_mtime_ns)
        return out

    def keep(self):
        self.kept = {n: (s, read(os.path.join(self.path, n))) for n, s in self.state().items()}

    def before(self):
        return {n: data for n, (_, data) in self.kept.items()}

    def changed(self):
        """Names that are not as they were kept: new, gone or written to."""
        now = self.state()
        return sorted(n for n in set(now) | set(self.kept)
                      if n not in now or n not in self.kept or self.kept[n][0] != now[n])

    def restore(self):
        for name in self.changed():
            p = os.path.join(self.path, name)
            if name in self.kept:
                os.makedirs(os.path.dirname(p), exist_ok=True)
                if os.path.lexists(p):
                    os.unlink(p)
                with open(p, "wb") as f:
                    f.write(self.kept[name][1])
                s = os.lstat(p)
                self.kept[name] = ((s.st_ino, s.st_size, s.st_mtime_ns), self.kept[name][1])
            else:
                os.unlink(p)
        # Folders that a run made.
        for top, dirs, _ in os.walk(self.path, topdown=False):
            for d in dirs:
                try:
                    if d not in ("cache", "tmp", "home"):
                        os.rmdir(os.path.join(top, d))
                except OSError as e:
                    if e.errno != errno.ENOTEMPTY:
                        raise

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

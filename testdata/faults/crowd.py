#!/usr/bin/env python3
"""Many commands at once on one store, and on the cache.

    crowd.py BIN [SECONDS]

Two imports, ten readers (one of them tprof-tui, where Python has terminals) and somebody who deletes
runs, all on one store, for so long; then half as long a crowd that reads two dumps by way of one cache
while the dumps take each other's place. No command may fail, nor speak of locks; no run is lost; an
entry of the cache is of the dump it is named by."""
import os
import pty
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import faults
import judge
import scenes

READERS = [
    "tprof-top s.tprof --run=v2.trace",
    "tprof-top s.tprof --run=v2.trace overview",
    "tprof-top s.tprof --run=cpu.pb --tree",
    "tprof-query s.tprof --format=csv 'SELECT count(*), min(name) FROM run'",
    "tprof-query s.tprof --run=v2.trace 'SELECT type, count(*) FROM event WHERE run = :run GROUP BY 1'",
    "tprof-diff heap2.pb heap3.pb",
    "tprof-store list s.tprof",
    "tprof-store verify s.tprof",
    "tprof-report s.tprof --run=v2.trace -o report.N.html",
    "tprof-export s.tprof --run=v2.trace --format=perfetto -o export.N.json",
    "tprof-flame s.tprof --run=cpu.pb -o flame.N.svg",
    "tprof-path s.tprof --run=v2.trace",
]
CLOCK = b"cycles/second=2596092739"


class Crowd:
    def __init__(self, binaries, seconds, work):
        self.work = work
        self.env = faults.environment(work)
        self.env["PATH"] = binaries + ":" + os.environ["PATH"]
        self.until = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.ran = self.failed = 0
        self.said = set()
        self.present, self.kept, self.deleted = set(), {"v2.trace", "cpu.pb"}, set()

    def objection(self, text):
        with self.lock:
            self.failed += 1
            if text not in self.said:
                self.said.add(text)
                print("FAILED " + text, flush=True)

    def run(self, command, stdin=None, fine=None):
        """One command; what it prints. It may only succeed, or fail with what `fine` matches."""
        try:
            r = subprocess.run(["sh", "-c", command], cwd=self.work, env=self.env, input=stdin,
                               capture_output=True, timeout=600)
        except subprocess.TimeoutExpired:
            self.objection(f"{command}: hangs")
            return b""
        with self.lock:
            self.ran += 1
        text = r.stderr.decode("utf-8", "replace")
        if r.returncode and not (fine and re.search(fine, text)):
            self.objection(f"{command}: status {r.returncode}: {text.strip()}")
        elif re.search(r"lock|busy|another program", text, re.I):
            self.objection(f"{command}: {text.strip()}")
        return r.stdout

    def over(self):
        return time.monotonic() >= self.until

    def importer(self, who):
        n = 0
        while not self.over():
            n += 1
            name = f"w{who}-{n}"
            if n % 4:
                # The same profile with another count is another dump.
                dump = self.block.replace(CLOCK, CLOCK[:-4] + b"%d%03d" % (who, n))
                self.run(f"tprof-import - -o s.tprof --name={name}", stdin=dump)
            else:
                # Known from the second time on.
                self.run(f"tprof-import own{who}.trace -o s.tprof --name=own{who}")
                self.kept.add(f"own{who}")
                continue
            with self.lock:
                self.present.add(name)

    def reader(self, who):
        rng = random.Random(who)
        while not self.over():
            self.run(rng.choice(READERS).replace("N", str(who)))

    def deleter(self):
        while not self.over():
            time.sleep(0.2)
            with self.lock:
                old = sorted(self.present)[:1] if len(self.present) > 12 else []
            if not old:
                continue
            self.run(f"tprof-store delete s.tprof {old[0]}")
            with self.lock:
                self.present.discard(old[0])
                self.deleted.add(old[0])

    def screen(self):
        """tprof-tui on a terminal: it is shown, walks about a little, and goes."""
        while not self.over():
            pid, fd = pty.fork()
            if not pid:
                os.chdir(self.work)
                os.execvpe("tprof-tui", ["tprof-tui", "s.tprof", "--run=v2.trace"],
                           dict(self.env, TERM="xterm"))
            text, end = b"", time.monotonic() + 300
            keys = [b"", b"\t", b"j", b"j", b"q", b"q", b"q"]
            while time.monotonic() < end:
                ready, _, _ = select.select([fd], [], [], 0.3)
                try:
                    text += os.read(fd, 65536) if ready else b""
                    if not ready and keys:
                        os.write(fd, keys.pop(0))
                except OSError:
                    break
            os.close(fd)
            _, status = os.waitpid(pid, 0)
            with self.lock:
                self.ran += 1
            if status or re.search(rb"locked|another program", text):
                self.objection(f"tprof-tui: status {status}: {text[-300:]!r}")

    def at_once(self, *tasks):
        def work(task, *args):
            try:
                task(*args)
            except Exception as e:  # a smaller crowd is none
                self.objection(f"{task.__name__}: {e!r}")

        threads = [threading.Thread(target=work, args=t) for t in tasks]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


def put(work, name, data):
    with open(os.path.join(work, name), "wb") as f:
        f.write(data)


def get(name):
    with open(os.path.join(scenes.DATA, scenes.DUMPS.get(name, name)), "rb") as f:
        return f.read()


def prepare(work):
    for name in ("v2.trace", "cpu.pb", "heap2.pb", "heap3.pb"):
        put(work, name, get(name))
    put(work, "own1.trace", get("convoy.trace"))
    put(work, "own2.trace", get("relay.trace"))
    for folder in ("cache", "tmp", "home"):
        os.makedirs(os.path.join(work, folder))


def temporaries(work):
    return [os.path.relpath(os.path.join(top, n), work) for top, _, names in os.walk(work)
            for n in names if re.search(r"\.part|-journal|-wal|\.tprof\.lock", n)]


def store(binaries, seconds, work):
    prepare(work)
    c = Crowd(binaries, seconds, work)
    c.block = get("block.txt")
    assert CLOCK in c.block
    c.run("tprof-import v2.trace cpu.pb -o s.tprof")
    c.until = time.monotonic() + seconds
    c.at_once((c.importer, 1), (c.importer, 2), (c.deleter,), (c.screen,),
              *((c.reader, n) for n in range(9)))
    rows = judge.rows(os.path.join(work, "s.tprof"))
    names = c.run("tprof-query s.tprof --format=csv 'SELECT name FROM run'").decode().split()[1:]
    lost = (c.present | c.kept) - set(names)
    more = set(names) - c.present - c.kept
    if not rows or lost or more:
        c.objection(f"runs are lost: {sorted(lost)}, and others there: {sorted(more)}")
    if temporaries(work):
        c.objection("there are left: " + ", ".join(temporaries(work)))
    print(f"{c.ran} commands on one store; {len(c.present)} runs in it, {len(c.deleted)} deleted")
    return c


def cache(binaries, seconds, work):
    prepare(work)
    c = Crowd(binaries, seconds, work)
    versions = [get("v2.trace"), get("v1.trace")]
    right = []
    for n, data in enumerate(versions):
        put(work, f"right{n}.trace", data)
        right.append(c.run(f"XDG_CACHE_HOME=home/{n} tprof-top --format=csv right{n}.trace"))
    put(work, "moving.trace", versions[0])

    def mover():
        n = 0
        while not c.over():
            n += 1
            put(work, "next.trace", versions[n % 2])
            os.rename(os.path.join(work, "next.trace"), os.path.join(work, "moving.trace"))
            # Now and then there is nothing to find: the entry is made at once by whoever comes.
            if n % 4 == 0:
                c.run("tprof-store cache --empty")
            time.sleep(random.uniform(0, 0.05))

    def looker(packed):
        while not c.over():
            out = c.run("cat right0.trace | tprof-top --format=csv -" if packed else "tprof-top --format=csv moving.trace",
                        fine="changes while it is read")
            if out and out not in right:
                c.objection("tprof-top shows neither of the two dumps")

    c.until = time.monotonic() + seconds
    c.at_once((mover,), *((looker, n == 0) for n in range(6)))
    for n in range(2):
        if c.run(f"tprof-top --format=csv right{n}.trace") != right[n]:
            c.objection("the cache has another dump under the name of this one")
    if temporaries(work):
        c.objection("there are left: " + ", ".join(temporaries(work)))
    print(f"{c.ran} commands on one cache")
    return c


def main():
    binaries = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    top = tempfile.mkdtemp(prefix="tprof-crowd-")
    try:
        done = []
        for name, test, length in (("store", store, seconds), ("cache", cache, seconds / 2)):
            work = os.path.join(top, name)
            os.makedirs(work)
            done.append(test(binaries, length, work))
    finally:
        shutil.rmtree(top, ignore_errors=True)
    failed = sum(c.failed for c in done)
    print(f"a crowd: {sum(c.ran for c in done) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

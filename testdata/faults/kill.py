#!/usr/bin/env python3
"""kill -9 in the middle of imports.

    kill.py BIN LIBRARY [MOMENTS]

Three quarters of the moments are calls (the library kills the process group at its Nth system call or
allocation, random among all), the others are times on the clock of an import of a larger trace. After
each the store is as before or complete, tprof-store reads it, PRAGMA integrity_check passes, and the
next import is complete and leaves no temporary file."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from types import SimpleNamespace

import faults
import judge
import scenes
from scenes import Scene
from server import ALL, KILL, SYSTEM, Folder

SCENES = [
    Scene("fresh-v2", "tprof-import v2.trace -o s.tprof", "v2.trace"),
    Scene("existing-v2", "tprof-import v2.trace -o s.tprof", "v2.trace", store="cpu.pb heap.pb"),
    Scene("existing-proto", "tprof-import heap2.pb -o s.tprof", "heap2.pb", store="v2.trace"),
    Scene("existing-rows", "tprof-import convoy.trace -o s.tprof --materialize", "convoy.trace",
          store="heap.pb"),
    Scene("older", "tprof-import heap.pb -o old.store", "heap.pb old.store"),
    Scene("cached", "tprof-top v2.trace", "v2.trace"),
    # One batch: before, or all of it.
    Scene("jobs", "tprof-import -j 2 -o s.tprof convoy.trace heap.pb block.txt", "convoy.trace heap.pb block.txt",
          store="cpu.pb"),
    Scene("merge", "tprof-merge -o all.tprof s.tprof old.store", "old.store", store="v2.trace heap.pb"),
    Scene("merge-into", "tprof-merge -o s.tprof old.store", "old.store", store="v2.trace heap.pb"),
    Scene("delete", "tprof-store delete s.tprof heap.pb", store="v2.trace heap.pb"),
]
LARGE = "checkout.trace"


class Count:
    def __init__(self):
        self.passed = self.failed = self.before = self.complete = 0
        self.said = set()

    def add(self, name, when, wrong):
        if not wrong:
            self.passed += 1
            return
        self.failed += 1
        for w in wrong:
            if w not in self.said:
                self.said.add(w)
                print(f"FAILED {name}, killed {when}: {w}", flush=True)


def store_of(scene):
    return next((a for a in scene.argv if a.endswith((".tprof", ".store"))), None)


def look(stage_folder, expected, store, args, count):
    """After a kill: what is wrong with the files that have their names."""
    wrong = []
    path = os.path.join(stage_folder.path, store) if store else None
    if path and os.path.exists(path):
        # A reader first: it has to cope with whatever the dead left beside the store.
        read = subprocess.run([os.path.join(args.bin, "tprof-store"), "list", store],
                              cwd=stage_folder.path, capture_output=True, text=True,
                              env=faults.environment(stage_folder.path), timeout=600)
        if read.returncode:
            wrong.append("a reader fails: " + read.stderr.strip())
    bad, temporary = judge.files(stage_folder, expected, False, 0)
    if path:
        changed = not os.path.exists(path) or judge.content(path) == expected.after.get(store)
        count.complete += os.path.exists(path) and changed
        count.before += not (os.path.exists(path) and changed)
    return wrong + bad, temporary


def again(stage_folder, expected, run, temporary):
    result = run()
    wrong = []
    if result.returncode not in (0, expected.status) and "no run" not in result.stderr:
        wrong.append("the next run fails: " + result.stderr.strip())
    bad, left = judge.files(stage_folder, expected, "no run" not in result.stderr, 0)
    # An empty lock stays until somebody takes it, which deleting what is gone does not.
    left = [t for t in left if not t.endswith(".lock") or "no run" not in result.stderr]
    if left:
        wrong.append("the next run leaves " + ", ".join(left))
    return wrong + bad


def by_calls(scene, moments, args, rng, count):
    stage = faults.Stage(scene, args)
    env = faults.environment(stage.folder.path)
    argv = [os.path.join(args.bin, scene.argv[0]), *scene.argv[1:]]
    try:
        result, expected, _ = stage.undisturbed()
        stage.folder.restore()
        for _ in range(moments):
            # Most of what happens to files lies between system calls, not allocations.
            kinds, calls = rng.choice([(ALL, sum(result.kinds.values())),
                                       (SYSTEM, result.counted - result.kinds["alloc"] -
                                        result.kinds["thread"])])
            n = rng.randint(1, calls)
            killed = stage.server.run(kinds, n, n, 0, KILL)
            wrong = []
            if killed.signal not in (0, signal.SIGKILL) or killed.timed_out or killed.left:
                wrong.append("it ends by signal %d" % killed.signal)
            bad, temporary = look(stage.folder, expected, store_of(scene), args, count)
            wrong += bad
            wrong += again(stage.folder, expected, lambda: subprocess.run(
                argv, cwd=stage.folder.path, env=env, capture_output=True, text=True, timeout=600,
                stdin=subprocess.DEVNULL), temporary)
            stage.folder.restore()
            count.add(scene.name, f"at call {n} of {calls}", wrong)
    finally:
        stage.close()


def by_clock(store, moments, args, rng, count):
    top = tempfile.mkdtemp(dir=args.scratch)
    folder = Folder(os.path.join(top, "work"))
    scene = Scene("clock", f"tprof-import {LARGE} -o s.tprof", store=store)
    scenes.DUMPS.setdefault(LARGE, LARGE)
    scene.dumps.append(LARGE)
    env = faults.environment(folder.path)
    scene.prepare(args.bin, folder.path, env)
    folder.keep()
    argv = [os.path.join(args.bin, scene.argv[0]), *scene.argv[1:]]

    def run():
        return subprocess.run(argv, cwd=folder.path, env=env, capture_output=True, text=True,
                              timeout=600, stdin=subprocess.DEVNULL)

    started = time.monotonic()
    done = run()
    took = time.monotonic() - started
    done.stdout = done.stdout.encode()
    done.status = done.returncode
    expected = judge.Expected(folder, done)
    folder.restore()
    for _ in range(moments):
        wait = rng.uniform(0, took * 1.1)
        p = subprocess.Popen(argv, cwd=folder.path, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
        time.sleep(wait)
        p.kill()
        p.wait()
        wrong, temporary = look(folder, expected, "s.tprof", args, count)
        wrong += again(folder, expected, run, temporary)
        folder.restore()
        count.add("on top of " + (store or "nothing"), f"after {wait * 1000:.0f} ms", wrong)
    shutil.rmtree(top, ignore_errors=True)


def main():
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    args = SimpleNamespace(bin=os.path.abspath(sys.argv[1]), library=os.path.abspath(sys.argv[2]),
                           timeout=120,
                           scratch=tempfile.mkdtemp(prefix="tprof-kill-", dir=base))
    rng, count, started = random.Random(1), Count(), time.time()
    by_each = max(1, moments * 3 // 4 // len(SCENES))
    try:
        for scene in SCENES:
            by_calls(scene, by_each, args, rng, count)
        rest = max(2, moments - by_each * len(SCENES))
        by_clock("", rest // 2, args, rng, count)
        by_clock("cpu.pb", rest - rest // 2, args, rng, count)
    finally:
        shutil.rmtree(args.scratch, ignore_errors=True)
    if moments >= 50 and not (count.before and count.complete):
        print("FAILED the moments are not spread over the imports")
        count.failed += 1
    print(f"{count.before} times as before, {count.complete} times complete, in "
          f"{time.time() - started:.0f} s")
    print(f"kill -9: {count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails every allocation, read, write, sync, rename … of the commands, one after the other.

    faults.py BIN LIBRARY [--sample=N [--most=N]] [--seconds=N] [--only=NAME,…] [--kinds=KIND,…]
              [--jobs=N] [--seed=N] [--explain=N] [--timeout=SECONDS] [--leaks=LIBRARY] [--verbose]

For each scene (scenes.py) the command runs undisturbed first: that says how many calls there are and
what is right. Then the Nth call of a kind fails, for each N, once or from there on; judge.py says
whether what the command made of it will do. --sample: of allocations only those from places that
differ, and N of the others. --leaks: memory is looked through at the end of each run, too, by gcc's
liblsan.so or, where LIBRARY is empty, the AddressSanitizer that the binaries are built with."""
import argparse
import collections
import concurrent.futures
import copy
import errno
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import judge
import recording
import scenes
import screens
from server import (ALL, EXPLAIN, FOREVER, KINDS, MOST_SITES, SHORT, SITES, Folder, Server, mask)

# Of each kind: what goes wrong, whether from there on, and whether the command has to get over it.
# An interrupted call that is always interrupted would be repeated for ever.
HOW = {
    "alloc": [(errno.ENOMEM, False), (errno.ENOMEM, True)],
    "read": [(errno.EIO, False), (errno.EIO, True), (errno.EINTR, False), (0, False), (0, True)],
    "write": [(errno.ENOSPC, False), (errno.ENOSPC, True), (errno.EIO, False), (errno.EIO, True),
              (errno.EINTR, False), (0, False), (0, True)],
    "sync": [(errno.EIO, False), (errno.EIO, True), (errno.ENOSPC, False), (errno.EINTR, False)],
    "size": [(errno.ENOSPC, False), (errno.EIO, True), (errno.EINTR, False)],
    "name": [(errno.ENOSPC, False), (errno.EIO, False), (errno.EIO, True)],
    "unlink": [(errno.EIO, False), (errno.EIO, True)],
    "open": [(errno.EMFILE, False), (errno.EMFILE, True), (errno.EIO, False), (errno.EINTR, False)],
    "stat": [(errno.EIO, False), (errno.EIO, True)],
    "map": [(errno.ENOMEM, False), (errno.ENOMEM, True)],
    "thread": [(errno.EAGAIN, False), (errno.EAGAIN, True)],
    "lock": [(errno.EIO, False), (errno.EIO, True), (errno.ENOLCK, False), (errno.EINTR, False)],
    "close": [(errno.EIO, False), (errno.EIO, True)],
    "other": [(errno.EIO, False), (errno.EIO, True)],
}


NONE = ("none", 0, 0, False)


def environment(work):
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TPROF_JAIL")}
    env.setdefault("TPROF_JAIL", "off")  # calls are counted in one process
    env.update(HOME=os.path.join(work, "home"), XDG_CACHE_HOME=os.path.join(work, "cache"),
               TMPDIR=os.path.join(work, "tmp"), TZ="UTC", LC_ALL="C.UTF-8", TERM="dumb")
    return env


class Stage:
    """A scene in a folder of its own, with its server and what is right."""

    def __init__(self, scene, args):
        self.scene = scene
        self.top = tempfile.mkdtemp(prefix="scene-", dir=args.scratch)
        self.folder = Folder(os.path.join(self.top, "work"))
        env = dict(environment(self.folder.path), **scene.environment)
        scene.prepare(args.bin, self.folder.path, env)
        self.folder.keep()
        argv = [os.path.join(args.bin, scene.argv[0]), *scene.argv[1:]]
        self.server = Server(args.library, argv, self.folder.path, os.path.join(self.top, "io"), env,
                             args.timeout * 1000)

    def run(self, *what, **how):
        stdin = self.scene.begin(self.server)
        try:
            return self.server.run(*what, stdin=stdin, **how)
        finally:
            self.scene.end()

    def undisturbed(self):
        """What is right, and from where each call comes."""
        result = self.run(ALL, flags=SITES)
        expected = judge.Expected(self.folder, result)
        sites = self.server.sites()
        if len(sites) != min(result.counted, MOST_SITES):
            raise RuntimeError(f"{self.scene.name}: {result.counted} calls, from {len(sites)} places")
        return result, expected, sites

    def fault(self, kind, n, error, lasting, flags=0):
        if self.scene.varies:
            flags |= EXPLAIN
        result = self.run(mask(kind), n, FOREVER if lasting else n, error, flags | (0 if error else SHORT))
        self.where = ""
        if flags & EXPLAIN:
            path = os.path.join(self.folder.path, "where")
            try:
                with open(path) as f:
                    self.where = f.read()
                os.unlink(path)
            except OSError:
                pass
        return result

    def close(self):
        self.server.close()
        shutil.rmtree(self.top, ignore_errors=True)


def after_it(stage, expected, temporary, complete):
    """The same command again, undisturbed: it works, and what lay about is gone."""
    result = stage.run(0)
    wrong = []
    if result.status not in (expected.status, 0) and not complete:
        wrong.append("the next run fails: " + result.stderr.strip())
    # An empty lock stays until somebody takes it; not all of these commands do, the second time.
    left = [t for t in temporary if not t.endswith(".lock") and os.path.exists(os.path.join(stage.folder.path, t))]
    if left:
        wrong.append("the next run leaves " + ", ".join(left))
    return wrong


class Tally:
    """What was found, the same under many faults told once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = self.hits = 0
        self.found = collections.OrderedDict()
        self.bad = 0
        self.survived = collections.Counter()
        self.texts = collections.Counter()
        self.skipped = 0

    def skip(self):
        with self.lock:
            self.skipped += 1

    def wants(self, text, most):
        """Whether it is worth knowing from where this comes: a few times each."""
        with self.lock:
            self.texts[text] += 1
            return self.texts[text] <= min(most, 4)

    def add(self, scene, fault, wrong, result, where):
        with self.lock:
            self.runs += 1
            self.hits += bool(result.hits)
            self.survived[fault[0], bool(result.status)] += 1
            if wrong:
                self.bad += 1
            for w in wrong:
                self.found.setdefault((w, where), []).append((scene.name, fault))


def describe(fault):
    kind, n, error, lasting = fault
    what = errno.errorcode[error] if error else "short"
    return f"{kind} {n} {what}{' and on' if lasting else ''}"


def numbers(kind, count, sites, args, rng):
    """Which calls of a kind fail: all, or those from each place the first and the last time, and
    some more."""
    every = list(range(1, count + 1))
    if args.sample is None or count <= args.sample:
        return every
    first, last = {}, {}
    for i, site in enumerate((s for k, s in sites if k == kind), 1):
        first.setdefault(site, i)
        last[site] = i
    chosen = sorted(first.values())
    if len(chosen) > args.sample * 4:
        chosen = rng.sample(chosen, args.sample * 4)
    some = rng.sample(every, min(args.sample, count))
    return sorted(set(chosen) | set(some))


def plan(scene, result, sites, args, rng):
    """The faults of a scene: (kind, which call, errno or 0, whether from there on)."""
    for kind in args.kinds:
        for n in numbers(kind, result.kinds[kind], sites, args, rng):
            for error, lasting in HOW[kind]:
                # From there on: what every call does once is known by then.
                if lasting and kind == "alloc" and args.sample is not None and n % 3:
                    continue
                if lasting and kind in scene.unending:
                    continue
                yield kind, n, error, lasting


def few(todo, most, rng):
    """So many of the faults, of each kind about as many as of the others."""
    kinds = collections.defaultdict(list)
    for fault in todo:
        kinds[fault[0]].append(fault)
    for faults_of in kinds.values():
        rng.shuffle(faults_of)
    turns = itertools.zip_longest(*kinds.values())
    return sorted(list(filter(None, itertools.chain(*turns)))[:most])


def sweep(scene, part, args, tally):
    """All faults of a scene, or those of a part of it."""
    if STOPPED:
        return scene.name, 0, {}
    rng = random.Random(f"{args.seed} {scene.name}")
    scene = copy.copy(scene)  # parts of it have screens of their own
    stage = Stage(scene, args)
    try:
        result, expected, sites = stage.undisturbed()
        if result.signal or result.timed_out or result.status not in (0, 1):
            raise RuntimeError(f"{scene.name}: it does not work undisturbed: {result.stderr.strip()}")
        wrong = ["undisturbed: " + w for w in scene.judge(stage.folder, expected, result, NONE, True)[0]]
        stage.folder.restore()
        tally.add(scene, NONE, wrong, result, "")
        todo = list(plan(scene, result, sites, args, rng))
        if args.sample is None:
            todo = todo[part::scene.parts]
        until = time.monotonic() + args.share if args.share else None
        if until:
            rng.shuffle(todo)
        most = min(m for m in (args.most, scene.most, len(todo)) if m is not None)
        if args.sample is not None:
            todo = few(todo, most, rng)
        runs = met = 1
        for fault in todo:
            if STOPPED or (until and time.monotonic() > until):
                break
            runs += 1
            met += one(stage, expected, fault, args, tally)
        # Threads make a call less now and then; most of what is to fail does.
        if met < runs / 2 and not STOPPED:
            raise RuntimeError(f"{scene.name}: of {runs} faults only {met} were met")
        return scene.name + (f" {part + 1}/{scene.parts}" if scene.parts > 1 else ""), runs, result.kinds
    finally:
        stage.close()


def one(stage, expected, fault, args, tally):
    """One fault; whether it was met."""
    kind, n, error, lasting = fault
    result = stage.fault(kind, n, error, lasting)
    must = error == 0 or (error == errno.EINTR and kind in ("read", "write"))
    wrong, temporary = stage.scene.judge(stage.folder, expected, result, fault, must)
    where = ""
    if temporary:
        wrong += after_it(stage, expected, temporary, result.status == expected.status)
    stage.folder.restore()
    if not result.hits:
        # Threads: this time there were fewer calls. Nothing failed, so nothing may be wrong.
        if wrong:
            wrong = ["without a fault: " + w for w in wrong]
    if wrong and of_a_library(wrong, result, lasting, lambda: explain(stage, fault, args)):
        tally.skip()
        return True
    if wrong and tally.wants(wrong[0], args.explain):
        where = explain(stage, fault, args)
    tally.add(stage.scene, fault, wrong, result, where)
    return bool(result.hits)


# What libraries do that cannot be mended from outside: by what the command came to, and the calls that
# the fault was in, the innermost first.
LIBRARIES = [
    # A program that only calls regcomp dies of it as well.
    ("glibc", "signal", r"\bregcomp\b"),
    # And one that only calls glob: it frees its list of names twice.
    ("glibc", "signal", r"^glob64\b"),
    # argp needs memory to say what is wrong.
    ("argp", "silent", r"\bargp_parse\b"),
    # Before there is a terminal that ncurses could be asked of.
    ("ncurses", "signal", r"\bnewterm\b"),
    # Nor does it look whether there was memory for the names of capabilities.
    ("ncurses", "signal", r"^(libtinfo < )?_nc_find_type_entry\b"),
    # Where there is no memory for the hashes of lines, it scrolls by numbers that nobody has set
    # (ncurses/tty/hashmap.c: _nc_hash_map returns, hardscroll.c: _nc_scroll_optimize goes on).
    ("ncurses", "signal", r"^libncursesw < doupdate_sp\b"),
    # Its table of abbreviations, and its trees (tsearch), are used whether there was memory for them
    # or not (libdw/dwarf_begin_elf.c: Dwarf_Abbrev_Hash_init), now or at its next call.
    ("libdw", "signal", r"^(\w+ < )?(dwarf_\w+|libdw) < "),
    ("libdw", "signal for good", r"\bget_ready image\.c"),
    # And it asserts that there are abbreviations; assert() has no memory to say which. Nothing here asserts.
    ("libdw", "assertion", ""),
    # They look where the stack of a new thread is, and end the program where that cannot be said; what
    # the fault was in is in their words where it goes on from another call.
    ("the sanitizers", "its own", r"\bpthread_getattr_np\b"),
]


def of_a_library(wrong, result, lasting, calls):
    came_to = set()
    if result.signal:
        came_to |= {"signal", "signal for good"} if lasting else {"signal"}
        if "Unexpected error." in result.stderr:
            came_to.add("assertion")
    elif wrong == ["it fails and says nothing"]:
        came_to = {"silent"}
    elif "Sanitizer: CHECK failed" in result.stderr:
        came_to = {"its own"}
        if any(how == "its own" and re.search(where, result.stderr) for _, how, where in LIBRARIES):
            return True
    return any(how in came_to and re.search(where, calls()) for _, how, where in LIBRARIES)


def explain(stage, fault, args):
    """From where the call that failed came. Where the next run's would be another one, of this run."""
    if not stage.scene.varies:
        stage.fault(*fault, flags=EXPLAIN)
        stage.folder.restore()
    return symbols(stage.where, args)


def symbols(text, args):
    """Names for the lines of backtrace_symbols_fd, by addr2line where that is there."""
    lines = [(path, symbol, offset) for path, symbol, offset in
             re.findall(r"^(\S+?)\((\w*)\+?(0x[0-9a-f]+)?\)", text, re.M)
             if not path.endswith("fault.so")]
    ours = [int(offset, 16) - 1 for path, symbol, offset in lines if not symbol and args.bin in path]
    names = {}
    if ours and shutil.which("addr2line"):
        path = next(p for p, s, _ in lines if not s and args.bin in p)
        out = subprocess.run(["addr2line", "-f", "-s", "-e", path, *map(hex, ours)],
                             capture_output=True, text=True, check=False).stdout.split("\n")
        names = {at: f"{f} {place}" for at, f, place in zip(ours, out[::2], out[1::2])}
    shown = []
    for path, symbol, offset in lines:
        # A function of a library that it keeps to itself goes by the library's name, once.
        name = symbol or names.get(int(offset, 16) - 1) or re.sub(r"\.so.*", "", os.path.basename(path))
        if not symbol and [name] == shown[-1:]:
            continue
        shown.append(name)
    return " < ".join(n for n in shown if n not in ("?", "libc"))


def report(tally, args):
    for (text, where), cases in tally.found.items():
        name, fault = cases[0]
        by = collections.Counter(c[0] for c in cases)
        print(f"FAILED {text}")
        print("    " + ", ".join(f"{s} ×{n}" for s, n in by.most_common(6)) +
              (" …" if len(by) > 6 else "") + f"; for one: {name}, {describe(fault)}")
        if where:
            print(f"    at {where}")


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("bin")
    p.add_argument("library")
    p.add_argument("--sample", type=int)
    p.add_argument("--most", type=int, help="faults of each command; with --sample")
    p.add_argument("--only", default="")
    p.add_argument("--kinds", default=",".join(KINDS))
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--seed", default="1")
    p.add_argument("--explain", type=int, default=40)
    p.add_argument("--leaks")
    p.add_argument("--seconds", type=float, default=0, help="for all: random ones, as many as fit")
    p.add_argument("--timeout", type=int, default=120, help="seconds after which a command hangs; it needs less than one")
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    args.bin, args.library = os.path.abspath(args.bin), os.path.abspath(args.library)
    args.kinds = args.kinds.split(",")
    return args


STOPPED = []


def stop(*_):
    """Told to end: what was found by then is said, and that not all was tried."""
    STOPPED.append(True)


def look_for_leaks():
    os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:exitcode=99:detect_leaks=1"
    # Whole stacks, so that the suppressions know whose memory it is; signals stay signals.
    os.environ["LSAN_OPTIONS"] = "allocator_may_return_null=1:exitcode=99:handle_segv=0:fast_unwind_on_malloc=0:" \
        f"malloc_context_size=12:print_suppressions=0:suppressions={os.path.join(scenes.HERE, 'leaks.supp')}"


def main():
    args = parse()
    started = time.time()
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    # Memory where there is some: what is tried is the command, not the disk.
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    args.scratch = tempfile.mkdtemp(prefix="tprof-faults-", dir=base)
    tally = Tally()
    tools = os.path.dirname(args.library)
    if args.leaks is not None:
        look_for_leaks()
    if args.leaks:
        args.library += ":" + os.path.abspath(args.leaks)
    todo = [*scenes.imports(), *scenes.reports(args.bin), *recording.scenes(tools),
            *screens.scenes()]
    if args.only:
        names = args.only.split(",")
        # A misspelled name is no success.
        for name in names:
            if not any(name in s.name for s in todo):
                print(f"FAILED --only: no command is called *{name}*; there are " + ", ".join(s.name for s in todo))
                tally.bad += 1
        todo = [s for s in todo if any(n in s.name for n in names)]
    args.share = args.seconds * args.jobs / max(1, len(todo))
    if args.share and args.sample is None:
        args.sample = 20
    try:
        whole = args.sample is None
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, \
                concurrent.futures.ThreadPoolExecutor(args.jobs * 8) as waiting:
            # Screens wait most of the time: of these, many at once.
            for done in concurrent.futures.as_completed(
                    [(waiting if whole and s.parts > 1 else pool).submit(sweep, s, part, args, tally)
                     for s in todo for part in range(s.parts if whole else 1)]):
                try:
                    name, runs, kinds = done.result()
                except (RuntimeError, OSError) as e:
                    print(f"FAILED {e}")
                    tally.bad += 1
                    continue
                if args.verbose:
                    print(f"{name}: {runs} faults, " +
                          ", ".join(f"{n} {k}" for k, n in kinds.items() if n), flush=True)
        report(tally, args)
    finally:
        shutil.rmtree(args.scratch, ignore_errors=True)
    if tally.skipped:
        print(f"{tally.skipped} times a library was at fault ({', '.join(sorted({l[0] for l in LIBRARIES}))}): not counted")
    if STOPPED:
        print("FAILED it was stopped before all was tried")
        tally.bad += 1
    print(f"{len(todo)} commands, {tally.runs} faults, {tally.hits} of them met, in {time.time() - started:.0f} s")
    print(f"faults: {max(0, tally.runs - tally.bad)} passed, {tally.bad} failed")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())

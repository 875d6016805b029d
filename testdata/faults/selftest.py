#!/usr/bin/env python3
"""Plants bugs (planted.c), and sees that the faults find each of them, and nothing in a sound program.

    selftest.py FOLDER_OF_PLANTED LIBRARY [LEAKS]

LEAKS is gcc's liblsan.so."""
import contextlib
import ctypes
import os
import re
import resource
import shutil
import sys
import tempfile
from types import SimpleNamespace

import faults
from scenes import Scene
from server import KINDS

# The bug, and what has to be said of it; nothing else is.
BUGS = {
    "sound": None,
    "unchecked-malloc": "dies of signal 11",
    "unsynced": "renamed before it was synced",
    "early-rename": "written to after it had got its name",
    "half-written": "neither as before nor complete",
    "silent": "not complete, though the command says it is",
    "descriptor": "a descriptor: .* was left open",
}
LEAKS = {"sound": None, "leak": "LeakSanitizer: detected memory leaks"}
# And once more where libc's code lies across a boundary of 4 GiB: a filter compares words of 32 bits.
ACROSS = ("sound", "half-written")

ADDR_NO_RANDOMIZE = 0x0040000  # <sys/personality.h>
BOUNDARY = 1 << 32


def scene(bug):
    return Scene(bug, f"planted {bug} out", files={"out": b"before\n"})


@contextlib.contextmanager
def stack_limit(size):
    """Programs that start in here lie where they always do, and lower by as much as `size` is larger."""
    libc = ctypes.CDLL(None)
    before = libc.personality(0xffffffff)
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    libc.personality(before | ADDR_NO_RANDOMIZE)
    resource.setrlimit(resource.RLIMIT_STACK, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
        libc.personality(before)


def code_of_libc(args):
    """From where to where it lies in a program that has the library in it."""
    stage = faults.Stage(scene("sound"), args)
    try:
        stage.run(0)
        with open(f"/proc/{stage.server.process.pid}/maps") as maps:
            for line in maps:
                if re.search(r" r-xp .*/libc\.so\.6$", line):
                    return [int(n, 16) for n in line.split()[0].split("-")]
        raise RuntimeError("libc's code is not in the maps")
    finally:
        stage.close()


def limit_across(args):
    """A limit to the stack that puts the middle of libc's code at a multiple of 4 GiB; None: cannot be."""
    size = 1 << 30
    try:
        with stack_limit(size):
            start, end = code_of_libc(args)
        size += (start + end) // 2 % BOUNDARY & -4096
        with stack_limit(size):
            start, end = code_of_libc(args)
    except ValueError:  # setrlimit: more than this user may have
        return None
    return size if start // BOUNDARY != end // BOUNDARY else None


def main():
    binaries, library = map(os.path.abspath, sys.argv[1:3])
    tries = [(bug, wanted, library, None) for bug, wanted in BUGS.items()]
    if len(sys.argv) > 3:
        faults.look_for_leaks()
        tries += [(bug, wanted, f"{library}:{sys.argv[3]}", None) for bug, wanted in LEAKS.items()]
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    args = SimpleNamespace(bin=binaries, library=library, sample=None, kinds=list(KINDS), seed="1",
                           explain=0, most=None, share=0, timeout=10,
                           scratch=tempfile.mkdtemp(prefix="tprof-faults-", dir=base))
    passed = failed = 0
    try:
        args.library = library
        size = limit_across(args)
        if size:
            tries += [(bug, BUGS[bug], library, size) for bug in ACROSS]
        else:
            print("not tried: libc across a boundary of 4 GiB, as this system, or its limit to stacks, does not let it")
        for bug, wanted, args.library, limit in tries:
            tally = faults.Tally()
            with stack_limit(limit) if limit else contextlib.nullcontext():
                faults.sweep(scene(bug), 0, args, tally)
            texts = [text for text, _ in tally.found]
            ok = not texts if wanted is None else any(re.search(wanted, t) for t in texts)
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                where = " across a boundary of 4 GiB" if limit else ""
                print(f"FAILED {bug}{where}: " + ("nothing should be found: " if wanted is None else
                                                  f"'{wanted}' is not found; but: ") + "; ".join(texts))
    finally:
        shutil.rmtree(args.scratch, ignore_errors=True)
    print(f"planted bugs: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

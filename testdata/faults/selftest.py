#!/usr/bin/env python3
"""Plants bugs (planted.c), and sees that the faults find each of them, and nothing in a sound program.

    selftest.py FOLDER_OF_PLANTED LIBRARY [LEAKS]

LEAKS is gcc's liblsan.so."""
import os
import re
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


def main():
    binaries, library = map(os.path.abspath, sys.argv[1:3])
    tries = [(bug, wanted, library) for bug, wanted in BUGS.items()]
    if len(sys.argv) > 3:
        faults.look_for_leaks()
        tries += [(bug, wanted, f"{library}:{sys.argv[3]}") for bug, wanted in LEAKS.items()]
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    args = SimpleNamespace(bin=binaries, library=library, sample=None, kinds=list(KINDS), seed="1",
                           explain=0, most=None, share=0, timeout=10,
                           scratch=tempfile.mkdtemp(prefix="tprof-faults-", dir=base))
    passed = failed = 0
    try:
        for bug, wanted, args.library in tries:
            tally = faults.Tally()
            faults.sweep(Scene(bug, f"planted {bug} out", files={"out": b"before\n"}), 0, args, tally)
            texts = [text for text, _ in tally.found]
            ok = not texts if wanted is None else any(re.search(wanted, t) for t in texts)
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print(f"FAILED {bug}: " + ("nothing should be found: " if wanted is None else
                                           f"'{wanted}' is not found; but: ") + "; ".join(texts))
    finally:
        shutil.rmtree(args.scratch, ignore_errors=True)
    print(f"planted bugs: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

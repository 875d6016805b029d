"""What merge.py and parts.py share: commands, names in a scratch folder, random trees of merges."""
import os
import random
import shutil
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else None
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
GIVEN = sys.argv[4:]
HERE = os.path.dirname(os.path.abspath(__file__))

rng = random.Random(SEED)
scratch = tempfile.mkdtemp(prefix="tprof-merging-")
os.environ["XDG_CACHE_HOME"] = scratch + "/cache"
passed = failed = names = 0


def check(ok, what):
    global passed, failed
    passed += ok
    failed += not ok
    if not ok:
        print("FAILED", what)
    return ok


def run(*words):
    p = subprocess.run([f"{BIN}/{words[0]}", *words[1:]], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace").strip()


def name():
    global names
    names += 1
    return f"{scratch}/{names}.tprof"


def tree(stores):
    """Merges them by a random tree, also into stores that are there: the result, None where a merge
    failed, and what the last one said."""
    stores = list(stores)
    rng.shuffle(stores)
    while True:
        n = min(len(stores), rng.randint(1, 4))
        some, stores = stores[:n], stores[n:]
        target = name()
        if rng.random() < 0.3:
            shutil.copy(rng.choice(some), target)
        status, _, err = run("tprof-merge", "-o", target, *some)
        if status:
            return None, err
        if not stores:
            return target, err
        stores.insert(rng.randint(0, len(stores)), target)


def same(a, b):
    with open(a, "rb") as x, open(b, "rb") as y:
        return x.read() == y.read()

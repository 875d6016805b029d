"""What no script can say: sizes that change all the time, and a store that somebody else writes to.

    BIN=FOLDER python3 testdata/tui/storm.py [SECONDS]

Prints "storms: N passed, N failed".
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from terminal import Server, Terminal, Trouble

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("BIN", os.path.join(ROOT, "build", "out", "bin")))
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
PATIENCE = 300

KEYS = ["j", "k", "l", "h", "G", "g", "Tab", "Enter", "Escape", "1", "2", "3", "4", "5", "6", "7", "C-o", "C-n", "+", "-",
        "Space", "x", "i", ">", "<", "r", "C-f", "C-b", "w", "b", "PageDown", "Down", "Right"]


def environment(scratch):
    return {
        "PATH": BIN + ":/usr/local/bin:/usr/bin:/bin", "HOME": scratch, "TERM": "tmux-256color", "LC_ALL": "C.UTF-8",
        "TZ": "UTC", "XDG_STATE_HOME": scratch + "/state", "XDG_CACHE_HOME": scratch + "/cache",
        **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")},
    }


def resizes(scratch, socket):
    """Whatever size it was drawn at: back at 80x24 the same view is the same screen."""
    r = random.Random(int(os.environ.get("SEED", "1")))
    for file in ("testdata/checkout.trace", "testdata/catalog.cpu"):
        t = Terminal(socket, 80, 24, environment(scratch), ["tprof-tui", file, "runs"], PATIENCE)
        try:
            t.settle()
            first = t.screen()
            end = time.monotonic() + SECONDS / 2
            n = 0
            while time.monotonic() < end:
                cols, rows = r.choice([(80, 24), (120, 40), (250, 70), (40, 8), (20, 5), (1, 1), (500, 3), (3, 200),
                                       (r.randint(1, 300), r.randint(1, 100))])
                # Not settled in between: that is what makes it a storm.
                t.ask("resize-window", "-t", t.name, "-x", str(cols), "-y", str(rows), check=False)
                t.ask("send-keys", "-t", t.name, "--", *[r.choice(KEYS) for _ in range(r.randint(0, 3))], check=False)
                n += 1
                if t.status() is not None:
                    raise Trouble("it has ended with status %s after %d sizes" % (t.status(), n))
            t.resize(80, 24)
            for _ in range(4):  # out of prompts and of SQL
                t.keys(["Escape"])
            t.keys([":"])
            t.type("runs")
            t.keys(["Enter"])
            t.keys(["g"])
            again = t.screen()
            # The message and the line of keys may differ; the table may not.
            if again[1:-2] != first[1:-2]:
                raise Trouble("after %d sizes the screen is\n%s\nand not\n%s" % (n, "\n".join(again), "\n".join(first)))
        finally:
            t.close()


def growing(scratch, socket):
    """Runs come and go in the store while it is browsed; nothing fails, and what came in is there."""
    store = os.path.join(scratch, "growing.tprof")
    env = environment(scratch)

    def bring_in(path):
        subprocess.run(["tprof-import", "-o", store, path], check=True, env=dict(os.environ, **env), cwd=ROOT,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    bring_in("testdata/checkout.trace")
    t = Terminal(socket, 120, 40, env, ["tprof-tui", store, "top"], PATIENCE)
    try:
        t.settle()
        paths = ["testdata/errands.trace", "testdata/catalog.cpu", "testdata/pool.trace", "testdata/convoy.trace",
                 "testdata/relay.trace", "testdata/catalog.heap", "testdata/checkout-1.19.trace"]
        end = time.monotonic() + SECONDS / 2
        n = 0
        while time.monotonic() < end and n < len(paths):
            writer = subprocess.Popen(["tprof-import", "-o", store, paths[n]], env=dict(os.environ, **env), cwd=ROOT,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for keys in (["4"], ["Tab"], ["Tab"], ["2"], ["3"], ["+"], ["5"], ["1"], ["j"], ["4"]):
                t.keys(keys)
                for line in t.screen():
                    for word in ("is locked", "malformed", "disk", "cannot"):
                        if word in line:
                            raise Trouble("it says '%s'" % line)
            if writer.wait():
                raise Trouble("tprof-import failed with status %d" % writer.returncode)
            n += 1
        # What has been added can be asked for.
        t.keys(["7"])
        t.type("select 'there are ' || count(*) as n from run")
        t.keys(["Enter"])
        if not any("there are %d" % (n + 1) in line for line in t.screen()):
            raise Trouble("there are %d runs:\n%s" % (n + 1, "\n".join(t.screen())))
    finally:
        t.close()


def main():
    passed = failed = 0
    socket = "storm-%d" % os.getpid()
    os.chdir(ROOT)
    for test in (resizes, growing):
        scratch = tempfile.mkdtemp(prefix="storm-")
        try:
            test(scratch, socket)
            passed += 1
        except (Trouble, subprocess.CalledProcessError) as e:
            print("%s\nFAILED %s" % (e, test.__name__))
            failed += 1
        finally:
            Server.end(socket)
            shutil.rmtree(scratch, ignore_errors=True)
    print("storms: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares what tprof-path --what-if predicts with programs that were changed in that way.

    python3 testdata/check/whatif.py BIN_FOLDER GO

Each program is built as it is and with one step shorter, and both record themselves ROUNDS times in turn. The
prediction, from a trace of the program as it is, has to be within 5 % of what the changed one takes, for at least four of
the five; of each the median of all rounds counts. What makes the cases differ (their premises) is in the head of each
program. On a busy machine, PREFIX='chrt -f 10' gives the programs the processors they need. Says how far a guess from the share of the path would be off; for two at least by more than 5 %, or the cases are too easy."""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 10
MOST = 0.05
# Program; which of which tasks, the run without; what becomes shorter; the text in its source before and after.
# Premises, in ms of the program's own clock:
#   relay     one chain, and nothing beside it: 15 - 2 = 13
#   convoy    arrivals by a timer, which does not move; then each clerk waits for the one before: 8 * 5, then 8 * 3
#   pool      the checkout comes by a timer 2 after the report has taken the connection: 38, then 18
#   twins     a chain of 18 that does not end the wait, beside one of 20, then 10: 18
#   kitchen   the cook, then the waiter is the slowest stage: 12 * 6 + 4, then 3 + 12 * 4
CASES = [
    ("relay", 0, "relay", "main.fourth -50%", "run(4 * time.Millisecond)", "run(2 * time.Millisecond)"),
    ("convoy", None, "", "ledger.*write -40%", "Sleep(5 * time.Millisecond)", "Sleep(3 * time.Millisecond)"),
    ("pool", 10, "checkout", "main.disk.flush -50%", "int64(40 * time", "int64(20 * time"),
    ("twins", 0, "pair", "main.elder -50%", "Sleep(20 *", "Sleep(10 *"),
    ("kitchen", 0, "dinner", "main.cook -50%", "Sleep(6 * time.Millisecond)", "Sleep(3 * time.Millisecond)"),
]


def ask(bin_folder, *words):
    run = subprocess.run([bin_folder + "/tprof-path", "--format=json", "-n", "0", *words], capture_output=True)
    if run.returncode == 3 and b"--what-if: nothing" in run.stderr:
        return None
    if run.returncode:
        sys.exit("FAILED tprof-path %s: %s" % (" ".join(words), run.stderr.decode()))
    return json.loads(run.stdout)


def build(go, source, folder):
    program = os.path.join(folder, "program")
    os.mkdir(folder)
    with open(program + ".go", "w") as f:
        f.write(source)
    subprocess.run([go, "build", "-o", program, program + ".go"], check=True, env={**os.environ, "GOTOOLCHAIN": "local"})
    return program


def pick(bin_folder, trace, nth, task):
    """Returns the options that name the request, and how long it takes."""
    rows = ask(bin_folder, trace, "requests", *(["--task=" + task] if task else []))
    row = sorted(rows, key=lambda r: r["id"] or 0)[nth or 0]
    return ["--task=%d" % row["id"]] if task else [], row["total_ns"]


def case(bin_folder, go, tmp, name, nth, task, what, before, after):
    with open("testdata/programs/%s.go" % name) as f:
        source = f.read()
    if source.count(before) != 1:
        sys.exit("FAILED %s.go does not have %s once" % (name, before))
    programs = [build(go, text, os.path.join(tmp, name + end))
                for text, end in ((source, "-old"), (source.replace(before, after), "-new"))]
    regex, share = what.rsplit(" -", 1)
    old, predicted, guessed, real = [], [], [], []
    for _ in range(ROUNDS):
        traces = [program + ".trace" for program in programs]
        for program, trace in zip(programs, traces):
            subprocess.run([*os.environ.get("PREFIX", "").split(), program, "-o", trace], check=True)
        options, ns = pick(bin_folder, traces[0], nth, task)
        rows = ask(bin_folder, "--what-if=" + what, traces[0], *options)
        # On a busy machine, a request may come too early or too late to depend on the step.
        if not rows:
            rows = [{"stack": "", "before_ns": ns, "total_ns": ns}]
        named = sum(r["before_ns"] for r in rows if re.search(regex, r["stack"] or ""))
        old.append(ns)
        predicted.append(sum(r["total_ns"] for r in rows))
        guessed.append(ns - named * float(share[:-1]) / 100)
        real.append(pick(bin_folder, traces[1], nth, task)[1])
    old, predicted, guessed, real = (statistics.median(x) / 1e6 for x in (old, predicted, guessed, real))
    off, far = predicted / real - 1, guessed / real - 1
    print("%-8s %-22s %6.2f ms, predicted %6.2f, is %6.2f: %+.1f %%; by share of the path %+.1f %%"
          % (name, what, old, predicted, real, 100 * off, 100 * far), flush=True)
    return abs(off) <= MOST, abs(far) <= MOST


def main():
    bin_folder, go = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as tmp:
        results = [case(bin_folder, go, tmp, *c) for c in CASES]
    right, naive = (sum(r[i] for r in results) for i in (0, 1))
    ok = right >= len(CASES) - 1 and naive <= len(CASES) - 2
    print("%d of %d predictions within %d %%; of those by share %d" % (right, len(CASES), 100 * MOST, naive))
    print("what-if: %d passed, %d failed" % (right, 0 if ok else len(CASES) - right or 1))
    sys.exit(not ok)


main()

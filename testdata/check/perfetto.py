"""tprof-export --format=perfetto against the rules of the format, and against Go's own viewer.

    python3 testdata/check/perfetto.py BIN_FOLDER [TRACE ...]

The rules are those of "Trace Event Format" (Google): required members by phase, types, pairs of
asynchronous events and of flows, slices of a thread that nest, frames that lead to a root. Where
${PEERS:-~/.cache/tprof-peers}/bin/gotrace is there, the slices of Ps (name, processor, begin,
length) are compared with those of its /jsontrace, and Perfetto's trace_processor_shell loads the
result where that is installed. Traces are those of testdata, and of ${CORPUS:-../shared/corpus}
where that is there. Of time ranges, what goroutines did has to add up as tprof-top has it.
"""
import collections
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PEERS = os.environ.get("PEERS") or os.path.expanduser("~/.cache/tprof-peers")
GOTRACE = PEERS + "/bin/gotrace"
CORPUS = os.environ.get("CORPUS") or "../shared/corpus"
NEEDS = {
    "X": {"name": str, "dur": (int, float)},
    "i": {"name": str, "s": str},
    "C": {"name": str, "args": dict},
    "M": {"name": str, "args": dict},
    "b": {"name": str, "cat": str, "id": int},
    "e": {"name": str, "cat": str, "id": int},
    "s": {"name": str, "cat": str, "id": int},
    "f": {"name": str, "cat": str, "id": int, "bp": str},
}


def member(e, key, kind):
    if key not in e or not isinstance(e[key], kind) or isinstance(e[key], bool):
        raise ValueError("%s is missing or of the wrong type: %s" % (key, e))


def nests(slices):
    """Slices of a thread, in ns, lie within one another or apart."""
    open_ = []
    for begin, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_ and open_[-1][0] <= begin:
            open_.pop()
        if open_ and end > open_[-1][0]:
            raise ValueError("%s [%d, %d) sticks out of %s, which ends at %d"
                             % (name, begin, end, open_[-1][1], open_[-1][0]))
        if end > begin:
            open_.append((end, name))


def check_stacks(d):
    """A slice of a goroutine does not repeat the stack of the slice directly before it."""
    last = {}
    for e in d["traceEvents"]:
        if e["ph"] == "X" and e.get("cat") == "state":
            key = e["pid"], e["tid"]
            if "sf" in e and e["sf"] == last.get(key):
                raise ValueError("a stack is repeated: %s" % e)
            if "sf" in e or e["name"] == "running":
                last[key] = e.get("sf")


def check(d):
    if d["displayTimeUnit"] not in ("ms", "ns"):
        raise ValueError("displayTimeUnit")
    threads, pairs, named = collections.defaultdict(list), collections.defaultdict(list), set()
    for e in d["traceEvents"]:
        member(e, "ph", str)
        for key, kind in NEEDS[e["ph"]].items():
            member(e, key, kind)
        for key in ("pid", "tid"):
            member(e, key, int)
        if e["ph"] == "M":
            named.add((e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else 0))
            continue
        member(e, "ts", (int, float))
        if e["ts"] < 0 or e.get("dur", 0) < 0:
            raise ValueError("before the beginning: %s" % e)
        for key in ("sf", "esf"):
            if key in e and str(e[key]) not in d["stackFrames"]:
                raise ValueError("no such frame: %s" % e)
        if e["ph"] == "X":
            begin = round(e["ts"] * 1000)
            threads[e["pid"], e["tid"]].append((begin, begin + round(e["dur"] * 1000), e["name"]))
        elif e["ph"] in "besf":
            pairs["be" if e["ph"] in "be" else "sf", e["cat"], e["id"]].append((e["ph"], e["ts"]))
        elif e["ph"] == "C" and not all(isinstance(v, int) and v >= 0 for v in e["args"].values()):
            raise ValueError("no counter: %s" % e)
    for key, slices in threads.items():
        if ("thread_name",) + key not in named or ("process_name", key[0], 0) not in named:
            raise ValueError("no name for %s" % (key,))
        nests(slices)
    for key, p in pairs.items():
        if len(p) != 2 or p[0][0] != key[0][0] or p[1][0] != key[0][1] or p[0][1] > p[1][1]:
            raise ValueError("no pair: %s %s" % (key, p))
    for f in d["stackFrames"].values():
        member(f, "name", str)
        if "parent" in f and str(f["parent"]) not in d["stackFrames"]:
            raise ValueError("no such frame: %s" % f)


def export(*args):
    r = subprocess.run([BIN + "/tprof-export", "--format=perfetto", *args], capture_output=True)
    if r.returncode:
        raise ValueError(r.stderr.decode())
    return json.loads(r.stdout)


def ours(d):
    # One that blocks for ever is the same goroutine in both; ours are named by what they began with.
    return collections.Counter(
        (re.sub(r"^(G\d+).*", r"\1", e["name"]), e["tid"], round(e["ts"] * 1000), round(e["dur"] * 1000))
        for e in d["traceEvents"] if e["ph"] == "X" and e["pid"] == 1)


def theirs(trace):
    server = subprocess.Popen([GOTRACE, "-http=127.0.0.1:0", trace], stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            m = re.search(r"http://([0-9.:]+)", line)
            if m:
                break
        else:
            return None
        for _ in range(600):
            try:
                d = json.load(urllib.request.urlopen("http://%s/jsontrace?view=proc" % m[1]))
                break
            except OSError:
                time.sleep(0.1)
        return collections.Counter(
            (re.sub(r"^(G\d+).*", r"\1", e.get("name", "")), e["tid"], round(e["ts"] * 1000),
             round(e.get("dur", 0) * 1000))
            for e in d["traceEvents"] if e["ph"] == "X" and e["pid"] == 0)
    finally:
        server.kill()
        server.wait()


def times(part, trace):
    """What goroutines did in a part of a trace, in ns: ours, and tprof-top's."""
    ours = collections.defaultdict(collections.Counter)
    called = {}
    events = export(*part, trace)["traceEvents"]
    for e in events:  # a thread is called "G17/2 main.f"
        if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 2:
            called[e["tid"]] = e["args"]["name"].split()[0][1:]
    for e in events:
        if e["ph"] == "X" and e["pid"] == 2:
            ours[called[e["tid"]]][e["name"].split()[0]] += round(e["dur"] * 1000)
    r = subprocess.run([BIN + "/tprof-top", "--format=csv", "-n", "0", *part, trace, "goroutines"],
                       capture_output=True, text=True)
    top = {}
    for row in csv.DictReader(r.stdout.splitlines()):
        ns = {k[:-3]: int(v) for k, v in row.items() if k.endswith("_ns") and v}
        top[row["goroutine"]] = {"running": ns["running"], "runnable": ns["runnable"], "blocked": ns["blocked"],
                                      "syscall": ns["syscall"] + ns["syscall_blocked"]}
    return ours, top


def check_times(part, trace):
    ours, top = times(part, trace)
    for g, was in top.items():
        for state, ns in was.items():
            # One that has blocked for ever has ended for tprof-top. Each slice is rounded.
            more = ours[g][state] - ns
            if more < -10 or (more > 10 and state != "blocked"):
                raise ValueError("%s: G%s is %dns %s, and for tprof-top %dns" % (part, g, ours[g][state], state, ns))


def one(trace, whole):
    d = export(trace)
    check(d)
    check_stacks(d)
    for part in (["--from=20%", "--to=60%"], ["--from=99%"], ["--from=50%", "--to=50.01%", "--goroutine=main"]):
        try:
            check(export(*part, trace))
        except ValueError as e:
            if "nothing matches --goroutine" not in str(e) and "range" not in str(e):
                raise
    for part in (["--to=50%"], ["--from=20%", "--to=60%"]) if whole else ():
        check_times(part, trace)
    if os.access(GOTRACE, os.X_OK):
        a, b = ours(d), theirs(trace)
        # The last moment of hand-made traces is a mark of theirs that ours do not count.
        if sum(a.values()) < 5:
            return
        # Where an old trace lets two goroutines have one P, ours end the first; Go's overlap.
        few = 0 if re.match(rb"go 1\.2[2-9]", open(trace, "rb").read(8)) else 4 + sum(a.values()) // 1000
        if b and max(sum((a - b).values()), sum((b - a).values())) > few:
            raise ValueError("%d slices, %d of them not Go's: %s; %d of Go's not: %s" % (
                sum(a.values()), sum((a - b).values()), list((a - b))[:3], sum((b - a).values()), list((b - a))[:3]))
    if shutil.which("trace_processor_shell"):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(d, f)
            f.flush()
            subprocess.run(["trace_processor_shell", "-Q", "SELECT count(*) FROM slice", f.name],
                           check=True, stdout=subprocess.DEVNULL)


def main():
    traces = sys.argv[2:] or sorted(glob.glob("testdata/*.trace") + glob.glob("testdata/corpus/traces/*.trace")
                                    + glob.glob(CORPUS + "/traces/*.trace"))
    failed = 0
    for trace in traces:
        if not open(trace, "rb").read(16).startswith(b"go 1."):
            continue
        sql = "SELECT inferred + (SELECT count(*) FROM loss) FROM run"
        r = subprocess.run([BIN + "/tprof-query", "--format=csv", trace, sql], capture_output=True, text=True)
        try:
            one(trace, r.stdout.split("\n")[1:2] == ["0"])
        except ValueError as e:
            failed += 1
            print("%s: %s" % (trace, e))
    print("perfetto: %d traces, %d failed" % (len(traces), failed))
    return failed != 0


BIN = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as scratch:
    os.environ["XDG_CACHE_HOME"] = scratch
    sys.exit(main())

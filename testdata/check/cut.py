"""Cuts of traces against Go's own reader: tprof-export --format=trace.

    python3 testdata/check/cut.py BIN_FOLDER [SEED [TRACE ...]]

Every trace is cut whole, to random ranges of time, and to random goroutines. Go's reader must take
every cut; its events must be those it delivers for the original in that range, with their context
(threads, Ps and goroutines of traces up to go 1.21, which that reader makes up, aside), and what
goroutines did must add up as tprof-top has it for that range of the original.

The reader is ${PEERS:-~/.cache/tprof-peers}/bin/oracle; traces are those of testdata and of
${CORPUS:-../shared/corpus}. Does nothing where the reader is missing.
"""
import collections
import csv
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PEERS = os.environ.get("PEERS") or os.path.expanduser("~/.cache/tprof-peers")
ORACLE = PEERS + "/bin/oracle"
CORPUS = os.environ.get("CORPUS") or "../shared/corpus"
SAME = re.compile(r"(G|P) \d+ (\w+)->(\w+) ")
# Told late where nobody ran when the range began.
LATE = ("TaskBegin", "Metric")


def tool(name, *args):
    return subprocess.run([BIN + "/" + name, *args], capture_output=True, text=True)


def read(path):
    """Events as (time, fields), and the reader's error or None."""
    text = subprocess.run([ORACLE, "log", path], capture_output=True).stdout.decode("utf-8", "replace")
    lines = text.split("\n")[:-1]
    error = lines.pop() if lines and lines[-1].startswith("error:") else None
    events = []
    for line in lines:
        f = line.split("\t")
        if len(f) == 7:
            events.append((int(f[0]), tuple(f[1:])))
    return events, error


def is_status(f):
    m = SAME.match(f[4]) if f[3] == "StateTransition" else None
    return f[3] in ("Sync", "RangeActive") or bool(m) and (
        m[2] in (m[3], "Undetermined") or (m[1], m[2]) == ("P", "NotExist"))


def told(events, low, high, old):
    """What a cut has to repeat."""
    out = []
    for t, f in events:
        if low <= t < high and not is_status(f):
            if old:  # no parent is 0 or -1 where a task ends
                f = f[3:]
                if f[0] == "TaskEnd":
                    f = (f[0], re.sub(r"^(\d+) (0|18446744073709551615) ", r"\1 - ", f[1]), f[2])
            out.append((t, f))
    return out


def times(args):
    rows = csv.DictReader(tool("tprof-top", "--format=csv", "-n", "0", *args).stdout.splitlines())
    keys = ("running_ns", "runnable_ns", "blocked_ns", "syscall_ns", "syscall_blocked_ns")
    out = {}
    for r in rows:  # 17/1 and 17/2 may be 17 alone in a part
        g = r["goroutine"].split("/")[0]
        out[g] = [a + int(r[k] or 0) for a, k in zip(out.get(g, [0] * len(keys)), keys)]
    return {g: t[:3] + [t[3] + t[4]] for g, t in out.items()}


def check_times(trace, a, b, lead):
    was = times(["--from=%dns" % a, "--to=%dns" % b, trace, "goroutines"])
    now = times([CUT, "goroutines"])
    # One that has blocked for ever has ended for tprof-top; nothing in a cut says so.
    more = [g for g in now.keys() - was.keys() if any(now[g][:2] + now[g][3:])]
    if was.keys() - now.keys() or more:
        return "goroutines %s and %s" % (sorted(was.keys() - now.keys())[:5], more[:5])
    for g in was:
        # A call without a P is one by the rule of Go's summary until something is told of it.
        if any(abs(x - y) > lead for x, y in zip(was[g], now[g])):
            return "goroutine %s spent %s, and in the cut %s" % (g, was[g], now[g])
    return None


def check_range(trace, whole, version, a, b):
    """None, or what is wrong."""
    r = tool("tprof-export", "--format=trace", "--from=%dns" % a, "--to=%dns" % b, "-o", CUT, trace)
    if r.returncode:
        return r.stderr
    events, error = read(CUT)
    if error:
        return error
    if not whole:
        return None
    old = version < 22
    base = whole[0][0] + old
    shift = re.search(r"later by (\d+)ns", r.stderr)
    shift = int(shift[1]) if shift else 0
    want = told(whole, base + a, base + b, old)
    have = told([(t - shift, f) for t, f in events], base + a, 1 << 63, old)
    if old:
        want, have = [f for _, f in want], [f for _, f in have]
    missing, extra = collections.Counter(want), collections.Counter(have)
    missing, extra = missing - extra, extra - missing
    if not old:
        extra = [e for e in extra if e[1][3] not in LATE]
    else:
        extra = [e for e in extra if e[0] not in LATE and e[0] != "RangeBegin"]
    left = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) events were left out", r.stderr))
    if sum(missing.values()) > left:
        return "%d of %d events are missing: %s" % (sum(missing.values()), len(want), list(missing)[:1])
    if len(extra) > 0 and not re.search("were added|was added", r.stderr):
        return "%d events too many: %s" % (len(extra), extra[:1])
    # Hand-made traces end before they have told what there is.
    return None if old or len(whole) < 200 else check_times(trace, a, b, 2 * len(events) if len(events) < 100 else 5000)


def check_goroutines(trace):
    rows = tool("tprof-query", "--format=csv", trace, "SELECT goid || '/' || life FROM goroutine").stdout.split("\n")[1:-1]
    if not rows:
        return None
    for more in ([], ["--wakers"], ["--wakers", "--from=30%", "--to=70%"]):
        some = "--goroutine=" + random.choice(rows)
        r = tool("tprof-export", "--format=trace", some, *more, "-o", CUT, trace)
        if r.returncode:
            return r.stderr
        error = read(CUT)[1]
        if error:
            return "%s %s: %s" % (some, more, error)
    return None


def check(trace):
    head = re.match(rb"go 1\.(\d+) trace", open(trace, "rb").read(16))
    if not head:
        return None
    whole, error = read(trace)
    sql = "SELECT duration_ns, inferred + (SELECT count(*) FROM loss) FROM run"
    info = tool("tprof-query", "--format=csv", trace, sql).stdout.split("\n")
    duration, damage = map(int, info[1].split(",")) if len(info) > 1 and info[1] else (0, 0)
    if error or damage:
        whole = None
    if duration < 2:
        return None
    for k in range(RANGES):
        a, b = sorted(random.sample(range(duration), 2)) if k else (0, duration)
        a = 0 if k == 1 else a  # what is told after b is so from the beginning on
        wrong = check_range(trace, whole, int(head[1]), a, b)
        if wrong:
            return "from %dns to %dns: %s" % (a, b, wrong)
    return check_goroutines(trace)


def main():
    traces = sys.argv[3:] or sorted(glob.glob("testdata/*.trace") + glob.glob("testdata/corpus/traces/*.trace")
                                    + glob.glob(CORPUS + "/traces/*.trace") + glob.glob(CORPUS + "/broken/*.trace"))
    failed = 0
    for trace in traces:
        wrong = check(trace)
        if wrong:
            failed += 1
            print("%s: %s" % (trace, wrong.strip()))
    print("cuts: %d traces, %d failed" % (len(traces), failed))
    return failed != 0


if not os.access(ORACLE, os.X_OK):
    print("cuts: no peer, nothing compared")
    sys.exit(0)
BIN = os.path.abspath(sys.argv[1])
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
RANGES = int(os.environ.get("RANGES", "3"))
with tempfile.TemporaryDirectory() as scratch:
    CUT = scratch + "/cut.trace"
    os.environ["XDG_CACHE_HOME"] = scratch
    sys.exit(main())

#!/usr/bin/env python3
"""Compares tprof-path with a slow reference: the rule of path.h over plain rows of spans from SQL.

    python3 testdata/check/path.py BIN_FOLDER [TRACE_OR_STORE...]    the sample data unless given
                                                                     LIMIT=10 requests of each kind

The reference goes by time and recursion where tprof-path goes by the order of events, segments and a
stack of its own. Rows of hops must be equal: when, how long, which goroutine, what, how deep. Where
several things happen in the same tick (traces up to go 1.21), time cannot say which came first: such
requests are counted, not compared.
"""
import bisect
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.setrecursionlimit(1000000)
bin_folder, paths = sys.argv[1], sys.argv[2:]
LIMIT = int(os.environ.get("LIMIT", "10"))
if not paths:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    names = ["checkout", "checkout-1.19", "relay", "convoy", "pool", "counter-1.5"]
    paths = [here + "/" + n + ".trace" for n in names] + sorted(glob.glob(here + "/corpus/*/*.trace"))
DEPTH = 64

KINDS = {"Running": "running", "Runnable": "runnable", "Syscall": "syscall", "SyscallBlocked": "syscall", "Lost": "lost"}


# Of a stack from the leaf: what carries out a wake-up, then a function of Go's that closes, stops or
# gives a deadline. Nothing else at the leaf ends a wait for the network or a sleep.
ENDS = re.compile(r"((runtime\.(netpoll|goready|ready|systemstack)[^;]*);)*"
                  r"((internal/poll|net|os|time)\.|runtime\.poll_)([^;]*\.)?"
                  r"([cC]lose|[eE]vict|[sS]et(Read|Write)?Deadline(Impl)?|(poll_)?runtime_poll(Unblock|SetDeadline)"
                  r"|Stop|Reset|stopTimer|resetTimer)(;|$)")


class Tie(Exception):
    pass


def query(store, sql):
    out = subprocess.run([bin_folder + "/tprof-query", "--format=json", store, sql], check=True, capture_output=True)
    return json.loads(out.stdout)


class Run:
    def __init__(self, store):
        self.store = store
        self.duration = query(store, "SELECT duration_ns FROM run ORDER BY id DESC LIMIT 1")[0]["duration_ns"]
        self.spans, self.starts, self.info, self.called = {}, {}, {}, {}
        for g in query(store, "SELECT id, goid, life, name, parent, created_ns, ended_ns FROM goroutine"):
            self.info[g["id"]] = g
            self.called["%d/%d" % (g["goid"], g["life"])] = g["id"]
        for s in query(store, "SELECT goroutine, state, start_ns, end_ns, reason, waker, open, "
                              "iif(reason IN ('network', 'sleep'), stack_text(run, waker_stack), '') AS woken_in FROM span"):
            self.spans.setdefault(s["goroutine"], []).append(s)
        for g, spans in self.spans.items():
            spans.sort(key=lambda s: (s["start_ns"], s["end_ns"]))
            self.starts[g] = [s["start_ns"] for s in spans]

    def before(self, g, t):
        """Index of the last span of g that begins before t, or -1."""
        return bisect.bisect_left(self.starts.get(g, []), t) - 1

    def outside(self, g, reason, waker):
        name = self.info[g]["name"] or ""
        if reason.startswith("network"):
            return "network"
        if reason.startswith("sleep") or (waker is not None and self.info[waker]["name"] == "runtime.timerproc"):
            return "timer"
        if reason.startswith("GC ") or reason.startswith("wait until GC") or name.startswith(("runtime.gc", "runtime.bg")):
            return "collector"
        return "outside"

    def ended(self, s):
        """Did the waker of the wait s end it? Else it was there when the poller or a timer did."""
        if (self.info[s["waker"]]["name"] or "") == "runtime.timerproc":
            return False
        return not s["reason"].startswith(("network", "sleep")) or bool(ENDS.match(s["woken_in"] or ""))

    def acts(self, g, t):
        """Is g able to do something at t?"""
        i = self.before(g, t)
        if i + 1 < len(self.starts.get(g, [])) and self.starts[g][i + 1] == t:
            raise Tie
        return i >= 0 and self.spans[g][i]["end_ns"] >= t and self.spans[g][i]["state"] not in ("Waiting", "Runnable")

    def explain(self, g, low, t, depth, hops):
        """What g did from t back to low, and those who did it for g."""
        while t > low:
            i = self.before(g, t)
            if i < 0:
                parent = self.info[g]["parent"]
                first = self.spans[g][0] if g in self.spans else None
                if parent is not None and first and self.info[g]["created_ns"] == first["start_ns"] == t and self.acts(parent, t):
                    g = parent
                    continue
                hops.append((low, t, g, "unseen", depth))
                return
            s = self.spans[g][i]
            if s["end_ns"] == s["start_ns"]:
                raise Tie
            if s["end_ns"] < t:
                start = max(s["end_ns"], low)
                hops.append((start, t, g, "unseen", depth))
                t = start
                continue
            start = max(s["start_ns"], low)
            if s["state"] == "Waiting":
                if s["end_ns"] > t or s["open"]:
                    kind = "unfinished"
                elif s["waker"] is not None and s["waker"] != g and self.ended(s) and self.acts(s["waker"], t):
                    self.explain(s["waker"], start, t, depth + 1, hops)
                    t = start
                    continue
                else:
                    kind = self.outside(g, s["reason"], s["waker"] if s["waker"] != g else None)
            else:
                kind = KINDS[s["state"]]
            hops.append((start, t, g, kind, depth))
            t = start


def normal(hops):
    """Neighbours that are the same are one; nothing of no length."""
    out = []
    for h in hops:
        if h[0] == h[1]:
            continue
        if out and out[-1][2:] == h[2:] and out[-1][1] == h[0]:
            out[-1] = (out[-1][0], h[1]) + h[2:]
        else:
            out.append(h)
    return out


def ours(run, *options):
    out = subprocess.run([bin_folder + "/tprof-path", "--format=json", "-n", "0", *options, run.store, "hops"], capture_output=True)
    if out.returncode:
        raise SystemExit("tprof-path %s: %s" % (" ".join(options), out.stderr.decode()))
    rows = json.loads(out.stdout)
    return normal([(r["from_ns"], r["from_ns"] + r["total_ns"], run.called.get(r["goroutine"], r["goroutine"]), r["kind"], r["depth"]) for r in rows])


def requests(run):
    ends = {e["task"]: e["goroutine"] for e in query(run.store, "SELECT arg0 AS task, goroutine FROM event WHERE type = 'UserTaskEnd'")}
    tasks = query(run.store, "SELECT id, start_ns, end_ns FROM task WHERE end_ns IS NOT NULL ORDER BY end_ns - coalesce(start_ns, 0) DESC")
    step = max(1, len(tasks) // LIMIT)
    for t in tasks[::step][:LIMIT]:
        g = ends.get(t["id"])
        if g is not None and g in run.spans:
            yield ["--task=%d" % t["id"]], g, t["start_ns"] or 0, t["end_ns"]
    all_g = sorted(run.spans)
    step = max(1, len(all_g) // LIMIT)
    for g in all_g[::step][: 2 * LIMIT]:
        info, last = run.info[g], run.spans[g][-1]
        end = info["ended_ns"]
        if end is None:
            end = last["start_ns"] if last["open"] and last["state"] == "Waiting" else run.duration
        yield ["--goroutine=%d/%d" % (info["goid"], info["life"])], g, info["created_ns"], end


def check(path):
    compared = ties = hops = 0
    with tempfile.TemporaryDirectory() as folder:
        store = path
        if not path.endswith(".tprof"):
            store = folder + "/run.tprof"
            subprocess.run([bin_folder + "/tprof-import", "-o", store, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run = Run(store)
        for options, g, begin, end in requests(run):
            want = []
            try:
                run.explain(g, begin, end, 0, want)
            except Tie:
                ties += 1
                continue
            want = normal([h[:4] + (min(h[4], DEPTH),) for h in reversed(want)])
            got = ours(run, *options)
            if got != want:
                for i in range(max(len(got), len(want))):
                    a, b = got[i] if i < len(got) else None, want[i] if i < len(want) else None
                    if a != b:
                        print("%s %s: hop %d is %s, should be %s" % (path, options[0], i, a, b))
                        break
                return False
            compared += 1
            hops += len(want)
    print("%s: %d requests of %d hops equal, %d with ties" % (path, compared, hops, ties))
    return True


results = [check(p) for p in paths]
print("paths: %d passed, %d failed" % (results.count(True), results.count(False)))
sys.exit(0 if all(results) else 1)

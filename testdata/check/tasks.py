#!/usr/bin/env python3
"""Compares what is said of user tasks with a slow reference: the rule of task/workers.h over plain rows from SQL.

    python3 testdata/check/tasks.py BIN_FOLDER [CORPUS]              every trace with tasks of the sample data and of a
                                                                     corpus (../shared/corpus unless given)
    python3 testdata/check/tasks.py BIN_FOLDER --only TRACE...       these traces

There are two sums. Where a latency is explained (the report task, tprof-path), each moment goes to one, and the
parts add up to the latency. Where time is counted (breakdown, block, views, diffs, exports), every goroutine that
works for the tasks counts, and the parts add up to what its spans have in the reference's intervals.
"""
import bisect
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

bin_folder = sys.argv[1]
TASKS = int(os.environ.get("TASKS", "6"))  # single tasks of each trace


class Wrong(Exception):
    pass


def run(command, *options):
    out = subprocess.run([bin_folder + "/" + command, *options], capture_output=True)
    if out.returncode:
        raise Wrong("%s %s: %s" % (command, " ".join(options), out.stderr.decode(errors="replace").strip()))
    return out.stdout.decode(errors="replace")


def query(store, sql):
    return json.loads(run("tprof-query", "--format=json", store, sql))


def table(command, *options):
    return list(csv.DictReader(io.StringIO(run(command, "--format=csv", "-n", "0", *options))))


def union(intervals):
    out = []
    for a, b in sorted(i for i in intervals if i[0] < i[1]):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


def without(interval, holes):
    """What is left of [a, b) outside the holes."""
    a, b = interval
    left = []
    for x, y in union(holes):
        if y <= a or x >= b:
            continue
        left.append((a, max(a, x)))
        a = max(a, y)
    return [i for i in left + [(a, b)] if i[0] < i[1]]


class Run:
    def __init__(self, store):
        self.store = store
        self.duration = query(store, "SELECT duration_ns FROM run")[0]["duration_ns"]
        self.task = {}
        for t in query(store, "SELECT id, parent, name, start_ns, end_ns, goroutine FROM task"):
            self.task.setdefault(t["id"], t)
        self.region = query(store, "SELECT name, task, goroutine, start_ns, end_ns FROM region")
        self.children, self.regions_of, self.entered, self.spans = {}, {}, {}, {}
        for t in self.task.values():
            if t["parent"] and t["parent"] != t["id"]:
                self.children.setdefault(t["parent"], []).append(t["id"])
        for r in self.region:
            self.regions_of.setdefault(r["task"], []).append(r)
            if r["task"] and r["start_ns"] is not None:
                self.entered.setdefault(r["goroutine"], []).append(r)
        for r in self.entered.values():
            r.sort(key=lambda r: r["start_ns"])
        wanted = {r["goroutine"] for r in self.region} | {t["goroutine"] for t in self.task.values()}
        for s in query(store, "SELECT goroutine, state, start_ns, end_ns, reason FROM span"):
            if s["goroutine"] in wanted:
                self.spans.setdefault(s["goroutine"], []).append(s)
        for g in self.spans.values():
            g.sort(key=lambda s: (s["start_ns"], s["end_ns"]))
        self.ends = {g: [s["end_ns"] for s in spans] for g, spans in self.spans.items()}

    def when(self, x):
        start, end = x["start_ns"], x["end_ns"]
        return (0 if start is None else start, self.duration if end is None else end)

    def below(self, ids):
        met, todo = set(), list(ids)
        while todo:
            t = todo.pop()
            if t not in met:
                met.add(t)
                todo.extend(self.children.get(t, []))
        return met

    def members(self, ids, region=None):
        """By goroutine, disjoint: when it works for one of these tasks."""
        out, met = {}, self.below(ids)
        for t in met:
            for r in self.regions_of.get(t, []):
                if r["goroutine"] is not None and (region is None or r["name"] == region):
                    out.setdefault(r["goroutine"], []).append(self.when(r))
            g = self.task[t]["goroutine"]
            if g is None or region is not None:
                continue
            a, b = self.when(self.task[t])
            rows = self.entered.get(g, [])
            first = bisect.bisect_left(rows, a, key=lambda r: r["start_ns"])
            last = bisect.bisect_left(rows, b, key=lambda r: r["start_ns"])
            holes = [self.when(r) for r in rows[first:last] if r["task"] not in met]
            out.setdefault(g, []).extend(without((a, b), holes))
        return {g: union(i) for g, i in out.items()}

    def pieces(self, members, a=0, b=None):
        """Spans of members, clipped: goroutine, state, reason, from, to."""
        for g, intervals in members.items():
            spans = self.spans.get(g, [])
            for x, y in intervals:
                x, y = max(x, a), y if b is None else min(y, b)
                for i in range(bisect.bisect_right(self.ends.get(g, []), x), len(spans)):
                    s = spans[i]
                    if s["start_ns"] >= y:
                        break
                    yield g, s["state"], s["reason"] or "", max(x, s["start_ns"]), min(y, s["end_ns"])


STATES = {"Running": "running", "Runnable": "runnable", "Waiting": "blocked", "Syscall": "syscall", "SyscallBlocked": "syscall-blocked", "Lost": "lost"}


def added(pieces):
    out = {}
    for _, state, reason, a, b in pieces:
        key = (STATES[state], reason if state != "Lost" else "")
        out[key] = out.get(key, 0) + b - a
    return {k: v for k, v in out.items() if v}


def rows_of(rows):
    out = {}
    for r in rows:
        key = (r["state"], r["reason"])
        out[key] = out.get(key, 0) + int(r["total_ns"])
    return {k: v for k, v in out.items() if v}


def equal(what, got, want):
    if got != want:
        if isinstance(got, dict):
            keys = sorted(k for k in set(got) | set(want) if got.get(k, 0) != want.get(k, 0))
            got, want = {k: got.get(k, 0) for k in keys}, {k: want.get(k, 0) for k in keys}
        raise Wrong("%s: %s, should be %s" % (what, got, want))


VIEWS = {"offcpu": ("blocked",), "sched": ("runnable",), "syscall": ("syscall", "syscall-blocked"), "running": ("running",), "wall": tuple(STATES.values())}


def folded(text):
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


def check_sums(r, folder, options, want, whole):
    """All that counts time counts every member."""
    equal("breakdown " + options[0], rows_of(table("tprof-top", *options, r.store, "breakdown")), want)
    by_state = {}
    for (state, _), ns in want.items():
        by_state[state] = by_state.get(state, 0) + ns
    equal("block " + options[0], sum(int(x["total_ns"]) for x in table("tprof-top", *options, r.store, "block")), by_state.get("blocked", 0))
    for view, states in VIEWS.items() if whole else [("wall", VIEWS["wall"])]:
        total = sum(by_state.get(s, 0) for s in states)
        got = folded(run("tprof-flame", "--view=" + view, "--format=folded", *options, r.store))
        equal("tprof-flame --view=%s %s" % (view, options[0]), got, total)
    if whole:
        got = table("tprof-top", "--view=offcpu", "--show-from=.", *options, r.store)
        equal("tprof-top --view=offcpu " + options[0], sum(int(x["flat"]) for x in got), by_state.get("blocked", 0))
        out = folder + "/export.pb"
        run("tprof-export", "--format=pprof", "--view=offcpu", "-o", out, *options, r.store)
        equal("tprof-export --view=offcpu " + options[0], sum(int(x["flat"]) for x in table("tprof-top", out)), by_state.get("blocked", 0))


def check_latencies(r):
    """What explains a latency adds up to it; what nobody worked for is what no member has spans in."""
    for row in table("tprof-top", "--each", r.store, "task"):
        parts = sum(int(row[c]) for c in ("running_ns", "runnable_ns", "syscall_ns", "blocked_ns", "lost_ns", "nobody_ns"))
        equal("task %s" % row["id"], parts, int(row["latency_ns"]))
        t = r.task[int(row["id"])]
        a, b = r.when(t)
        if not t["id"] or t["goroutine"] is None and not r.regions_of.get(t["id"]):
            continue
        covered = union((x, y) for _, _, _, x, y in r.pieces(r.members([t["id"]]), a, b))
        equal("task %s: nobody's" % row["id"], int(row["nobody_ns"]), b - a - sum(y - x for x, y in covered))


def check_path(r, options):
    out = subprocess.run([bin_folder + "/tprof-path", "--format=csv", "-n", "0", *options, r.store, "totals"], capture_output=True)
    if out.returncode:  # none is complete
        return
    totals = csv.DictReader(io.StringIO(out.stdout.decode(errors="replace")))
    requests = table("tprof-path", *options, r.store, "requests")
    equal("tprof-path " + options[0], sum(int(x["total_ns"]) for x in totals), sum(int(x["total_ns"]) for x in requests))


def check(path):
    """How many selections were compared; 0: the trace has no tasks."""
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        store = folder + "/run.tprof"
        done = subprocess.run([bin_folder + "/tprof-import", "-o", store, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode or query(store, "SELECT count(*) AS n FROM task WHERE id <> 0")[0]["n"] == 0:
            return 0
        r = Run(store)
        picks = {}
        for t in r.task.values():
            if t["id"] and t["name"]:
                picks.setdefault("^%s$" % re.escape(t["name"]), []).append(t["id"])
        whole = len(picks)
        slow = sorted((t for t in r.task.values() if t["id"]), key=lambda t: (r.when(t)[0] - r.when(t)[1], t["id"]))
        for t in slow[:: max(1, len(slow) // TASKS)][:TASKS]:
            picks[str(t["id"])] = [t["id"]]
        check_latencies(r)
        for i, (text, ids) in enumerate(picks.items()):
            members = r.members(ids)
            check_sums(r, folder, ["--task=" + text], added(r.pieces(members)), i < whole)
            check_path(r, ["--task=" + text])
            compared += 1
        for name in sorted({x["name"] for x in r.region if x["name"]}):
            members = {}
            for x in r.region:
                if x["name"] == name and x["goroutine"] is not None:
                    members.setdefault(x["goroutine"], []).append(r.when(x))
            members = {g: union(i) for g, i in members.items()}
            option = "--region=^%s$" % re.escape(name)
            check_sums(r, folder, [option], added(r.pieces(members)), False)
            compared += 1
            for text, ids in list(picks.items())[:whole]:
                want = added(r.pieces(r.members(ids, name)))
                equal("breakdown %s --task=%s" % (option, text), rows_of(table("tprof-top", option, "--task=" + text, store, "breakdown")), want)
    return compared


def main():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[2:3] == ["--only"]:
        paths = sys.argv[3:]
    else:
        corpus = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(here), "../shared/corpus")
        paths = sorted(glob.glob(here + "/*.trace") + glob.glob(here + "/inbox/*.trace") + glob.glob(here + "/corpus/*/*.trace"))
        paths += sorted(glob.glob(corpus + "/traces/*.trace") + glob.glob(corpus + "/service/captures/*/trace.zst"))
    compared = traces = failed = 0
    for path in paths:
        try:
            n = check(path)
            compared += n
            traces += n > 0
        except Wrong as wrong:
            print("FAILED %s: %s" % (path, wrong))
            failed += 1
    print("tasks: %d selections of %d traces add up, %d traces failed" % (compared, traces, failed))
    sys.exit(1 if failed or not compared else 0)


main()

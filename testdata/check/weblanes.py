#!/usr/bin/env python3
"""Compares the timeline of tprof-web with tprof-top: the time by state of goroutines and groups in some ranges, and
the shares of their pictures. Wrong questions get an answer of 4xx with a sentence.

    python3 testdata/check/weblanes.py build/out/bin [TRACE…]"""

import http.cookiejar
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

SHOWN = ("running", "runnable", "syscall", "blocked", "lost")


class Server:
    def __init__(self, bin, trace):
        self.process = subprocess.Popen([bin + "/tprof-web", "--no-open", trace], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        address = next(filter(None, (re.search(r"(http://[^/]+)\S*", line) for line in self.process.stdout)))
        self.base = address.group(1)
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.opener.open(address.group(0).split("#")[0]).read()

    def get(self, path, **params):
        return self.opener.open(self.base + path + "?" + urllib.parse.urlencode(params)).read()

    def lanes(self, what, **params):
        return json.loads(self.get("/lanes/" + what, **params))

    def picture(self, **params):
        data = self.get("/lanes/cells", **params)
        size = int.from_bytes(data[:4], "little")
        head = json.loads(data[4:4 + size])
        return head, data[4 + size + 2 * head["cols"]:]

    def close(self):
        self.process.terminate()
        self.process.wait()


def top(bin, trace, report, begin, end):
    """Time by state as the timeline shows states, by goroutine or by group."""
    out = subprocess.run([bin + "/tprof-top", trace, report, "--format=json", "--rows=0", "--from=%dns" % begin,
                          "--to=%dns" % end], capture_output=True, text=True, check=True).stdout
    rows = json.loads(out)
    key = "goroutine" if report == "goroutines" else "function"
    return {str(r[key]): {"running": r["running_ns"], "runnable": r["runnable_ns"], "blocked": r["blocked_ns"],
                          "syscall": r["syscall_ns"] + r["syscall_blocked_ns"], "lost": r["lost_ns"]} for r in rows}


def check_range(s, bin, trace, begin, end):
    for kind, report in (("goroutines", "goroutines"), ("groups", "groups")):
        known = top(bin, trace, report, begin, end)
        head, cells = s.picture(kind=kind, rows=400, **{"from": begin}, step=end - begin, cols=1, lo=begin, hi=end)
        for i, row in enumerate(head["rows"]):
            name = row[2] if kind == "goroutines" else row[8]
            cell = s.lanes("moment", kind=kind, row=i, ns=begin, step=end - begin, lo=begin, hi=end)["cell"]
            want = known.get(name, dict.fromkeys(SHOWN, 0))
            have = {k: cell[k] for k in SHOWN}
            assert have == want, (trace, kind, name, begin, end, have, want)
            full = max(min(sum(want.values()), end - begin), want["running"] + want["runnable"] + want["syscall"], 1)
            for k, state in enumerate(SHOWN):
                share = min(255, want[state] / full * 255)
                assert abs(cells[8 * i + k] - share) <= 1.001, (trace, name, state, cells[8 * i + k], share)


def check_wrong(s):
    for path in ("nothing", "cells?step=0", "cells?cols=99999", "cells?rows=-1", "cells?kind=x", "cells?unfold=1,,2", "rows?id=x",
                 "cells?from=9999999999999999999", "moment?g=4294967294", "find?text=", "rows?run=77", "stacks?g=-1",
                 "find?text=%00", "cells?step=9223372036854775807", "rows?goroutine=(", "rows?task=nosuchtask"):
        try:
            s.opener.open(s.base + "/lanes/" + path)
        except urllib.error.HTTPError as e:
            assert 400 <= e.code < 500 and e.read().strip(), (path, e.code)
        else:
            raise AssertionError(path + " has an answer")


def check_added(bin, traces):
    """A run that is added to the store while it is served has a timeline, too."""
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "a.store")
        add = [bin + "/tprof-import", "-o", store]
        subprocess.run(add + traces[:1], check=True, capture_output=True)
        s = Server(bin, store)
        try:
            before = s.lanes("rows", run=1)
            subprocess.run(add + traces[1:2], check=True, capture_output=True)
            added = s.lanes("rows", run=2)
            assert added["duration"] != before["duration"], "run 2 has the timeline of run 1"
            assert s.lanes("rows", run=1) == before, "run 1 has changed"
        finally:
            s.close()
    print("a run that was added is shown")


def main():
    bin, traces = sys.argv[1], sys.argv[2:] or ["testdata/checkout.trace", "testdata/checkout-1.19.trace"]
    for trace in traces:
        s = Server(bin, trace)
        try:
            duration = s.lanes("rows")["duration"]
            random.seed(1)
            ranges = [(0, duration)] + [sorted(random.sample(range(duration), 2)) for _ in range(4)]
            for begin, end in ranges:
                check_range(s, bin, trace, begin, end)
            check_wrong(s)
        finally:
            s.close()
        print("%s: %d ranges agree" % (trace, len(ranges)))
    if len(traces) > 1:
        check_added(bin, traces)


main()

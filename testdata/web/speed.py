"""How fast tprof-web's page is, by Chromium's own trace: a table for BENCHMARKS.md. Beside it, where
gotrace is (~/.cache/tprof-peers/bin), the page of go tool trace on the same trace.

    BIN=FOLDER python3 speed.py TRACE… [OUT_FOLDER at the end]
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import page
from page import Page, Server

GOTRACE = os.path.expanduser("~/.cache/tprof-peers/bin/gotrace")
FRAMES = int(os.environ.get("FRAMES") or 240)
# Work of the main thread: script, style, layout, paint and what they call.
TASKS = {"RunTask"}


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def pss(pid):
    """PSS of a process in MiB."""
    with open("/proc/%d/smaps_rollup" % pid) as f:
        return int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M)[1]) / 1024


def descendants(pid):
    out = [pid]
    for at in out:
        try:
            for task in os.listdir("/proc/%d/task" % at):
                with open("/proc/%d/task/%s/children" % (at, task)) as f:
                    out += [int(n) for n in f.read().split()]
        except FileNotFoundError:
            pass
    return out


def renderers(b):
    out = []
    for pid in descendants(b.process.pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                if b"--type=renderer" in f.read():
                    out.append(pid)
        except FileNotFoundError:
            pass
    return out


def memory(b):
    """PSS of the heaviest renderer, which is the page's."""
    b.send("HeapProfiler.collectGarbage")
    time.sleep(0.5)
    return max(pss(pid) for pid in renderers(b))


class Traced:
    """Chromium's trace of what happens inside a with block."""

    def __init__(self, b):
        self.b = b

    def __enter__(self):
        session, self.b.session = self.b.session, None
        self.b.send("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]})
        self.b.session = session
        return self

    def __exit__(self, *_):
        session, self.b.session = self.b.session, None
        self.b.send("Tracing.end")
        self.b.session = session
        self.events = []
        while True:
            e = self.b.events.pop(0) if self.b.events else self.b.receive()
            if e.get("method") == "Tracing.dataCollected":
                self.events += e["params"]["value"]
            elif e.get("method") == "Tracing.tracingComplete":
                break

    def frames(self):
        """ms of work of the page's main thread from each commit of a frame to the next one, by the thread's own clock:
        other programs on the machine do not count."""
        commits = collections.Counter((e["pid"], e["tid"]) for e in self.events if e["name"] == "Commit" and e["ph"] in "XB")
        if not commits:
            return []
        main = commits.most_common(1)[0][0]
        own = [e for e in self.events if (e["pid"], e["tid"]) == main]
        begins = sorted(e["ts"] for e in own if e["name"] == "Commit" and e["ph"] in "XB")
        tasks = sorted((e["ts"], e.get("dur", 0), e.get("tdur", 0)) for e in own if e["name"] in TASKS)
        work = [0.0] * len(begins)
        at = 0
        for ts, dur, busy in tasks:
            while at + 1 < len(begins) and begins[at + 1] <= ts + dur:
                at += 1
            if begins and ts + dur >= begins[at]:
                work[at] += busy / 1000
        return [w for w in work if w > 0.1]


def move(b, x, y, r):
    """One movement: the wheel at a place, or a drag."""
    if r % 3 == 2:
        for kind, dx in (("mousePressed", 0), ("mouseMoved", -40), ("mouseMoved", -90), ("mouseReleased", -90)):
            b.send("Input.dispatchMouseEvent", type=kind, x=x + dx, y=y, button="left", buttons=1, clickCount=1)
    else:
        b.send("Input.dispatchMouseEvent", type="mouseWheel", x=x + r * 37 % 300 - 150, y=y, deltaX=0, deltaY=-160 if r // 40 % 2 == 0 else 160)


# Notes in `usable` when the timeline has drawn its first picture, in ms since the navigation began.
USABLE = """addEventListener('DOMContentLoaded', function look() {
    const {timeline} = document.querySelector('main') || {};
    if (timeline && timeline.data.picture) requestAnimationFrame(() => { window.usable = performance.now(); });
    else setTimeout(look, 4);
})"""


def measure(out, trace):
    b = Page(page.browser.find(), timeout=120)
    row = {}
    try:
        b.size(1280, 720)
        server = Server(out, trace)  # imports
        try:
            # What any page of this server takes: a line of text, as it is asked for without the secret.
            b.send("Page.navigate", url=server.origin + "/")
            b.wait("location.href !== 'about:blank' && document.readyState === 'complete'")
            row["floor"] = b.eval("performance.getEntriesByType('navigation')[0].domComplete")
            b.send("Page.navigate", url="about:blank")
            b.wait("location.href === 'about:blank'")
        finally:
            server.close()
        empty = memory(b)
        b.send("Page.addScriptToEvaluateOnNewDocument", source=USABLE)
        server = Server(out, trace)
        try:
            b.send("Page.navigate", url=server.address.split("#")[0] + "#timeline")
            b.wait("window.usable")
            row["usable"] = b.eval("usable")
            b.settle()
            box = b.box("document.querySelector('canvas.lanes')")
            with Traced(b) as traced:
                for r in range(FRAMES):
                    move(b, box["x"] + 60, box["y"], r)
                    b.eval("new Promise(r => requestAnimationFrame(() => r(1)))")
                b.wait()
            row["frames"] = traced.frames()
            row["data"] = b.eval("document.querySelector('main').timeline.data.times")
            row["pss"] = memory(b) - empty
            row["server"] = max(pss(p) for p in descendants(server.process.pid))
        finally:
            server.close()
    finally:
        b.close()
    return row


def gotrace(out, trace):
    """The page of go tool trace: seconds until it answers, ms from there until its viewer has the trace, and memory. None:
    it does not answer."""
    began = time.monotonic()
    log = open(os.path.join(out, "gotrace.log"), "w+")
    peer = subprocess.Popen([GOTRACE, "-http=127.0.0.1:0", trace], stdout=log, stderr=log, env={**os.environ, "BROWSER": "true", "PATH": out})
    try:
        while time.monotonic() - began < 240 and peer.poll() is None:
            log.seek(0)
            found = re.search(r"http://127\.0\.0\.1:\d+", log.read())
            if found:
                break
            time.sleep(0.2)
        else:
            return None
        row = {"answers": time.monotonic() - began}
        b = Page(page.browser.find(), timeout=240)
        try:
            empty = memory(b)
            start = time.monotonic()
            b.send("Page.navigate", url=found[0] + "/trace?view=proc")
            if not b.wait("(v => v && v.model)(document.querySelector('tr-ui-timeline-view'))", 200):
                return None
            row["usable"] = (time.monotonic() - start) * 1000
            row["pss"] = memory(b) - empty
            row["server"] = max(pss(p) for p in descendants(peer.pid))
            return row
        finally:
            b.close()
    finally:
        peer.kill()
        peer.wait()


def main():
    traces = [a for a in sys.argv[1:] if os.path.isfile(a)]
    out = tempfile.mkdtemp(prefix="tprof-web-speed-")
    print("| trace | usable, ms (a page of one line) | work per frame, ms: median, p95, most (frames) | data for a picture, ms: median, p95 | renderer, MiB above about:blank | server, MiB |")
    print("|---|---|---|---|---|---|")
    try:
        for trace in traces:
            m = measure(out, os.path.abspath(trace))
            f, d = m["frames"], m["data"]
            print("| %s | %.0f (%.0f) | %.1f, %.1f, %.1f (%d) | %.1f, %.1f (%d) | %.0f | %.0f |" % (os.path.basename(trace), m["usable"], m["floor"], percentile(f, 0.5), percentile(f, 0.95), max(f or [0]), len(f),
                  percentile(d, 0.5), percentile(d, 0.95), len(d), m["pss"], m["server"]), flush=True)
            if os.path.exists(GOTRACE) and os.environ.get("PEER") != "0":
                m = gotrace(out, os.path.abspath(trace))
                print("| gotrace | %s |" % ("%.0f, %.1f s after its start | | | %.0f | %.0f" % (m["usable"], m["answers"], m["pss"], m["server"]) if m else "no answer | | | |"), flush=True)
    finally:
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()

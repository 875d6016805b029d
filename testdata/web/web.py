"""Drives every view of tprof-web's page in headless Chromium. Each check says what it expects;
screenshots are for people. WEB_ROUNDS (2,000) random interactions begin at WEB_SEED (1), and end after
WEB_SECONDS (400) at the latest; SHORT=1 is the form of .ci/run.

    BIN=FOLDER python3 web.py OUT_FOLDER
"""

import json
import os
import random
import re
import subprocess
import sys
import time

import page
from page import BIN, TREE, Page, Server, compare, markdown, printed

sys.path.insert(0, os.path.join(TREE, "testdata", "check"))
import hostile  # noqa: E402

OUT = os.path.abspath(sys.argv[1])
SHORT = os.environ.get("SHORT") == "1"
ROUNDS = int(os.environ.get("WEB_ROUNDS") or (150 if SHORT else 2000))
SECONDS = int(os.environ.get("WEB_SECONDS") or (15 if SHORT else 400))
SEED = int(os.environ.get("WEB_SEED") or 1)
passed = failed = 0

TRACE = "testdata/checkout.trace"
VIEWS = ["overview", "timeline", "flame", "top", "diff", "path", "leaks", "series", "sql"]
# What no page should show: testdata/check/escapes.py has the same.
BAD = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]"


def check(what, good, *about):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what, *(str(a)[:600] for a in about), flush=True)


def sound(b, what):
    """What is so of every view."""
    errors = b.errors()
    check(what + ": no error in the console", not errors, errors)
    check(what + ": nothing is undefined", b.eval("!/undefined|NaN|\\[object /.test(document.querySelector('main').textContent)"),
          b.eval("(/.{0,60}(undefined|NaN|\\[object ).{0,60}/.exec(document.querySelector('main').textContent) || [''])[0]"))
    check(what + ": nothing is wider than the window", b.eval("document.documentElement.scrollWidth <= innerWidth"), b.eval("document.documentElement.scrollWidth"))
    check(what + ": ids are there once", b.eval("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return new Set(ids).size === ids.length; })()"))
    check(what + ": buttons and fields have names", b.eval("[...document.querySelectorAll('button, input, select, textarea')].filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels && e.labels.length)).length") == 0)


def numbers(b, what, hash, more=("--format=markdown",)):
    """Every number of a view's table is what the command that the view names prints."""
    check(what + ": opens", b.go(hash))
    sound(b, what)
    lines = b.text("main .command code")
    tables = [t for t in b.tables() if t["rows"]]
    check(what + ": names its command", lines)
    outputs = []
    for line in lines:
        status, out, err = printed(OUT, line, *more)
        if not re.search(r"--output|-o ", line):
            check(what + ": the command works", status in (0, 1), line, err)
            outputs += markdown(out)
    for t in tables:
        wrong = compare(t, outputs)
        check("%s: table %s is the command's" % (what, t["caption"]), wrong is None, wrong, lines)
    return tables


# ---- the views ----


def test_entry(b, server):
    check("entry: the address of the printed line opens the page", b.enter(server))
    check("entry: the secret is not in the address", "secret" not in b.eval("location.href"))
    check("entry: all tabs are there", [t.lower() for t in b.text("#views a")] == VIEWS, b.text("#views a"))
    other = b.eval("fetch('/run/top?a=%40&a=--output%3Dx').then(r => r.status)")
    failures = b.eval("import('/web.js').then(m => [1, 2].map(() => { try { m.need('missing'); return null; } catch (e) { return e.name; } }))")
    check("entry: a module that failed keeps failing", failures == ["TypeError", "TypeError"], failures)
    check("entry: options that write are refused", other == 400, other)
    b.errors()


def test_numbers_of_traces(b):
    reports = b.eval("import('/web.js').then(m => Object.keys(m.need('top').REPORTS))")
    for report in reports[:6] if SHORT else reports:
        # Tables made of others have texts in another form there.
        numbers(b, "top " + report, "top?report=" + report)
    numbers(b, "tasks of a latency", "top?report=tasks&top.min=20ms&top.max=30ms&sort=start")
    numbers(b, "slowest tasks", "top?report=tasks&top.slowest=1%25")
    numbers(b, "top of a range", "top?report=block&from=100000000&to=200000000")
    numbers(b, "top of a group", "top?report=goroutines&group=main.(*Shop).cashier")
    for view in ("cpu", "offcpu"):
        numbers(b, "top " + view, "top?report=" + view)
    numbers(b, "path", "path")
    for report in ("totals", "hops", "requests", "wakers") if SHORT else ("totals", "hops", "tree", "requests", "wakers"):
        numbers(b, "path " + report, "path?task=order&path.report=" + report)
    numbers(b, "what makes all requests slow", "path?path.report=blame")
    b.go("path?task=103&path.report=blame")
    check("path: one request has nothing to be compared with", "at least three requests" in " ".join(b.text("main .nothing")) and not b.text("main .failure"), b.text("main"))
    numbers(b, "path of one", "path?task=103")
    numbers(b, "leaks", "leaks?leaks.all=yes")
    numbers(b, "sql", "sql?" + "sql.q=SELECT+reason,+count(*)+AS+n,+sum(total_ns)+AS+ns+FROM+goroutine_block+WHERE+run+%3D+:run+GROUP+BY+reason")
    numbers(b, "overview", "overview")


def test_numbers_of_others(b, parcels, ledger):
    check("traces: opens", b.enter(parcels))
    numbers(b, "diff of traces", "diff?run=1&base=5&diff.section=all")
    numbers(b, "diff of sets", "diff?diff.new=side%3Dnew&base=side%3Dold&diff.section=all")
    numbers(b, "diff of a view", "diff?run=1&base=5&diff.view=offcpu")
    numbers(b, "series of traces", "series")
    numbers(b, "leaks over runs", "leaks?leaks.over=yes&leaks.all=yes")
    check("profiles: opens", b.enter(ledger))
    numbers(b, "diff of profiles", "diff?run=8&base=1")
    numbers(b, "series of profiles", "series")
    b.go("leaks?run=8")
    check("leaks: a profile without goroutines is told in a sentence", "does not contain goroutines." in " ".join(b.text("main .nothing")) and not b.text("main .failure"), b.text("main"))
    numbers(b, "top of a profile", "top?run=8")
    numbers(b, "labels", "top?run=8&report=tags")
    b.click("document.querySelector('main table.data tbody button.link')")
    check("labels: a value leads to the samples with it", b.wait("location.hash.includes('label=bytes')", 5), b.eval("location.hash"))
    numbers(b, "top of a label", b.eval("location.hash.slice(1)"))
    b.go("top?run=8")
    numbers(b, "callers and callees of all", "top?run=8&report=tree")
    numbers(b, "callers and callees of one", "top?run=8&report=peek&focus=main.main")
    b.eval("(e => { e.value = 'mallocgc|main.work'; e.dispatchEvent(new Event('change')); })(document.querySelector('main .picks input'))")
    b.wait()
    check("callers and callees: of what is typed", "'--peek=mallocgc|main.work'" in b.text("main .command code")[0], b.text("main .command code"))
    check("profiles: there is no timeline", b.eval("[...document.querySelectorAll('#views a')].find(a => a.textContent === 'Timeline').closest('a').hidden"))


LABELS = [("n", 42, ""), ("n", -7, ""), ("status", "5xx", ""), ("wait", "10ms", ""), ("took", 1000001, "nanoseconds"), ("took", 1000002, "nanoseconds"),
          ("took", 1500000, "nanoseconds"), ("size", 2048, "bytes"), ("size", "2kB", ""), ("size", "3,4", ""), ("size", "^3", ""), ("http.code", 200, ""), ("a=b", "c", "")]


def labelled():
    """A profile in which each sample has a label of its own, and a power of two as its value."""
    field, strings = hostile.field, ["", "samples", "count", "main.f"]

    def at(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    out = field(1, field(1, 1) + field(2, 2))
    for i, (key, value, unit) in enumerate(LABELS):
        label = field(1, at(key)) + (field(2, at(value)) if isinstance(value, str) else field(3, value % 2**64) + field(4, at(unit)))
        out += field(2, field(1, hostile.varint(1)) + field(2, hostile.varint(1 << i)) + field(3, label))
    out += field(4, field(1, 1) + field(4, field(1, 1) + field(2, 1))) + field(5, field(1, 1) + field(2, 3))
    path = os.path.join(OUT, "labels.pb")
    with open(path, "wb") as f:
        f.write(out + b"".join(field(6, s.encode()) for s in strings))
    return path


def test_labels(b):
    """A row of the labels leads to its samples and no others; where they cannot be selected, it leads nowhere."""
    rows = "document.querySelectorAll('main table.data tbody tr')"
    server = Server(OUT, labelled())
    try:
        b.enter(server)
        n = 0
        b.go("top?report=tags")
        for i in range(b.eval(rows + ".length")):
            b.go("top?report=tags")
            row = b.tables()[0]["rows"][i]
            n += 1
            if not b.eval("!!%s[%d].querySelector('button.link')" % (rows, i)):
                check("labels: only a key with '=' leads nowhere", "a=b" in row, row)
                continue
            b.click("%s[%d].querySelector('button.link')" % (rows, i))
            b.wait("location.hash.includes('label=')", 5)
            b.wait("document.querySelector('main .command').textContent.includes('--tag-focus')", 5)
            b.wait()
            found = b.tables()
            check("labels: a row leads to its samples", found and found[0]["rows"] and row[2] == found[0]["rows"][0][0], row, found, b.eval("location.hash"))
        check("labels: two numbers that look equal are one row, a text that looks so is another", n == len(LABELS) - 1, n)
    finally:
        server.close()


def luminance(colour):
    """Relative luminance of "#rgb" or "#rrggbb", as WCAG 2 defines it."""
    digits = colour[1:] if len(colour) > 4 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_timeline(b):
    timeline = "document.querySelector('main').timeline"
    b.eval("performance.clearResourceTimings()")
    check("timeline: opens", b.go("timeline"))
    check("timeline: a picture comes", b.wait(timeline + ".data.picture"))
    sound(b, "timeline")
    whole = b.eval(timeline + ".window.span")
    box = b.box("document.querySelector('canvas.lanes')")
    x, y = box["x"], box["y"]
    for _ in range(6):
        b.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-240)
        b.settle()
    zoomed = b.eval(timeline + ".window.span")
    check("timeline: the wheel zooms", zoomed < whole / 2, whole, zoomed)
    b.wait()
    time.sleep(0.8)
    check("timeline: what is shown stands in the address", "timeline.from" in b.eval("location.hash"), b.eval("location.hash"))
    before = b.eval(timeline + ".window.from")
    for kind, dx in (("mousePressed", 0), ("mouseMoved", -60), ("mouseMoved", -150), ("mouseReleased", -150)):
        b.send("Input.dispatchMouseEvent", type=kind, x=x + dx, y=y, button="left", buttons=1, clickCount=1)
    b.settle()
    painted = "performance.getEntriesByType('resource').filter(e => e.name.includes('/lanes/cells')).length"
    here = b.eval(painted)
    check("timeline: a drag pans", b.eval(timeline + ".window.from") > before)
    b.key("f")
    b.settle()
    check("timeline: f shows the whole run", b.eval(timeline + ".window.span") == whole)
    colours = b.eval(timeline + ".colour")
    for state, ink in colours["ink"].items():
        high, low = sorted((luminance(ink), luminance(colours["text"][state])), reverse=True)
        check("timeline: text on %s is legible" % state, (high + 0.05) / (low + 0.05) >= 4.5, ink, colours["text"][state])
    check("timeline: images are painted beside the page's thread, the first ones on it", 0 < here == b.eval(painted), here, b.eval(painted))
    # Hops of the critical path have names where their rows are not on the screen.
    b.go("timeline?task=103&timeline.rows=threads")
    b.eval(timeline + ".frame.named = function (...a) { (window.named = window.named || []).push(a[0].id); Object.getPrototypeOf(this).named.apply(this, a); }")
    b.eval("document.querySelector('canvas.lanes').focus()")
    b.key("p")
    check("timeline: the critical path is drawn, with names of what is not shown", b.wait("window.named && window.named.length", 10), b.eval("(%s.path || []).length" % timeline))
    b.key("p")
    b.go("timeline")
    # The wait of the slowest order's customer: its end is a wake-up to follow.
    b.go("path?timeline.from=1000000&timeline.to=2000000")
    b.click("document.querySelector('main table.data tbody button.link')")
    b.wait("location.hash.includes('task=')")
    b.wait()
    run = subprocess.run(["tprof-query", "--format=json", TRACE, "SELECT start_ns, end_ns FROM task WHERE id = " + re.search(r"task=(\d+)", b.eval("location.hash"))[1]],
                         cwd=TREE, env=page.environment(OUT), capture_output=True, text=True)
    task = json.loads(run.stdout)[0]
    b.click("[...document.querySelectorAll('#views a')].find(a => a.textContent === 'Timeline')")
    here = "(w => [w.from, w.to])(%s.window)" % timeline
    check("timeline: the time of the picked task is shown", b.wait("(([from, to]) => from < %d && to > %d && to - from < %d)(%s)" % (task["start_ns"], task["end_ns"], 1.2 * (task["end_ns"] - task["start_ns"]), here), 10), task, b.eval(here))
    b.go("timeline?goroutine=50&at=80000000")
    check("timeline: a goroutine and a moment open from the address", b.wait(timeline + ".moment && " + timeline + ".moment.g.id == 50"), b.eval("JSON.stringify(%s.moment)" % timeline))
    moment = b.eval(timeline + ".moment")
    if moment:
        run = subprocess.run(["tprof-query", "--format=json", TRACE, "SELECT start_ns, end_ns, state, reason FROM span WHERE goroutine = 50 AND start_ns <= 80000000 AND end_ns > 80000000"],
                             cwd=TREE, env=page.environment(OUT), capture_output=True, text=True)
        rows = json.loads(run.stdout or "[]")
        check("timeline: the span is the store's", not rows or (rows[0]["start_ns"], rows[0]["end_ns"]) == (moment["start"], moment["end"]), rows, moment["start"], moment["end"])
        b.wait(timeline + ".chain")
        b.eval("document.querySelector('canvas.lanes').focus()")
        b.key("u")
        check("timeline: u goes to the goroutine that woke it", b.wait(timeline + ".moment.g.id == " + str((moment.get("cause") or {}).get("g", {}).get("id", -1)), 10), moment.get("cause"))
        check("timeline: the panel tells of it", len(b.eval("document.getElementById('place').textContent")) > 60)
        b.key("m")
        b.wait()
        check("timeline: m selects the span's time", re.search(r"from=\d+&to=\d+", b.eval("location.hash").replace("timeline.", "x.")), b.eval("location.hash"))
    b.eval("%s.say('a message')" % timeline)
    check("timeline: a message is shown", b.text("#status") == ["a message"], b.text("#status"))
    b.go("top")
    check("timeline: it is gone in another view", b.text("#status") == [""], b.text("#status"))
    b.go("timeline?q=auditor")
    b.eval("document.querySelector('canvas.lanes').focus()")
    b.key("n")
    check("timeline: n finds", b.wait(timeline + ".row >= 0", 10))
    b.events = [e for e in b.events if "/lanes/find" not in str(e)]  # 404: there is no other
    sound(b, "timeline after all that")


def test_runs(b, pipe):
    """Several runs on one clock: two processes that ran at the same time, by the wall clock and from 0."""
    timeline = "document.querySelector('main').timeline"
    check("runs: opens", b.enter(pipe))
    run = subprocess.run(["tprof-store", "clocks", "--format=json", os.path.join(OUT, "pipe.store")], env=page.environment(OUT), capture_output=True, text=True)
    begin = [r["begin_ns"] for r in json.loads(run.stdout)]
    check("runs: another one can be added", b.go("timeline?run=1") and b.wait("document.querySelectorAll('main select option').length > 1"))
    b.go("timeline?run=1&timeline.runs=1.2")
    check("runs: both are shown", b.wait(timeline + ".parts.length === 2 && " + timeline + ".data.picture"))
    shifts = b.eval(timeline + ".parts.map(p => p.shift)")
    check("runs: they begin as far apart as tprof-store clocks says", shifts == [0, begin[1] - begin[0]], shifts, begin)
    check("runs: the axis has room for both", b.eval("(w => [w.begin, w.end])(%s.window)" % timeline)[1] >= shifts[1])
    names = b.eval(timeline + ".data.picture.rows.filter(r => r[0] === 5).map(r => r[8])")
    check("runs: each has a heading", names == ["pipe-parent.trace", "pipe-child.trace"], names)
    sums = b.eval("(p => p.rows.map((r, i) => r[9] + p.cell.subarray(i * p.cols * 8, (i + 1) * p.cols * 8).reduce((n, v) => n + v, 0)))(%s.data.picture)" % timeline)
    check("runs: rows have cells", sum(s > 100 for s in sums) > 10, sums)
    sound(b, "runs")
    b.eval("(t => t.cursorTo(t.parts[1].first, t.parts[1].shift + 20e6, 1000))(%s)" % timeline)
    check("runs: the cursor picks the run of its row", b.wait("location.hash.includes('run=2') && %s.run === 2" % timeline), b.eval("location.hash"))
    b.wait()
    check("runs: and the place stays", b.eval(timeline + ".parts.map(p => p.shift)") == [-shifts[1], 0] and abs(b.eval(timeline + ".at") - 20e6) < 2, b.eval(timeline + ".at"))
    check("runs: the panel tells of that run", b.wait("document.getElementById('place').textContent.includes('main.main')", 5), b.text("#place"))
    b.go("timeline?run=1")
    b.eval("(t => { t.window.show(1e6, 2e6); t.moved(); })(%s)" % timeline)
    b.wait("location.hash.includes('timeline.from=1000000')", 5)
    b.eval("(e => { e.value = '2'; e.dispatchEvent(new Event('change')); })(document.querySelector('main select'))")
    whole = "(w => w.from === w.begin && w.to === w.end)(%s.window)" % timeline
    check("runs: with another run the whole clock is shown", b.wait("%s.parts.length === 2 && %s" % (timeline, whole), 10), b.eval("(w => [w.begin, w.from, w.to, w.end])(%s.window)" % timeline))
    check("runs: a button says which run it hides", "hide run 2" in b.text("main button"), b.text("main button"))
    b.go("timeline?run=1&timeline.runs=1.2&timeline.clock=zero")
    check("runs: both from 0", b.wait(timeline + ".parts.every(p => p.shift === 0 && p.how.startsWith('drawn from 0'))", 10), b.eval(timeline + ".parts.map(p => p.how)"))
    b.eval("[...document.querySelectorAll('main button')].find(e => e.textContent === 'Wall clock').click()")
    check("runs: the button goes back to the default", b.wait(timeline + ".parts.every(p => p.wall) && !location.hash.includes('timeline.clock')", 10), b.eval("location.hash"))
    b.go("timeline?run=1&timeline.runs=1.2&timeline.shut=1&q=main.child")
    b.wait(timeline + ".parts.length === 2 && " + timeline + ".parts[0].total === 0")
    b.eval("document.querySelector('canvas.lanes').focus()")
    b.key("n")
    check("runs: a function in a stack is found in the other run", b.wait("%s.run === 2 && %s.moment && %s.moment.g" % ((timeline,) * 3), 10), b.eval("location.hash"))
    check("runs: its stack has the function", "main.child" in b.eval("document.getElementById('place').textContent"))
    sound(b, "runs after all that")
    numbers(b, "goroutines of a dump", "top?run=3&report=goroutines")
    tables = numbers(b, "deadlock", "top?run=3&report=deadlock")
    check("deadlock: the circle is there", tables and tables[0]["rows"][0][1] == "circle", tables)


def test_alone(b, trace, pipe):
    """Views of several runs where there is one: ways on; and where there are two, bars."""
    press = "[...document.querySelectorAll('main button')].find(e => e.textContent === '%s')"

    def view(hash):
        b.go(hash)
        b.wait("document.querySelector('main.%s .command')" % hash.split("?")[0], 10)

    b.enter(trace)
    view("series")
    check("alone: how to open more runs of a dump", b.text("main .command code") == ["tprof-web testdata/checkout.trace DUMP"], b.text("main"))
    view("diff")
    sound(b, "alone")
    b.click(press % "compare the first half with the second")
    compared = "location.hash.startsWith('#flame') && document.querySelector('main.compared #frames g')"
    check("alone: two times of a run are compared", b.wait(compared, 10), b.eval("location.hash"))
    view("diff?from=300000000&to=350000000&flame.from=300000000&flame.to=350000000")
    b.click(press % "compare the first half with the second")
    check("alone: also after another time was compared", b.wait(compared, 10) and "flame.from" not in b.eval("location.hash"), b.eval("location.hash"), b.text("main"))
    b.enter(pipe)
    view("diff?run=3")
    check("alone: and of a store", re.fullmatch(r"tprof-import -o \S+pipe.store DUMP", b.text("main .command code")[0]), b.text("main"))
    b.click(press % "1 pipe-parent.trace")
    check("alone: another run is picked", b.wait("location.hash.includes('run=1') && document.querySelector('main .command').textContent.includes('--base-label=2 --label=1')", 10), b.text("main .command"))
    view("series?run=1")
    check("alone: runs of two kinds", "tprof-store label" in b.text("main .command code")[0], b.text("main"))
    server = Server(OUT, "testdata/catalog.heap", TRACE)
    try:
        b.enter(server)
        view("diff?run=2")
        check("alone: one run of another kind is listed", b.eval("!!" + press % "1 catalog.heap"), b.text("main"))
    finally:
        server.close()
    server = Server(OUT, "testdata/ledger/ledger-1.heap", "testdata/ledger/ledger-8.heap")
    try:
        b.enter(server)
        view("series")
        b.wait("document.querySelector('main table.data')", 10)
        check("series of two: bars side by side", b.eval("document.querySelectorAll('svg[role=img] rect').length") == 12 and b.text("main .legend span") == ["ledger-1.heap", "ledger-8.heap"], b.text("main .legend"))
    finally:
        server.close()
    b.enter(trace)


def test_selection(b):
    """A range selected in one view is followed by the others, stands in the address, and is cleared by Esc."""
    b.go("timeline")
    b.wait("document.querySelector('main').timeline.data.picture")
    box = b.box("document.querySelector('canvas.lanes')")
    for kind, dx in (("mousePressed", 0), ("mouseMoved", 40), ("mouseMoved", 160), ("mouseReleased", 160)):
        b.send("Input.dispatchMouseEvent", type=kind, x=box["x"] + dx, y=box["y"], button="left", buttons=1, clickCount=1, modifiers=8)
    b.wait()
    chips = b.text("#chips .chip")
    check("selection: Shift and a drag select a range", len(chips) == 1, chips, b.eval("location.hash"))
    for key, view in (("t", "top"), ("p", "path"), ("f", "flame")):
        b.eval("document.activeElement.blur()")
        b.key("g")
        b.key(key)
        b.wait()
        b.settle()
        line = " ".join(b.text("main .command code"))
        check("selection: %s follows it" % view, "--from=" in line and "--to=" in line and b.eval("location.hash").startswith("#" + view), line, b.eval("location.hash"))
    address = b.eval("location.href")
    shown = b.text("#chips .chip")
    b.send("Page.navigate", url="about:blank")
    b.send("Page.navigate", url=address)
    check("selection: leaving and coming back by the address", b.wait("location.href === %r && (%s)" % (address, page.READY)) and b.text("#chips .chip") == shown, b.text("#chips .chip"))
    b.go("top?report=groups&from=1000000&to=300000000&group=main.main")
    b.eval("document.activeElement.blur()")
    b.key("Escape")
    b.wait()
    check("selection: Esc clears the last part", len(b.text("#chips .chip")) == 1, b.text("#chips .chip"))
    b.key("Escape")
    b.wait()
    check("selection: and then the one before", not b.text("#chips .chip"))
    b.eval("history.back()")
    b.wait("document.querySelectorAll('#chips .chip').length === 1", 5)
    check("selection: the back button brings it back", len(b.text("#chips .chip")) == 1)
    b.errors()


def test_tables(b):
    b.go("top?report=block")
    b.eval("document.activeElement.blur()")
    b.key("/")
    check("tables: / goes to the filter", b.eval("document.activeElement.type === 'search'"))
    b.type("main")
    b.settle()
    time.sleep(0.2)
    check("tables: rows are filtered", b.tables()[0]["rows"] and all("main" in " ".join(r) for r in b.tables()[0]["rows"][:1]))
    b.key("Enter")
    check("tables: Enter goes to the rows", b.eval("document.activeElement.tagName") == "TR")
    b.key("ArrowDown")
    b.key(" ")
    check("tables: Space unfolds a row", b.eval("document.querySelectorAll('tr.detail').length") == 1)
    b.key("?")
    check("tables: ? shows the keys", b.eval("document.getElementById('help').open"))
    b.key("Escape")
    b.go("top?report=groups")
    b.eval("document.querySelector('main table.data tbody tr').focus()")
    b.key("Enter")
    b.wait()
    check("tables: Enter leads on", not b.eval("location.hash").startswith("#top?report=groups"), b.eval("location.hash"))
    b.errors()


def test_path(b):
    """The story of a newcomer: from the first page to why the slowest request was slow."""
    b.go("path")
    b.click("document.querySelector('main table.data tbody button.link')")
    b.wait("location.hash.includes('task=')")
    b.wait()
    b.settle()
    check("path: a click on the slowest tells why", "waiting for" in " ".join(b.text(".said p")), b.text(".said p"))
    check("path: there is a picture", b.eval("document.querySelectorAll('figure.path rect').length") > 3)
    b.click("document.querySelector('main table.data tbody button.link')")
    b.wait()
    check("path: rows lead on", not b.eval("location.hash").startswith("#path"), b.eval("location.hash"))
    b.errors()


def test_flame(b):
    check("flame: opens", b.go("flame?flame.view=cpu"))
    check("flame: frames are drawn", b.wait("document.querySelectorAll('#frames g').length > 3"))
    sound(b, "flame")
    b.go("flame?flame.view=cpu&flame.source=main.(*Shop).checkout")
    check("flame: source of a function opens beside it", b.wait("document.querySelector('.beside aside') && !document.querySelector('.beside aside').hidden && document.querySelector('.beside aside').textContent.includes('checkout')"))
    sound(b, "source")


def test_sql(b):
    b.go("sql")
    b.eval("document.querySelector('textarea').focus()")
    b.type("SELECT 12345678901234567 AS big, 'a' AS a, x FROM run")
    b.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", windowsVirtualKeyCode=13, modifiers=2)
    b.send("Input.dispatchKeyEvent", type="keyUp", key="Enter", windowsVirtualKeyCode=13, modifiers=2)
    check("sql: a mistake is told", b.wait("document.querySelector('.results .failure')", 10) and "no such column: x" in b.text(".results .failure")[0], b.text(".results"))
    check("sql: and its place selected", b.eval("(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.querySelector('textarea'))") == "x")
    b.type("2")
    b.click("[...document.querySelectorAll('main button')].find(e => e.textContent === 'run')")
    check("sql: big numbers are whole", b.wait("document.querySelector('.results table')", 10) and b.tables()[-1]["rows"][0][0] == "12345678901234567", b.tables())
    check("sql: the tables are beside it", b.eval("document.querySelectorAll('aside details').length") > 20)
    b.go("sql?sql.q=SELECT+'it''s'+AS+a,%0A%09count(*)+AS+n+--+of+all%0AFROM+goroutine")
    line, table = b.text("main .command code")[0], b.tables()[-1]
    run = subprocess.run(["sh", "-c", line], cwd=TREE, env=page.environment(OUT), capture_output=True, text=True)
    check("sql: a shell runs the command of several lines", table["rows"] and all(c.replace(",", "") in run.stdout for c in table["rows"][0]), line, run.stdout, run.stderr, table)
    b.go("sql?sql.q=SELECT+reason,+count(*)+AS+n+FROM+goroutine_block+GROUP+BY+reason&sql.chart=bars")
    check("sql: a chart", b.eval("document.querySelectorAll('figure.chart rect').length") == len(b.tables()[-1]["rows"]))
    check("sql: the chart names its columns", b.eval("document.querySelector('figure.chart svg').getAttribute('aria-label')") == "n over reason")
    check("sql: every bar has its label", b.eval("[...document.querySelectorAll('figure.chart text[transform]')].every(e => e.firstChild.data) && document.querySelectorAll('figure.chart text[transform]').length") == len(b.tables()[-1]["rows"]))
    # A query that runs long is cancelled by another one.
    b.go("sql?sql.q=WITH+RECURSIVE+n(i)+AS+(SELECT+1+UNION+ALL+SELECT+i%2B1+FROM+n)+SELECT+max(i)+FROM+n") if not SHORT else None
    b.go("sql?sql.q=SELECT+7+AS+seven")
    check("sql: the next one answers", b.wait("document.querySelector('.results table') && document.querySelector('.results table').textContent.includes('7')", 10))
    b.errors()


# ---- hostile names ----


def test_hostile(b):
    dump = os.path.join(OUT, "hostile.trace")
    profile = os.path.join(OUT, "hostile.pb.gz")
    with open(dump, "wb") as f:
        f.write(hostile.trace(os.path.join(TREE, TRACE)))
    import gzip
    with open(profile, "wb") as f:
        f.write(gzip.compress(hostile.profile()))
    for kind, file in (("hostile trace", dump), ("hostile profile", profile)):
        server = Server(OUT, file)
        try:
            check(kind + ": opens", b.enter(server))
            b.eval("window.alert = () => { window.attacked = true; }")
            for view in VIEWS:
                b.go(view)
                found = b.eval("document.querySelectorAll('main img:not([src^=\"/run/\"]), main script, x-b, [onerror], [onclick], iframe').length")
                check("%s: %s has no element of theirs" % (kind, view), found == 0, found)
                check("%s: %s has no controls" % (kind, view), b.eval("!new RegExp(%s).test(document.body.textContent.replace(/\\n|\\t/g, ''))" % json.dumps(BAD)),
                      b.eval("(new RegExp('.{0,40}' + %s + '.{0,40}').exec(document.body.textContent.replace(/\\n|\\t/g, '')) || [''])[0].replace(/[^ -~]/g, c => '{' + c.charCodeAt(0).toString(16) + '}')" % json.dumps(BAD)))
            check(kind + ": nothing ran", not b.eval("window.attacked"))
            errors = b.errors()
            check(kind + ": no error in the console", not errors, errors)
        finally:
            server.close()


# ---- by chance ----

KEYS = list("wasdfzmupnNt[]?/g0i+-") + ["Escape", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Tab", "Home"]


def step(b, r, at):
    """One interaction; returns what it was."""
    act = r.choice(["click"] * 6 + ["key"] * 5 + ["canvas"] * 3 + ["select", "type", "back", "view", "view"])
    if act == "click":
        what = b.eval("""(n => { const list = [...document.querySelectorAll('button, a[href], summary, tr[tabindex], svg rect, #frames g')].filter(e => {
            const b = e.getBoundingClientRect(); return b.width && b.height && b.bottom > 0 && b.top < innerHeight && !e.matches('.copy, [class=copy]'); });
            if (!list.length) return null; const e = list[Math.floor(n * list.length)], b = e.getBoundingClientRect();
            return {x: b.x + Math.min(b.width / 2, 400), y: b.y + b.height / 2, text: e.tagName + ' ' + e.textContent.slice(0, 30)}; })(%f)""" % r.random())
        if what:
            for kind in ("mousePressed", "mouseReleased"):
                b.send("Input.dispatchMouseEvent", type=kind, x=what["x"], y=what["y"], button="left", clickCount=1, modifiers=8 if r.random() < 0.1 else 0)
            return "click " + what["text"]
    elif act == "key":
        key = r.choice(KEYS)
        b.key(key)
        return "key " + key
    elif act == "canvas":
        x, y = r.randrange(1280), r.randrange(90, 720)
        if r.random() < 0.5:
            b.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=r.randrange(-200, 200), deltaY=r.randrange(-500, 500))
            return "wheel %d %d" % (x, y)
        shift = 8 if r.random() < 0.4 else 0
        for kind, dx in (("mousePressed", 0), ("mouseMoved", 30), ("mouseMoved", r.randrange(-200, 200)), ("mouseReleased", 100)):
            b.send("Input.dispatchMouseEvent", type=kind, x=min(max(x + dx, 0), 1279), y=y, button="left", buttons=1, clickCount=1, modifiers=shift)
        return "drag %d %d" % (x, y)
    elif act == "select":
        return "select " + str(b.eval("""(n => { const list = document.querySelectorAll('select'); if (!list.length) return ''; const e = list[Math.floor(n * list.length)];
            e.selectedIndex = Math.floor(n * 7919 %% 1 * e.options.length); e.dispatchEvent(new Event('change', {bubbles: true})); return e.value; })(%f)""" % r.random()))
    elif act == "type":
        b.eval("(e => e && e.focus())(document.querySelector('main input[type=search], main textarea'))")
        b.type(r.choice(["main", "sync", "SELECT 1", "x(", "\\", "cashier", "'"]))
        return "type"
    elif act == "back":
        try:
            b.eval("history.%s()" % r.choice(["back", "back", "forward"]))
        except RuntimeError:  # it has left the page
            b.enter(b.server)
        return "history"
    b.eval("location.hash = %r" % r.choice(VIEWS))
    return "view"


def test_chance(b, server, rounds, seconds, seed):
    b.enter(server)
    b.errors()
    r = random.Random(seed)
    end, last, done = time.monotonic() + seconds, [], 0
    for i in range(rounds):
        if time.monotonic() > end:
            break
        last = last[-12:] + [step(b, r, i)]
        done += 1
        if r.random() < 0.3:
            b.wait(seconds=5)
        errors = b.errors()
        good = not errors and b.eval("location.origin === %r && !!document.getElementById('view') && !/undefined|NaN|\\[object /.test(document.querySelector('main').textContent)" % server.origin)
        if not good:
            check("chance: step %d of seed %d" % (i, seed), False, errors, b.eval("location.href"), last,
                  b.eval("(/.{0,60}(undefined|NaN|\\[object ).{0,60}/.exec(document.querySelector('main').textContent) || [''])[0]"))
            b.enter(server)
            if failed > 12:
                break
        if not b.eval("location.href").startswith(server.origin):
            b.enter(server)
    check("chance: %d interactions" % done, done > min(rounds, 20))
    check("chance: the page answers in the end", b.go("top?report=groups") and b.tables())
    return done


# ---- pictures ----


def test_pictures(b, server, name, views):
    b.enter(server)
    for width, height in ((1280, 720),) if SHORT else ((800, 600), (1280, 720), (1920, 1080)):
        for scheme in ("light", "dark"):
            b.size(width, height)
            b.media(scheme)
            for view, hash in views.items():
                b.go(hash)
                b.wait("(t => !t || t.data.picture && t.data.picture.exact && t.data.tracks)(document.querySelector('main').timeline)", 10)
                b.settle()
                b.screenshot(os.path.join(OUT, "%s-%s-%dx%d-%s.png" % (name, view, width, height, scheme)))
                if scheme == "light":
                    sound(b, "%s %s at %d" % (name, view, width))
    b.size(1280, 720)
    b.media("light")


def store(name, *groups):
    path = os.path.join(OUT, name)
    for label, files in groups:
        subprocess.run(["tprof-import", "-o", path, *(["--label=" + label] if label else []), *files], cwd=TREE, env=page.environment(OUT), check=True, capture_output=True)
    return path


def main():
    browser = page.browser.find()
    if not browser:
        print("tprof: no Chromium here (Debian: apt-get install chromium)")
        return 1
    parcels = store("parcels.store", *(("side=" + side, ["testdata/parcels/%s-%d.trace" % (side, i) for i in range(1, 5)]) for side in ("old", "new")))
    ledger = store("ledger.store", ("", ["testdata/ledger/ledger-%d.heap" % i for i in range(1, 9)]))
    pipe = store("pipe.store", ("", ["testdata/pipe-parent.trace", "testdata/pipe-child.trace", "testdata/deadlock/inversion.d2"]))
    servers = [Server(OUT, TRACE), Server(OUT, parcels), Server(OUT, ledger), Server(OUT, pipe)]
    b = Page(browser, timeout=60)
    began = time.monotonic()
    done = 0
    only = os.environ.get("ONLY", "").split()
    tests = [("entry", lambda: test_entry(b, servers[0])), ("numbers", lambda: test_numbers_of_traces(b)), ("timeline", lambda: test_timeline(b)), ("selection", lambda: test_selection(b)),
             ("runs", lambda: test_runs(b, servers[3]) or b.enter(servers[0])),
             ("alone", lambda: test_alone(b, servers[0], servers[3])), ("tables", lambda: test_tables(b)), ("path", lambda: test_path(b)), ("flame", lambda: test_flame(b)), ("sql", lambda: test_sql(b)),
             ("others", lambda: test_numbers_of_others(b, *servers[1:3])), ("labels", lambda: test_labels(b) or b.enter(servers[0])), ("hostile", lambda: test_hostile(b)),
             ("pictures", lambda: test_pictures(b, servers[0], "trace", {**{v: v for v in VIEWS}, "why": "path?task=103"})),
             ("clock", lambda: test_pictures(b, servers[3], "clock", {"timeline": "timeline?run=1&timeline.runs=1.2"})),
             ("sets", lambda: SHORT or test_pictures(b, servers[1], "runs", {"diff": "diff?run=1&base=5", "series": "series", "flame": "flame?run=1&base=5"})),
             ("heaps", lambda: SHORT or test_pictures(b, servers[2], "heaps", {v: v for v in VIEWS if v != "timeline"}))]
    try:
        b.size(1280, 720)
        b.media("light")
        b.enter(servers[0])
        for name, test in tests:
            if only and name not in only:
                continue
            start = time.monotonic()
            try:
                test()
            except Exception as e:
                check(name + ": ran to its end", False, type(e).__name__, e)
                b.enter(servers[0])
            if os.environ.get("TIMES"):
                print("%5.1f s %s" % (time.monotonic() - start, name), flush=True)
        if not only or "chance" in only:
            for i, server in enumerate(servers[:3] if not SHORT else servers[:1]):
                share = (6, 2, 2)[i] / (10 if not SHORT else 6)
                done += test_chance(b, server, int(ROUNDS * share), SECONDS * share, SEED + i)
        for server in servers:
            check("the server lives", server.process.poll() is None)
    finally:
        b.close()
        for server in servers:
            server.close()
    print("%d random interactions, %.0f s; screenshots are in %s" % (done, time.monotonic() - began, os.path.relpath(OUT)))
    print("web: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Pages of tprof-report as a browser shows them: they are opened, sorted, filtered, asked, zoomed, and
printed. Each check says what it expects; screenshots are for people.

    BIN=FOLDER python3 report.py OUT_FOLDER
"""

import base64
import os
import re
import subprocess
import sys

import browser

BIN = os.environ["BIN"]
OUT = sys.argv[1]
passed = failed = 0

TRACE = "testdata/checkout.trace"
DAMAGED = "testdata/checkout-cut.trace"
HEAP = "testdata/catalog.heap"


def check(what, good, *about):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what, *about)


def make(name, *args):
    path = os.path.join(OUT, name)
    subprocess.run([os.path.join(BIN, "tprof-report"), "-o", path, *args], check=True,
                   env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(OUT, "cache")}, stderr=subprocess.DEVNULL)
    return path


def whole(b, name, width=1280, most=12000):
    """A screenshot of the whole page, in pieces that a person can look at."""
    height = min(b.eval("document.documentElement.scrollHeight"), most)
    for i, y in enumerate(range(0, height, 1500)):
        clip = {"x": 0, "y": y, "width": width, "height": min(1500, height - y), "scale": 1}
        data = b.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(os.path.join(OUT, "%s-%d.png" % (name, i)), "wb") as f:
            f.write(base64.b64decode(data))


# Helpers that run in the page.
PAGE = """
var report = name => document.getElementById('report-' + name);
var table = name => report(name).querySelector('table');
var shown = t => [...t.tBodies[0].rows].filter(r => !r.hidden);
var column = (t, title) => [...t.tHead.rows[0].cells].findIndex(h => h.textContent === title);
var numbers = (t, title) => shown(t).map(r => Number(r.cells[column(t, title)].dataset.v));
var texts = (t, title) => shown(t).map(r => r.cells[column(t, title)].textContent);
var head = (t, title) => t.tHead.rows[0].cells[column(t, title)];
var frames = () => [...document.querySelectorAll('iframe.flame')];
var ready = f => f.contentDocument.documentElement.dataset.ready === 'yes';
var rgb = c => c.match(/[\\d.]+/g).map(Number);
var light = c => { const [r, g, b] = rgb(c).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
var contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
"""


def open_page(b, path, ready=True):
    b.goto(path, *(() if ready else (None,)))
    if ready:
        b.settle()
    b.eval(PAGE)


def sound(b, kind, path):
    """What is so of every page."""
    check(kind + ": no error in the console", not b.complaints(), b.complaints())
    check(kind + ": nothing is loaded from anywhere", not b.requests(), b.requests())
    check(kind + ": less than 5 MB", os.path.getsize(path) < 5 << 20)
    check(kind + ": each link leads somewhere", b.eval("[...document.querySelectorAll('a[href^=\"#\"]')].every(a => document.getElementById(a.hash.slice(1)))"))
    check(kind + ": ids are there once", b.eval("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return new Set(ids).size === ids.length; })()"))
    check(kind + ": pictures have names", b.eval("[...document.querySelectorAll('[role=img]')].every(e => e.getAttribute('aria-label') || e.querySelector('title'))"))
    check(kind + ": nothing is wider than the window", b.eval("document.documentElement.scrollWidth <= innerWidth"), b.eval("document.documentElement.scrollWidth"))
    check(kind + ": texts of pictures stay inside", b.eval("""[...document.querySelectorAll('svg[viewBox] text')].filter(t => {
        const a = t.getBoundingClientRect(), s = t.ownerSVGElement.getBoundingClientRect();
        return a.width && (a.left < s.left - 1 || a.right > s.right + 1 || a.bottom > s.bottom + 1); }).map(t => t.textContent).join()""") == "",
          b.eval("""[...document.querySelectorAll('svg[viewBox] text')].filter(t => {
        const a = t.getBoundingClientRect(), s = t.ownerSVGElement.getBoundingClientRect();
        return a.width && (a.left < s.left - 1 || a.right > s.right + 1 || a.bottom > s.bottom + 1); }).map(t => t.textContent).join()"""))
    check(kind + ": labels of an axis do not touch", b.eval("""(() => { for (const s of document.querySelectorAll('svg.chart, svg.hist, svg.heat, svg.strips')) {
        const boxes = [...s.querySelectorAll('text')].map(t => t.getBoundingClientRect());
        for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
            const a = boxes[i], c = boxes[k];
            if (a.left < c.right - 1 && c.left < a.right - 1 && a.top < c.bottom - 4 && c.top < a.bottom - 4) return s.getAttribute('class') + ' ' + i + ' ' + k + s.textContent.slice(0, 80);
        } } return ''; })()""") == "", b.eval("""(() => { for (const s of document.querySelectorAll('svg.chart, svg.hist, svg.heat, svg.strips')) {
        const boxes = [...s.querySelectorAll('text')].map(t => t.getBoundingClientRect());
        for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
            const a = boxes[i], c = boxes[k];
            if (a.left < c.right - 1 && c.left < a.right - 1 && a.top < c.bottom - 4 && c.top < a.bottom - 4) return s.getAttribute('class') + ' ' + i + ' ' + k + s.textContent.slice(0, 80);
        } } return ''; })()"""))


def test_trace(b, path):
    b.media("light")
    b.size(1280, 900)
    open_page(b, path)
    sound(b, "trace", path)
    check("trace: all sections are there", b.eval("[...document.querySelectorAll('main > section')].map(s => s.id).join()")
          == "findings,charts,heat,strips,flames,histograms,tasks,reports,commands", b.eval("[...document.querySelectorAll('main > section')].map(s => s.id).join()"))
    check("trace: findings have commands", b.eval("document.querySelectorAll('.findings li').length > 5 && [...document.querySelectorAll('.findings li')].every(l => l.querySelector('code.cmd'))"))
    whole(b, "report-light")


def test_tables(b):
    check("table: rows beyond the tenth are folded", b.eval("shown(table('block')).length") == 10)
    b.eval("report('block').querySelector('.tools button').click()")
    rows = b.eval("table('block').tBodies[0].rows.length")
    check("table: a button shows all", b.eval("shown(table('block')).length") == rows and rows > 10)
    check("table: sorted by total at first", b.eval("(v => v.every((x, i) => !i || v[i - 1] >= x))(numbers(table('block'), 'TOTAL'))"))
    b.eval("head(table('block'), 'MAX').scrollIntoView({block: 'center'})")
    b.click("head(table('block'), 'MAX').querySelector('button')")
    check("table: a click sorts, the largest first", b.eval("(v => v.every((x, i) => !i || v[i - 1] >= x))(numbers(table('block'), 'MAX'))"))
    check("table: and says so", b.eval("head(table('block'), 'MAX').getAttribute('aria-sort')") == "descending"
          and b.eval("head(table('block'), 'TOTAL').getAttribute('aria-sort')") == "none")
    b.click("head(table('block'), 'MAX').querySelector('button')")
    check("table: another click turns it around", b.eval("(v => v.every((x, i) => !i || v[i - 1] <= x))(numbers(table('block'), 'MAX'))"))
    b.eval("head(table('block'), 'REASON').querySelector('button').focus()")
    b.key("Enter")
    check("table: the keyboard sorts, texts from a to z", b.eval("(v => v.every((x, i) => !i || v[i - 1] <= x))(texts(table('block'), 'REASON').map(t => t.toLowerCase()))"))
    b.eval("report('block').querySelector('input').focus()")
    b.type("SYNC reserve")
    b.settle()
    check("table: the field filters by all its words", b.eval("shown(table('block')).length") > 0
          and b.eval("shown(table('block')).every(r => /sync/i.test(r.textContent) && /reserve/i.test(r.textContent))"))
    check("table: and says how many", re.fullmatch(r"\d+ of \d+ rows match", b.eval("report('block').querySelector('[role=status]').textContent")))
    b.eval("report('block').scrollIntoView()")
    b.screenshot(os.path.join(OUT, "report-filter.png"))
    b.key("Escape")
    b.settle()
    check("table: Esc ends the filter", b.eval("shown(table('block')).length") == rows)
    # Numbers with units that have no raw number beside them.
    check("table: amounts are understood", b.eval("typeof shown(table('gc'))[0].cells[1].dataset.v") == "string")


def test_heat(b):
    heat = "document.querySelector('svg.heat[data-bins]')"
    b.eval(heat + ".scrollIntoView({block: 'center'})")
    check("heat: nothing is told before it is asked", b.eval("document.querySelector('.readout').hidden"))
    b.click(heat)
    text = b.eval("document.querySelector('.readout').textContent")
    check("heat: a click tells the share and the command", re.search(r"busy, \S+ to \S+: .*tprof-top .*overview --from=\S+ --to=\S+", text), text)
    command = re.search(r"--from=([\d.]+)(\w+) --to=([\d.]+)(\w+)$", b.eval("document.querySelector('.readout code').textContent"))
    check("heat: the time is where the click was", command and 0.4 < float(command[1]) * {"ms": 1e-3, "s": 1, "us": 1e-6}[command[2]] / 0.4297 < 0.55, text)
    run = subprocess.run([os.path.join(BIN, "tprof-top"), TRACE, "overview"] + command[0].split(), capture_output=True, text=True,
                         env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(OUT, "cache")})
    check("heat: the command works", run.returncode == 0 and "groups" in run.stdout, run.stderr)
    box = b.box(heat)
    for kind, x in (("mousePressed", 0.3), ("mouseMoved", 0.5), ("mouseReleased", 0.6)):
        b.send("Input.dispatchMouseEvent", type=kind, x=box["left"] + x * box["w"], y=box["y"], button="left", buttons=1, clickCount=1)
    b.settle()
    wide = b.eval("Number(document.querySelector('.heat .span').getAttribute('width'))")
    check("heat: a drag marks a range", wide > 150, wide)
    b.screenshot(os.path.join(OUT, "report-heat.png"))
    b.eval(heat + ".focus()")
    before = b.eval("document.querySelector('.readout').textContent")
    b.key("ArrowRight")
    after = b.eval("document.querySelector('.readout').textContent")
    check("heat: arrows move", before != after, after)
    b.key("ArrowUp")
    check("heat: and go to the next P", b.eval("document.querySelector('.readout').textContent") != after)


def test_flames(b):
    check("flame: five of them", b.eval("frames().length") == 5, b.eval("frames().length"))
    check("flame: all are ready", b.eval("frames().every(ready)"))
    check("flame: as high as they need", b.eval("frames().every(f => f.clientHeight >= Math.min(f.contentDocument.querySelector('main').offsetHeight, 800))"))
    b.eval("frames()[2].scrollIntoView({block: 'start'})")
    b.settle()
    width = "frames()[2].contentDocument.querySelectorAll('g[data-i]')[%d].querySelector('rect').getBoundingClientRect().width"
    before = b.eval(width % 3)
    b.eval("frames()[2].contentDocument.querySelectorAll('g[data-i]')[3].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    b.settle()
    check("flame: a click zooms", b.eval("[...frames()[2].contentDocument.querySelectorAll('.above')].length") > 0, before)
    b.screenshot(os.path.join(OUT, "report-flame.png"))
    check("flame: no error", not b.complaints(), b.complaints())


def test_dark(b, path):
    b.media("dark")
    open_page(b, path)
    check("dark: the ground is dark", b.eval("light(getComputedStyle(document.body).backgroundColor)") < 0.05)
    for what in ("body", "h2", ".note", ".facts dt", "th button", "td", ".findings p", "code.cmd", ".card figcaption"):
        got = b.eval("contrast(getComputedStyle(document.querySelector(%r)).color, getComputedStyle(document.body).backgroundColor)" % what)
        check("dark: %s can be read" % what, got > 4.5, got)
    got = b.eval("contrast(getComputedStyle(document.querySelector('.chart text')).fill, getComputedStyle(document.body).backgroundColor)")
    check("dark: labels of charts can be read", got > 4.5, got)
    check("dark: flame graphs are dark, too", b.eval("light(getComputedStyle(frames()[0].contentDocument.body).backgroundColor)") < 0.05)
    whole(b, "report-dark", most=4500)
    b.media("light")
    open_page(b, path)
    for what in ("h2", ".note", ".facts dt", "th button", "td", ".card figcaption", "nav a"):
        got = b.eval("contrast(getComputedStyle(document.querySelector(%r)).color, getComputedStyle(document.body).backgroundColor)" % what)
        check("light: %s can be read" % what, got > 4.5, got)


def test_narrow(b, path):
    b.size(400, 800)
    open_page(b, path)
    check("narrow: nothing is wider than the window", b.eval("document.documentElement.scrollWidth") <= 400, b.eval("document.documentElement.scrollWidth"))
    whole(b, "report-narrow", 400, 4500)
    b.size(1280, 900)


def test_print(b, path):
    b.media("light")
    open_page(b, path)
    pdf = base64.b64decode(b.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
    with open(os.path.join(OUT, "report.pdf"), "wb") as f:
        f.write(pdf)
    pages = len(re.findall(rb"/Type\s*/Page[^s]", pdf))
    check("print: some pages, not hundreds", 5 < pages < 60, pages)
    b.media("light", media="print")
    b.settle()
    check("print: all rows are there", b.eval("[...table('block').tBodies[0].rows].every(r => getComputedStyle(r).display === 'table-row')"))
    b.size(700, 1000)  # of A4, without margins
    b.settle()
    wide = b.eval("[...document.querySelectorAll('table.data')].filter(t => t.getBoundingClientRect().right > 701).map(t => t.caption.textContent).join()")
    check("print: no table is wider than the paper", wide == "", wide)
    whole(b, "report-print", 700, 9000)
    b.size(1280, 900)
    check("print: no controls", b.eval("[...document.querySelectorAll('nav, .tools, .copy')].every(e => getComputedStyle(e).display === 'none')"))
    b.media("light")


def test_still(b, path):
    """Without scripts."""
    b.media("light", scripts=False)
    open_page(b, path, ready=False)
    b.screenshot(os.path.join(OUT, "report-still.png"))
    check("still: all rows are there", b.eval("shown(table('block')).length === table('block').tBodies[0].rows.length"))
    check("still: flame graphs show a picture", b.eval("frames().every(f => f.contentDocument.querySelectorAll('#frames rect').length > 5)"))
    check("still: charts are drawn", b.eval("document.querySelectorAll('.chart .line').length") >= 5)
    b.eval("document.getElementById('flames').scrollIntoView()")
    b.screenshot(os.path.join(OUT, "report-still-flames.png"))
    b.media("light")


def test_others(b):
    for kind, args in (("damaged", [DAMAGED]), ("heap", [HEAP]), ("cpu", ["testdata/catalog.cpu"]), ("old", ["testdata/checkout-1.19.trace"]),
                       ("profiles", ["--base", "testdata/prices/old-1.heap", "testdata/prices/new-1.heap"]),
                       ("sets", ["--base=testdata/prices/old-%d.heap" % i for i in range(1, 7)] + ["testdata/prices/new-%d.heap" % i for i in range(1, 7)]),
                       ("traces", ["--base", "testdata/checkout-1.19.trace", TRACE])):
        path = make("report-%s.html" % kind, *args)
        b.media("light")
        b.size(1280, 900)
        open_page(b, path)
        b.settle()
        sound(b, kind, path)
        check(kind + ": flame graphs are ready", b.eval("frames().length > 0 && frames().every(ready)"))
        whole(b, "report-" + kind, most=6000)


def test_hostile(b):
    """Names that try to break out: of the same length, put into the trace."""
    with open(TRACE, "rb") as f:
        data = f.read()
    for old, new in ((b"main.(*Shop).customer", b"</script><img src=q>\""), (b"main.(*Shop).cashier", b"'\"><b onclick=q></b>"),
                     (b"chan receive", b"<i>\x1b\xff</i>---"), (b"reserve", b"]]><u>&")):
        assert len(old) == len(new) and old in data
        data = data.replace(old, new)
    dump = os.path.join(OUT, "</script><img src=x onerror=alert(1)>.trace".replace("/", "_"))
    with open(dump, "wb") as f:
        f.write(data)
    path = make("report-hostile.html", "--title=</title><script>document.title='broken'</script>", dump)
    open_page(b, path)
    b.settle()
    sound(b, "hostile", path)
    check("hostile: no element of theirs", b.eval("document.querySelectorAll('img, [onclick], [onerror], u, main i').length") == 0)
    check("hostile: nor in the flame graphs", b.eval("frames().every(f => f.contentDocument.querySelectorAll('img, [onclick], [onerror], u').length === 0)"))
    check("hostile: the title is a text", b.eval("document.title").startswith("</title>") and b.eval("document.querySelector('h1').textContent").startswith("</title>"))
    check("hostile: names are whole", b.eval("texts(table('groups'), 'ENTRY FUNCTION')")[0] == "</script><img src=q>\"", b.eval("texts(table('groups'), 'ENTRY FUNCTION')"))
    check("hostile: graphs work", b.eval("frames().every(ready)"))
    b.eval("document.querySelector('svg.heat[data-bins]').scrollIntoView({block: 'center'})")
    b.click("document.querySelector('svg.heat[data-bins]')")
    check("hostile: the command is quoted", "'" in b.eval("document.querySelector('.readout code').textContent"), b.eval("document.querySelector('.readout code').textContent"))


def main():
    path = browser.find()
    if not path:
        print("tprof: no Chromium here (Debian: apt-get install chromium)")
        return 1
    page = make("report.html", TRACE)
    b = browser.Browser(path)
    try:
        test_trace(b, page)
        test_tables(b)
        test_heat(b)
        test_flames(b)
        test_dark(b, page)
        test_narrow(b, page)
        test_print(b, page)
        test_still(b, page)
        test_others(b)
        test_hostile(b)
    finally:
        b.close()
    print("pages: %d passed, %d failed; screenshots are in %s" % (passed, failed, OUT))
    return 1 if failed else 0


sys.exit(main())

"""Flame graphs as a browser shows them. Each check says what it expects; screenshots are for people.

    BIN=FOLDER python3 flame.py OUT_FOLDER
"""

import os
import subprocess
import sys

import browser

BIN = os.environ["BIN"]
OUT = sys.argv[1]
passed = failed = 0

CPU = "testdata/catalog.cpu"
TRACE = "testdata/checkout.trace"


def check(what, good, *about):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what, *about)


def draw(name, *args):
    path = os.path.join(OUT, name)
    subprocess.run([os.path.join(BIN, "tprof-flame"), "-o", path, *args], check=True,
                   env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.path.join(OUT, "cache")})
    return path


# Helpers that run in the page; viewer.js has the picture in `main` and its tree in `tree`.
PAGE = """
var byName = (name, root) => [...(root || main.g).querySelectorAll('g[data-i]')].find(g => fullName(main.t, +g.dataset.i) === name);
var drawn = () => main.g.querySelectorAll('g[data-i]').length;
var widthOf = g => g.querySelector('rect').getBoundingClientRect().width;
var labels = () => [...main.g.querySelectorAll('g[data-i]')].map(g => [g.querySelector('text'), g.querySelector('rect')])
    .filter(([t]) => t).map(([t, r]) => [t.textContent, t.getBoundingClientRect().right - r.getBoundingClientRect().right]);
"""


def open_page(b, path):
    b.goto(path)
    b.settle()
    b.eval(PAGE)


def fits(b):
    """How far the worst label goes beyond its frame."""
    return b.eval("Math.max(...labels().map(l => l[1]))")


def test_picture(b, path, is_page):
    kind = "html" if is_page else "svg"
    b.media("light")
    b.size(1280, 800)
    open_page(b, path)
    check(kind + ": no error in the console", not b.complaints(), b.complaints())
    check(kind + ": nothing is loaded from anywhere", not b.requests(), b.requests())
    check(kind + ": the root is as wide as the window", abs(b.eval("widthOf(main.element(0))") - 1260) < 2)
    check(kind + ": labels stay within their frames", fits(b) < 0.5, fits(b))
    whole = b.eval("drawn()")
    check(kind + ": frames are drawn", whole > 20, whole)
    b.screenshot(os.path.join(OUT, kind + "-light.png"))

    # Tooltip
    target = b.eval("fullName(tree, tree.children(0)[0])")
    frame = "byName(%r)" % target
    b.move(frame)
    b.settle()
    text = b.eval("tip.textContent")
    check(kind + ": the tooltip has the name and shares", target in text and "of all" in text and "of parent" in text, text)
    exact = b.eval("exact(tree.total[0][tree.children(0)[0]])")
    check(kind + ": the tooltip has the exact value", exact in text and " " in exact, exact, text)
    b.screenshot(os.path.join(OUT, kind + "-tooltip.png"))

    # Zoom by click, and what is then visible that was not
    deep = b.eval("(() => { let i = 0; for (let d = 0; d < 4; d++) { const k = tree.children(i); if (k.length) i = k[0]; } return i; })()")
    before = b.eval("widthOf(main.element(%d))" % deep)
    b.click("main.element(%d)" % deep)
    b.settle()
    check(kind + ": a click zooms", b.eval("main.zoomed") == deep and b.eval("widthOf(main.element(%d))" % deep) > max(before, 1250))
    check(kind + ": what is above stays, as wide as the picture", abs(b.eval("widthOf(main.element(0))") - 1260) < 2)
    check(kind + ": the address keeps the zoom", b.eval("location.hash") == "#z=%d" % deep, b.eval("location.hash"))
    check(kind + ": labels are fitted anew", fits(b) < 0.5, fits(b))
    b.screenshot(os.path.join(OUT, kind + "-zoom.png"))
    b.click("main.element(%d)" % deep)
    b.settle()
    check(kind + ": another click goes up", b.eval("main.zoomed") == b.eval("tree.parent[%d]" % deep))
    b.click("resetButton")
    b.settle()
    check(kind + ": reset shows everything", b.eval("main.zoomed") == 0 and b.eval("drawn()") == whole and not b.eval("location.hash"))

    # Search, its share against our own sum over the data
    b.key("/")
    check(kind + ": / goes to the search field", b.eval("document.activeElement === box"))
    b.type("^runtime\\.")
    b.settle()
    b.settle()
    want = b.eval("""(() => { let s = 0; const re = /^runtime\\./;
        const walk = i => { if (i && re.test(fullName(tree, i))) s += Number(tree.total[0][i]); else tree.children(i).forEach(walk); };
        walk(0); return percent(s, tree.total[0][0]); })()""")
    text = b.eval("share.textContent")
    check(kind + ": the share of what matches", want in text and want != "0%", want, text)
    check(kind + ": matches are marked", b.eval("[...main.g.querySelectorAll('.hit')].every(g => fullName(tree, +g.dataset.i).startsWith('runtime.'))")
          and b.eval("main.g.querySelectorAll('.hit').length") > 0)
    check(kind + ": and stand out", b.eval("getComputedStyle(main.g.querySelector('.hit rect')).fill") == "rgb(181, 23, 158)")
    b.screenshot(os.path.join(OUT, kind + "-search.png"))
    b.eval("search('(')")
    check(kind + ": a bad expression is said, not thrown", b.eval("share.textContent") == "not a regular expression")
    b.eval("search('nothing is called so')")
    check(kind + ": no match is said", b.eval("share.textContent") == "no match")
    b.key("Escape")
    b.settle()
    check(kind + ": Esc ends the search", b.eval("found.text === '' && box.value === '' && !main.g.querySelector('.hit, .miss')"))

    # Keyboard
    b.eval("document.activeElement?.blur()")
    b.key("ArrowDown")
    b.key("ArrowDown")
    first = b.eval("main.selected")
    check(kind + ": the arrow down goes to the widest below", first == b.eval("tree.children(0)[0]"), first)
    check(kind + ": the focus goes along", b.eval("document.activeElement === main.element(main.selected)"))
    check(kind + ": and is spoken", b.eval("document.activeElement.getAttribute('aria-label')").startswith(target))
    b.key("ArrowRight")
    check(kind + ": the arrow right goes to the neighbour", b.eval("main.selected") == b.eval("tree.children(0)[1]"))
    b.key("ArrowLeft")
    b.key("Enter")
    b.settle()
    check(kind + ": Enter zooms", b.eval("main.zoomed") == first)
    b.key("ArrowUp")
    b.settle()
    check(kind + ": the arrow up leaves the zoom", b.eval("main.selected") == 0 and b.eval("main.zoomed") == 0)
    b.eval("main.zoom(%d)" % deep)
    b.key("0")
    b.settle()
    check(kind + ": 0 resets", b.eval("main.zoomed") == 0 and b.eval("main.selected") == -1)
    b.key("i")
    b.settle()
    check(kind + ": i turns it upside down", b.box("main.element(0)")["y"] > b.box("main.element(1)")["y"])
    b.key("i")

    # Themes
    light = b.eval("getComputedStyle(main.element(1).querySelector('rect')).fill")
    b.media("dark")
    b.settle()
    dark = b.eval("getComputedStyle(main.element(1).querySelector('rect')).fill")
    check(kind + ": dark, when the system is", dark != light, light, dark)
    b.move(frame)
    b.settle()
    b.screenshot(os.path.join(OUT, kind + "-dark.png"))
    b.key("t")
    b.settle()
    check(kind + ": t makes it light again", b.eval("getComputedStyle(main.element(1).querySelector('rect')).fill") == light)
    b.media("light")
    b.key("t")
    b.settle()
    check(kind + ": and dark on a light system", b.eval("getComputedStyle(main.element(1).querySelector('rect')).fill") == dark)

    # A narrow window, a link that was kept
    b.size(420, 760)
    b.settle()
    b.settle()
    check(kind + ": narrow windows get a narrow picture", abs(b.eval("widthOf(main.element(0))") - 400) < 2, b.eval("widthOf(main.element(0))"))
    check(kind + ": labels fit there, too", fits(b) < 0.5, fits(b))
    b.screenshot(os.path.join(OUT, kind + "-narrow.png"))
    b.size(1280, 800)
    b.eval("location.hash = '#z=%d&s=main'" % deep)
    b.settle()
    b.settle()
    check(kind + ": an address with zoom and search", b.eval("main.zoomed") == deep and b.eval("found.text") == "main")
    check(kind + ": no error until the end", not b.complaints(), b.complaints())
    if is_page:
        check("html: the policy forbids to load", b.eval("fetch('data:,x').then(() => 'loaded', () => 'refused')") == "refused")


def test_still(b, path):
    """Without scripts, and on paper."""
    b.media("light", scripts=False)
    b.goto(path, ready=None)
    b.screenshot(os.path.join(OUT, "svg-still.png"))
    b.media("dark", media="print", scripts=False)
    b.screenshot(os.path.join(OUT, "svg-print.png"))
    b.media("light")
    b.goto(path)
    count = b.eval("document.querySelectorAll('#frames title').length")
    check("still: the script's picture replaced the still one", count == 0, count)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check("still: frames have titles and labels", text.count("<title>") > 20 and text.count("</text>") > 20)


def test_table(b, path):
    open_page(b, path)
    b.click("document.getElementById('tab-table')")
    b.settle()
    names = "[...document.querySelectorAll('#list tbody tr')].map(r => Number(r.dataset.name))"
    column = "[...document.querySelectorAll('#list tbody tr')].map(r => r.cells[%d].textContent)"
    value = "(() => { const m = new Map(rows.map(r => [r[0], r])); return %s.map(n => Number(m.get(n)[%d])); })()"
    own = b.eval(value % (names, 1))
    check("table: by self, the largest first", own == sorted(own, reverse=True) and own[0] > own[-1])
    check("table: self adds up to the total", sum(own) == b.eval("Number(tree.total[0][0])"), sum(own))
    b.screenshot(os.path.join(OUT, "table.png"))
    b.click("document.querySelectorAll('#list th button')[2]")
    b.settle()
    total = b.eval(value % (names, 2))
    check("table: a click sorts by total", total == sorted(total, reverse=True) and total != own)
    b.click("document.querySelectorAll('#list th button')[2]")
    b.settle()
    check("table: another click turns it around", b.eval(value % (names, 2)) == sorted(total))
    b.click("document.querySelectorAll('#list th button')[4]")
    b.settle()
    texts = b.eval(column % 4)
    check("table: by name", texts == sorted(texts), texts[:5])
    b.eval("search('^runtime')")
    b.settle()
    check("table: the search picks rows", all(t.startswith("runtime") for t in b.eval(column % 4)))
    b.eval("search('')")


def test_sandwich(b, path):
    open_page(b, path)
    b.click("document.getElementById('tab-table')")
    b.click("document.querySelectorAll('#list th button')[2]")
    b.settle()
    # A function in the middle: one that is called and calls.
    name = b.eval("(() => { for (const r of rows) { const [a, c] = sandwichTrees(r[0]); if (a.n > 3 && c.n > 3) return r[0]; } return rows[0][0]; })()")
    b.eval("document.querySelector('tr[data-name=\"%d\"]').scrollIntoView({block: 'center'})" % name)
    b.click("document.querySelector('tr[data-name=\"%d\"] .name')" % name)
    b.settle()
    check("sandwich: a row opens it", b.eval("shownTab") == "sandwich" and b.eval("chosen") == name)
    total = b.eval("String(rows.find(r => r[0] === %d)[TOTAL])" % name)
    check("sandwich: callers hold the function's total", b.eval("String(callers.t.total[0][0])") == total, total)
    check("sandwich: and so do callees", b.eval("String(callees.t.total[0][0])") == total, total)
    check("sandwich: callers go up from the function", b.box("callers.element(0)")["y"] > b.box("callers.element(1)")["y"])
    check("sandwich: callees go down", b.box("callees.element(0)")["y"] < b.box("callees.element(1)")["y"])
    b.screenshot(os.path.join(OUT, "sandwich.png"))
    caller = b.eval("callers.t.name[1]")
    b.click("callers.element(1)", shift=True)
    b.settle()
    check("sandwich: shift-click goes on to another", b.eval("chosen") == caller)
    b.click("document.getElementById('tab-graph')")
    b.settle()
    check("sandwich: back to the graph", b.eval("drawn()") > 20 and b.eval("current === main"))
    check("sandwich: no error", not b.complaints(), b.complaints())


def test_difference(b, path):
    b.size(1280, 800)
    open_page(b, path)
    sums = b.eval("[String(tree.total[0][0]), String(tree.total[1][0])]")
    check("difference: both sides are there", "0" not in sums, sums)
    b.move("main.element(1)")
    b.settle()
    text = b.eval("tip.textContent")
    check("difference: the tooltip has old, new and change", all(w in text for w in ("old", "new", "change")), text)
    colours = b.eval("[...new Set([...main.g.querySelectorAll('g')].map(g => g.classList[0]))]")
    check("difference: frames are red, blue or white", all(c[0] in "pmdf" for c in colours), colours)
    b.screenshot(os.path.join(OUT, "difference.png"))
    b.media("dark")
    b.settle()
    b.screenshot(os.path.join(OUT, "difference-dark.png"))
    b.media("light")
    check("difference: no error", not b.complaints(), b.complaints())


def test_hostile(b):
    """Names that would break out, were they let."""
    path = os.path.join(OUT, "hostile.svg")
    page = os.path.join(OUT, "hostile.html")
    dump = os.path.join(OUT, "hostile.txt")
    name = "main.</script><script>document.documentElement.dataset.broken=1</script>]]>&amp;\"'<!--"
    # The text format of goroutine profiles: names are in its comments.
    with open(dump, "w") as f:
        f.write("goroutine profile: total 3\n3 @ 0x401000 0x402000\n#\t0x401000\t%s+0x10\t/src/a.go:1\n"
                "#\t0x402000\tmain.main+0x20\t/src/a.go:2\n\n" % name)
    for p in (path, page):
        draw(os.path.basename(p), dump)
        b.goto(p)
        b.settle()
        check("hostile: it runs as ever in " + os.path.basename(p), not b.complaints(), b.complaints())
        check("hostile: nothing of it runs", b.eval("document.documentElement.dataset.broken") is None)
        check("hostile: the name is shown as it is", b.eval("data.names.some(n => n.includes('</script>'))"))


def main():
    path = browser.find()
    if not path:
        print("tprof: chromium is missing (Debian: apt-get install chromium)")
        return 1
    b = browser.Browser(path)
    try:
        svg = draw("cpu.svg", CPU)
        html = draw("cpu.html", CPU)
        test_picture(b, svg, False)
        test_picture(b, html, True)
        test_still(b, svg)
        test_table(b, html)
        test_sandwich(b, html)
        test_difference(b, draw("difference.html", "--base=testdata/prices/old.cpu", "testdata/prices/new.cpu"))
        for view in ("cpu", "offcpu", "sched", "syscall", "wall", "running"):
            open_page(b, draw(view + ".svg", "--view=" + view, TRACE))
            check("trace: %s is drawn" % view, b.eval("drawn()") > 3 and not b.complaints(), b.complaints())
            b.screenshot(os.path.join(OUT, "trace-%s.png" % view))
        test_hostile(b)
    finally:
        b.close()
    print("browser: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())

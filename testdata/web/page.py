"""tprof-web and its page in headless Chromium: what web.py and speed.py have in common."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "testdata", "browser"))
import browser  # noqa: E402

BIN = os.path.abspath(os.environ.get("BIN", "build/out/bin"))
READY = ("document.documentElement.dataset.ready === 'yes' && document.documentElement.dataset.busy === '0'"
         " && (!document.querySelector('main').timeline || (document.querySelector('main').timeline.data || {}).picture !== undefined)")


def environment(out):
    return {"PATH": BIN + ":" + os.environ["PATH"], "HOME": out, "XDG_CACHE_HOME": os.path.join(out, "cache"), "LC_ALL": "C.UTF-8",
            "TZ": "UTC"}


class Server:
    """tprof-web on these dumps or this store. `address` is the one printed, with the secret."""

    def __init__(self, out, *args):
        self.out = out
        self.began = time.monotonic()
        self.errors = open(os.path.join(out, "tprof-web.log"), "a+b")
        self.process = subprocess.Popen([os.path.join(BIN, "tprof-web"), "--no-open", *args], cwd=TREE, env=environment(out),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        line = self.process.stdout.readline().decode()
        self.imported = time.monotonic() - self.began
        if not line.startswith("http://"):
            self.errors.seek(0)
            raise RuntimeError("tprof-web: " + (line or self.errors.read().decode()[-500:]))
        self.address = line.split()[0]
        self.origin = self.address.split("/?")[0]

    def close(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.errors.close()


class Page(browser.Browser):
    def wait(self, what=READY, seconds=20):
        end, held = time.monotonic() + seconds, 0
        while True:
            try:
                held = held + 1 if self.eval("!!(%s)" % what) else 0
                # A view may ask twice, one after the other.
                if held > (2 if READY in what else 0):
                    return True
            except RuntimeError:
                pass  # the page changes
            if time.monotonic() > end:
                return False
            time.sleep(0.02)

    def enter(self, server):
        """Opens the page by the address that was printed: the cookie is set, the secret is gone."""
        self.events.clear()
        self.server = server
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=server.address)
        return self.wait("location.search === '' && location.href.startsWith('%s') && (%s)" % (server.origin, READY))

    def go(self, hash):
        """Opens a view by its address, as a link does."""
        self.eval("location.hash = %r" % hash)
        time.sleep(0.03)
        done = self.wait()
        self.settle()
        return done

    def text(self, selector):
        return self.eval("[...document.querySelectorAll(%r)].map(e => e.textContent)" % selector)

    def errors(self):
        """What the console has of errors since the last call; answers of commands that failed are apart."""
        texts = self.complaints()
        self.events = []
        return [t for t in texts if "status of 422" not in t]

    def tables(self):
        """The tables of the view: [{"titles": [...], "rows": [[text, ...], ...]}]."""
        return self.eval("""[...document.querySelectorAll('main table.data')].map(t => ({caption: t.caption.textContent,
            titles: [...t.tHead.rows[0].cells].map(c => c.textContent), rows: [...t.tBodies[0].rows].filter(r => !r.classList.contains('detail')).map(r => [...r.cells].map(c => c.textContent))}))""")


# ---- what the commands print ----


def unescape(cell):
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip()).replace("&lt;", "<").replace("&amp;", "&")


def markdown(text):
    """The tables of a command's markdown, each {"titles", "rows"}."""
    tables, lines = [], text.split("\n")
    for i, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        cells = [unescape(c) for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if i + 1 < len(lines) and re.match(r"\|[-: |]+\|$", lines[i + 1]):
            tables.append({"titles": cells, "rows": []})
        elif not re.match(r"\|[-: |]+\|$", line):
            tables[-1]["rows"].append(cells)
    return tables


def printed(out, line, *more):
    """Runs the line that a view names."""
    words = shlex.split(line)
    if words[0] == "tprof-query":  # the statement stays the last word
        words[1:1] = more
    else:
        words += more
    run = subprocess.run(words, cwd=TREE, env=environment(out), capture_output=True, timeout=120)
    return run.returncode, run.stdout.decode("utf-8", "replace"), run.stderr.decode("utf-8", "replace")


def same(text):
    return "" if text in ("-", "\u2011") else text.replace("\u00a0", " ").strip()


def compare(page, printed_tables):
    """Returns what of a table of the page is not in the tables that a command printed, or None: every row,
    by the columns that both have, and in the same order if the command printed one table."""
    # A long list of counts is shortened in tables.
    def alike(ours, theirs):
        begin, _, end = theirs.partition(" ... ")
        return ours == theirs or (end and ours.startswith(begin) and ours.endswith(end))

    best = "the command prints no table with these columns"
    for table in printed_tables:
        shared = [t for t in page["titles"] if t and t in table["titles"]]
        if len(shared) < min(len(page["titles"]), len(table["titles"])) * 0.6:
            continue
        left = [[same(r[page["titles"].index(t)]) for t in shared] for r in page["rows"]]
        right = [[same(r[table["titles"].index(t)]) for t in shared] for r in table["rows"]]
        wrong = next((pair for pair in zip(left, right) if not all(map(alike, *pair))), None)
        if wrong is None and len(left) <= len(right):
            return None
        wrong = wrong or (left[len(right):len(right) + 1], "nothing")
        best = "%s: the page has %s, the command %s" % (shared, *wrong)
    if len(printed_tables) > 1:
        rows = {tuple(map(same, r)) for t in printed_tables if t["titles"] == page["titles"] for r in t["rows"]}
        wrong = next((r for r in page["rows"] if tuple(map(same, r)) not in rows), None)
        if rows and wrong is None:
            return None
        best = wrong or best
    return best

#!/usr/bin/env python3
"""Runs every command, report and form over dumps whose every name is hostile (hostile.py), and reads
all that comes out, byte by byte: no controls, nothing that turns text around, valid UTF-8; pages and
pictures through a parser, which must find no element or attribute that is not ours; JSON, CSV, folded
stacks and the others by the rules of their forms.

    escapes.py BIN [-v]"""
import concurrent.futures
import csv
import fcntl
import html.parser
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree

import hostile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tui"))
from terminal import threads

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(sys.argv[1])
VERBOSE = "-v" in sys.argv[2:]

# What no terminal should be given: C0, DEL, C1, directions, invisible characters.
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
                 "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
# What our own colours are made of.
COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")


class Wrong(Exception):
    pass


def text_of(data, allow=""):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Wrong(f"not UTF-8: {data[max(0, e.start - 30):e.start + 30]!r}")
    text = "".join(c for c in text if c not in allow) if allow else text
    bad = BAD.search(text)
    if bad:
        raise Wrong(f"{bad.group()!r} in {text[max(0, bad.start() - 40):bad.start() + 40]!r}")
    return text


def plain(data):
    if "\t" in text_of(data):
        raise Wrong("a tab in a text for people")


def coloured(data):
    plain(COLOUR.sub("", data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"))


def tsv(data):
    for table in text_of(data).split("\n\n"):
        lengths = {len(r.split("\t")) for r in table.split("\n") if r}
        if len(lengths) > 1:
            raise Wrong(f"rows of different lengths: {sorted(lengths)}")


def lines(data):
    text_of(data)


def nothing(data):
    if data:
        raise Wrong(f"there should be nothing: {data[:80]!r}")


def formulas(data):
    # In a spreadsheet a cell that begins like this is a formula, unless it is a number.
    number = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?)?$")
    text_of(data, "\r")
    for row in csv.reader(io.StringIO(data.decode("utf-8"), newline="")):
        for cell in row:
            if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not number.match(cell):
                raise Wrong(f"a formula: {cell[:60]!r}")


def as_json(data):
    text_of(data)
    json.loads(data)


class Page(html.parser.HTMLParser):
    """Attacks would be elements of kinds that we do not use, or attributes that are scripts."""
    OURS = set("""html head title meta style script body main header footer nav section article div span p h1 h2 h3 h4 a
        table thead tbody tfoot tr th td caption col colgroup ul ol li dl dt dd details summary pre code svg g rect text tspan path line
        polyline polygon circle clippath defs use symbol button input label select option form figure figcaption small
        strong em b i br hr noscript template output progress desc marker foreignobject time kbd abbr sup sub lineargradient stop
        datalist mark fieldset legend dialog iframe""".split())

    def handle_starttag(self, tag, attrs):
        if tag not in self.OURS:
            raise Wrong(f"an element <{tag}>")
        for name, value in attrs:
            if name == "srcdoc":
                as_html(value.encode())
            if name == "onerror" or (value and re.match(r"\s*javascript:", value)):
                raise Wrong(f"<{tag} {name}={value!r}>")
            if name in ("href", "src") and value and not re.match(r"#|https?://|data:image/", value):
                raise Wrong(f"<{tag} {name}={value!r}>")

    def handle_data(self, data):
        # What would end or nest a script, or hide its end.
        if self.cdata_elem and re.search(r"<(/|!--|script)", data):
            raise Wrong(f"markup within <{self.cdata_elem}>: {data[:80]!r}")


def as_html(data):
    text_of(data)
    if b"<script>alert" in data or b"<img" in data or b"<x-" in data:
        raise Wrong("an attack came through as it is")
    if b'<meta http-equiv="Content-Security-Policy" content="default-src \'none\';' not in data:
        raise Wrong("a page without a policy")
    page = Page()
    page.feed(data.decode("utf-8"))
    page.close()


def as_svg(data):
    text_of(data)
    xml.etree.ElementTree.fromstring(data)
    if b"<img" in data or b"<script>alert" in data or b"<x-" in data:
        raise Wrong("an attack came through as it is")


def as_xml(data):
    text_of(data)
    xml.etree.ElementTree.fromstring(data)


def folded(data):
    for line in text_of(data).splitlines():
        if not re.match(r".+ -?\d+$", line):
            raise Wrong(f"not a stack and a number: {line[:80]!r}")


def dot(data):
    text = text_of(data)
    # Outside of strings there is nothing but ours.
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    if "PWNED" in rest or "alert" in rest or rest.count('"') % 2:
        raise Wrong("a string of the graph is left early")


def callgrind(data):
    ours = re.compile(r"$|\w+: ?|(c?f[nile]|ob|cob|cfi|cfl|calls)=|[+*\-]?(0x)?[0-9a-f*]+( |$)|#")
    for line in text_of(data).splitlines():
        if not ours.match(line):
            raise Wrong(f"a line that is not callgrind's: {line[:80]!r}")


def markdown(data):
    plain(data)
    text = data.decode("utf-8")
    if re.search(r"(?<!\\)<(script|img|b)\b", text):
        raise Wrong("an element in markdown")
    for table in re.split(r"\n(?!\|)", text):
        cells = {len(re.findall(r"(?<!\\)\|", r)) for r in table.splitlines() if r.startswith("|")}
        if len(cells) > 1:
            raise Wrong(f"a row of markdown has more cells than others: {sorted(cells)}")


FORMS = {"table": plain, "csv": formulas, "json": as_json, "tsv": tsv, "markdown": markdown}


def columns():
    """What SQL lets columns be called of that: text, and nothing that ends it."""
    texts = [a.decode("utf-8", "ignore").replace("\0", "") for a in hostile.ATTACKS]
    return [t.replace('"', '""') + str(i) for i, t in enumerate(texts)]


# A job is what reads standard output where the status is 0 or 1, the arguments, and the status that is expected,
# 0 unless it is given. A command that fails has written nothing of its form: only jobs about the message are to.
def stores(made, out):
    """What makes those that the others read: one of everything, and one of two runs that go together."""
    store, pair = (os.path.join(out, name + hostile.NAME) for name in (b"store", b"pair"))
    label = "--label=\x1b]0;PWNED\x07=\u202ex\x1b[2J"
    yield plain, ["tprof-import", "-o", store, *(made[k] for k in ("v2", "v1", "large", "profile", "profile2", "goroutines", "heap", "sched", "folded", "speedscope", "otlp")), label]
    yield plain, ["tprof-import", "-o", pair, made["v2"], made["v2b"], label]
    yield plain, ["tprof-import", "-o", os.path.join(out, b"some" + hostile.NAME), made["v2"], made["broken"], made["unknown"],
                  b"missing" + hostile.NAME], 3


def commands(made, out):
    """What reads dumps and stores, in any order."""
    v2, large, profile, profile2 = (made[k] for k in ("v2", "large", "profile", "profile2"))
    store, pair = (os.path.join(out, name + hostile.NAME) for name in (b"store", b"pair"))
    reports = ["overview", "groups", "breakdown", "goroutines", "locks", "sched", "gc", "tasks", "regions", "pauses", "mmu", "incident"]
    for form, judge in FORMS.items():
        for report in reports:
            yield judge, ["tprof-top", "--format=" + form, large if report != "tasks" else v2, report]
        for more in (["--view=offcpu"], ["--each", "breakdown"], ["--slowest=2", "tasks"]):
            yield judge, ["tprof-top", "--format=" + form, v2, *more]
        for runs in ([pair], [profile, profile2]):
            yield judge, ["tprof-top", "--format=" + form, "--over=run", *runs]
        yield judge, ["tprof-top", "--format=" + form, profile]
        yield judge, ["tprof-top", "--format=" + form, made["goroutines"], "--goroutines"]
        yield judge, ["tprof-top", "--format=" + form, made["goroutines"], "--deadlock"]
        for report in reports:
            yield judge, ["tprof-top", "--format=" + form, made["sched"], report]
        for report in ("summary", "totals", "wakers"):
            yield judge, ["tprof-path", "--format=" + form, made["sched"], report]
        yield judge, ["tprof-top", "--format=" + form, "--lines", made["folded"]]
        yield judge, ["tprof-top", "--format=" + form, "--lines", made["speedscope"]]
        yield judge, ["tprof-top", "--format=" + form, "--lines", made["otlp"]]
        yield judge, ["tprof-leaks", "--format=" + form, v2, made["goroutines"]]
        yield judge, ["tprof-diff", "--format=" + form, profile, profile2]
        yield judge, ["tprof-diff", "--format=" + form, v2, made["v2b"]]
        for report in ("summary", "hops", "tree", "totals", "requests", "wakers", "what-if"):
            yield judge, ["tprof-path", "--format=" + form, v2, report]
        yield judge, ["tprof-path", "--format=" + form, "--goroutine=.", v2, "blame"]
        for task in ("list", "show", "clocks"):
            yield judge, ["tprof-store", "--format=" + form, task, store]
        for table in ("run", "label", "string", "goroutine", "task", "region", "log", "frame", "loss", "notice"):
            yield judge, ["tprof-query", "--format=" + form, store, f"SELECT * FROM {table} LIMIT 2000"]
        # Columns of a store, and of a query, are called anything.
        names = ", ".join(f'{i} AS "{a}"' for i, a in enumerate(columns()))
        yield judge, ["tprof-query", "--format=" + form, store, "SELECT " + names]
    for word in (".tables", ".schema"):
        yield plain, ["tprof-query", store, word]
    for word in ("SELECT * FROM \"\x1b]0;PWNED\x07\"", "SELECT '\x9b", "\x1b[2J"):
        yield plain, ["tprof-query", store, word], 3
    yield plain, ["tprof-top", "--traces", made["otlp"]]
    yield plain, ["tprof-top", made["otlpodd"]], 3
    for shape in ("--tree", "--traces", "--raw", "--tags", "--comments", "--peek=.", "--list=."):
        yield lines, ["tprof-top", shape, profile]
    yield lines, ["tprof-top", "--disasm=.", profile], 3  # the program that it names is nowhere
    for report in reports:
        yield coloured, ["tprof-top", "--color=always", v2, report]
    yield coloured, ["tprof-top", "--color=always", profile]
    yield coloured, ["tprof-diff", "--color=always", profile, profile2]
    yield coloured, ["tprof-path", "--color=always", v2, "tree"]
    yield dot, ["tprof-top", "--format=dot", profile]
    yield as_svg, ["tprof-top", "--format=svg", profile], 0 if shutil.which("dot") else 4
    yield callgrind, ["tprof-top", "--format=callgrind", profile]
    for source in (profile, large):
        view = ["--view=offcpu"] if source is large else []
        for form, judge in (("svg", as_svg), ("html", as_html), ("text", plain), ("folded", folded), ("speedscope", as_json)):
            yield judge, ["tprof-flame", "--format=" + form, *view, source]
        yield coloured, ["tprof-flame", "--format=text", "--color=always", *view, source]
        yield as_html, ["tprof-report", source]
        yield markdown, ["tprof-report", "--format=markdown", source]
        yield markdown, ["tprof-report", "--format=markdown", "--budget=3000", source]
    yield as_html, ["tprof-flame", "--format=html", "--base=" + os.fsdecode(profile), profile2]
    yield as_html, ["tprof-report", v2]
    yield markdown, ["tprof-report", "--format=markdown", v2]
    yield markdown, ["tprof-report", "--format=markdown", "--base=" + os.fsdecode(v2), made["v2b"]]
    yield as_html, ["tprof-report", profile, profile2]
    yield as_html, ["tprof-report", "--base=" + os.fsdecode(v2), made["v2b"]]
    for form, judge in (("folded", folded), ("html", as_html), ("svg", as_svg)):
        yield judge, ["tprof-path", "--format=" + form, v2]
        yield judge, ["tprof-flame", "--format=" + form, "--view=offcpu", made["sched"]]
    for form, judge in (("junit", as_xml), *FORMS.items()):
        yield judge, ["tprof-diff", "--format=" + form, "--gate=flat(.)>+1%", "--gate=cum(\u202e|\x1b)>+1%", profile, profile2], 1
        # The task is on neither side.
        yield judge, ["tprof-diff", "--format=" + form, "--gate=stw.max>1ns", "--gate=task[\u202e\x1b]>+5%", v2, made["v2b"]], 1
    for form, judge in (("events", lines), ("raw", lines), ("parsed", lines), ("footprint", lines), ("perfetto", as_json)):
        yield judge, ["tprof-export", "--format=" + form, v2]
    for form, judge in (("events", lines), ("perfetto", as_json)):
        yield judge, ["tprof-export", "--format=" + form, made["sched"]]
    yield as_html, ["tprof-report", made["sched"]]
    for form, judge in (("folded", folded), ("speedscope", as_json)):
        yield judge, ["tprof-export", "--format=" + form, profile]
    for table in ("string", "log", "task", "goroutine", "label", "run"):
        yield formulas, ["tprof-export", "--format=csv", "--table=" + table, "--run=1", store]
    yield lines, ["tprof-import", "--dump=events", v2]


def messages(made, out):
    """What fails and says why, in any order."""
    v2, profile, profile2 = (made[k] for k in ("v2", "profile", "profile2"))
    bad = os.fsdecode(hostile.NAME)
    merged = ["-o", os.path.join(out, b"none" + hostile.NAME)]
    # The status of each.
    for name, first, *statuses in (
            ("tprof-top", [], 3, 3, 3, 2, 2, 3, 2), ("tprof-flame", [], 3, 3, 3, 2, 2, 3, 2),
            ("tprof-path", [], 3, 2, 2, 2, 2, 3, 2), ("tprof-diff", [], 2, 3, 3, 2, 2, 2, 2),
            ("tprof-leaks", [], 3, 3, 3, 2, 2, 3, 2), ("tprof-report", [], 3, 3, 3, 2, 2, 3, 2),
            ("tprof-export", ["--format=events"], 3, 2, 2, 2, 2, 3, 2), ("tprof-query", [], 3, 3, 3, 2, 2, 3, 2),
            ("tprof-store", ["show"], 3, 3, 3, 2, 2, 3, 2), ("tprof-import", [], 3, 3, 3, 2, 2, 2, 2),
            ("tprof-merge", merged, 3, 3, 3, 2, 2, 2, 2), ("tprof-tui", [], 3, 2, 2, 2, 2, 3, 2),
            # What a shell says where a program cannot be started.
            ("tprof-record", [], 126, 126, 127, 2, 2, 2, 2), ("tprof", [], 2, 2, 2, 2, 2, 2, 2)):
        for what, status in zip(([made["broken"]], [made["unknown"], made["unknown"]], [bad, bad], ["--" + bad], ["--format=" + bad, v2],
                                 ["--run=" + bad, v2], ["--sort=" + bad, v2, bad]), statuses, strict=True):
            yield plain, [name, *first, *what], status
    yield plain, ["tprof-import", "--label=" + bad, v2], 2
    yield plain, ["tprof-import", "--binary=" + os.fsdecode(made["unknown"]), v2], 3
    yield plain, ["tprof-import", "--symbol-path=" + bad, v2], 3
    yield plain, ["tprof-top", "--goroutine=(" + bad, v2], 2
    yield plain, ["tprof-diff", "--gate=\u202e\x1b[2J+5%", profile, profile2], 2
    yield plain, ["tprof-record", "--", made["unknown"]], 126
    for task, *more in (("list",), ("verify",), ("compact",), ("prune", "--keep-last=1"), ("rename", "1", bad),
                        ("label", "1", "k=" + bad), ("delete", bad)):
        yield plain, ["tprof-store", task, made["broken"], *more], 3
    yield plain, ["tprof-store", bad, v2], 2


def changes(_, out):
    """What changes a copy of the stores, one after the other."""
    store, pair, copy = (os.path.join(out, name + hostile.NAME) for name in (b"store", b"pair", b"copy"))
    name, key = "=\x1b]0;PWNED\x07\u202e<x-b>", "\x1b[31mRED\u202e"

    def seen():
        for form, judge in FORMS.items():
            yield judge, ["tprof-store", "--format=" + form, "list", copy]
            yield judge, ["tprof-store", "--format=" + form, "show", copy]
        yield plain, ["tprof-store", "verify", copy]

    yield plain, ["tprof-merge", "-o", copy, store, pair]
    yield nothing, ["tprof-store", "rename", copy, "1", name]
    yield nothing, ["tprof-store", "label", copy, "1", key + "=" + name]
    yield from seen()
    yield plain, ["tprof-store", "rename", copy, key, name], 3
    yield plain, ["tprof-store", "label", copy, name, key], 2
    yield plain, ["tprof-store", "prune", copy, "--older-than=" + name], 2
    yield nothing, ["tprof-store", "label", copy, name, key + "="]
    for dry in (["-n"], []):
        yield plain, ["tprof-store", "delete", *dry, copy, name]
        yield plain, ["tprof-store", "prune", *dry, copy, "--keep-last=3"]
    yield plain, ["tprof-store", "delete", copy, name], 3
    yield plain, ["tprof-store", "compact", copy]
    yield from seen()


def run(arguments, env):
    argv = [os.path.join(BIN, arguments[0]), *arguments[1:]]
    p = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    return p.returncode, p.stdout, p.stderr


def views():
    """Those of tprof-tui, as it lists them."""
    text = run(["tprof-tui", "x", "no-such-view"], dict(os.environ))[2].decode()
    listed = re.search(r"; the views are: ([a-z ]+)[;\n]", text)
    return listed[1].split() if listed else []


def on_screen(dump, view, env):
    """What tprof-tui writes to a terminal while the view is open, and after some keys."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        os.execve(os.path.join(BIN, "tprof-tui"), ["tprof-tui", dump, view], {**env, "TERM": "xterm-256color"})
    data, until, keys = b"", time.monotonic() + 300, [b"\r", b"j", b"\r", b"?", b"q", b"q", b"q", b"q", b"q", b"Q"]
    while time.monotonic() < until:
        ready = select.select([fd], [], [], 0.3)[0]
        # Not before it has drawn something and waits: a busy machine may keep it from running for longer.
        if not ready and not (data and threads(pid)[1]):
            continue
        if not ready and not keys:
            break
        if not ready:
            os.write(fd, keys.pop(0))
            continue
        try:
            more = os.read(fd, 1 << 16)
        except OSError:
            break
        if not more:
            break
        data += more
    os.close(fd)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    return data


def judge_screen(job, env):
    dump, view = job
    data = on_screen(dump, view, env)
    # ncurses has escape sequences of its own: look for what is none of its.
    text = data.decode("utf-8", "surrogateescape")
    wrong = [f"{b!r} on the screen" for b in ("\x1b]0;PWNED", "\x1b[31mRED", "\u202e", "\u2066", "\u2028", "\ufeff", "\x9b", "\udc9b", "\udcff") if b in text]
    if len(data) < 500:
        wrong.append(f"nothing was drawn: {data!r}")
    return f"tprof-tui {view}", wrong, 0, len(data)


def judge(job, env):
    reader, arguments, *more = job
    wanted = more[0] if more else 0
    status, out, err = run(arguments, env)
    what = " ".join(os.fsdecode(a).encode("ascii", "backslashreplace").decode().replace("\n", "\\n") for a in arguments)
    wrong = []
    if status != wanted:
        wrong.append(f"status {status}, not {wanted}: {os.fsdecode(err[:300])}")
    if status in (0, 1) and reader is not nothing and not out:
        wrong.append("it writes nothing")
    for name, data, read in (("stdout", out, reader if status in (0, 1) else lines), ("stderr", err, plain)):
        try:
            if data:
                read(data)
        except (Wrong, ValueError, xml.etree.ElementTree.ParseError) as e:
            wrong.append(f"{name}: {type(e).__name__} {e}")
    return what, wrong, status, len(out)


def main():
    folder = tempfile.mkdtemp(prefix="tprof-escapes-").encode()
    env = {"PATH": os.environ["PATH"], "HOME": os.fsdecode(folder), "TMPDIR": os.fsdecode(folder), "TZ": "UTC",
           "XDG_CACHE_HOME": os.fsdecode(folder) + "/cache", "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "400",
           **{k: os.environ[k] for k in ("ASAN_OPTIONS", "TPROF_JAIL") if k in os.environ}}
    passed = failed = 0
    try:
        made = hostile.write(folder, TREE)
        workers = int(os.environ.get("JOBS", os.cpu_count() or 2))
        names = views()
        if not names:
            print("FAILED tprof-tui does not say which views there are, or not as views() reads it")
            failed += 1
        # Screens are waited for, not worked at.
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, \
                concurrent.futures.ThreadPoolExecutor(1) as alone, \
                concurrent.futures.ThreadPoolExecutor(16) as waiting:
            for part, how, who in ((stores(made, folder), judge, pool), (commands(made, folder), judge, pool),
                                   (messages(made, folder), judge, pool), (changes(made, folder), judge, alone),
                                   ([(made[kind], view) for kind in ("v2", "sched", "profile") for view in names], judge_screen, waiting)):
                for what, wrong, status, size in who.map(lambda j, how=how: how(j, env), part):
                    if VERBOSE:
                        print(f"{status} {size} {what}")
                    for w in wrong:
                        print(f"FAILED {what}: {ascii(w)}")
                    failed += bool(wrong)
                    passed += not wrong
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"escapes: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

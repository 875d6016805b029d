"""What is tried under faults: commands with the files they find."""
import os
import re
import subprocess

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.dirname(HERE)

# Name in the working folder: file of testdata. Small ones, so that a complete sweep is possible.
DUMPS = {
    "v2.trace": "corpus/traces/oddities-1.27.trace",
    "v1.trace": "corpus/traces/checkout-1.19.trace",
    "go15.trace": "counter-1.5.trace",
    "go15.trace.symbols": "counter-1.5.trace.symbols",
    "v1.trace.gz": "checkout-1.19.trace.gz",
    "v1.trace.zst": "checkout-1.19.trace.zst",
    "cpu.pb": "catalog.cpu",
    "heap.pb": "catalog.heap",
    "heap2.pb": "ledger/ledger-1.heap",
    "heap3.pb": "ledger/ledger-2.heap",
    "block.txt": "corpus/profiles/stuck-1.27.block.d1",
    "goroutines.txt": "corpus/profiles/stuck-1.27.goroutine.d2",
    "leak1.txt": "inbox/inbox-1.d0",
    "leak2.txt": "inbox/inbox-2.d1",
    "broken.trace": "corpus/broken/cut-1.22.trace",
    "old.store": "version-1.store",
    "convoy.trace": "convoy.trace",
    "relay.trace": "relay.trace",
}


class Scene:
    """A command, its files, and how it is looked at.

    dumps: names of DUMPS that lie in the folder. store: dumps that are imported into s.tprof first.
    files: further files with their content. stdin: a name of the folder. several: so many dumps are
    imported one by one, and each may fail. unending: a call of these kinds that always fails leaves
    nothing to be asked of the command."""

    unending = ()
    most = None  # faults of a sample, of what takes long
    cache_key = True  # that of the cache is there, so that its entries have the same names each time
    parts = 1  # that all its faults are looked at in, beside one another
    varies = False  # which calls there are, from run to run, as threads have it
    environment = {}

    def __init__(self, name, command, dumps="", store="", files=None, stdin=None, several=0):
        self.name, self.argv = name, command.split() if isinstance(command, str) else list(command)
        self.program = self.argv[0]
        self.dumps = dumps.split() + store.split()
        self.store, self.files, self.stdin = store.split(), files or {}, stdin
        self.several, self.sentences = several, several or 1

    def judge(self, folder, expected, result, fault, must_succeed):
        return judge.judge(self, folder, expected, result, fault, must_succeed)

    def begin(self, server):
        """The standard input of a run that begins now."""
        return os.path.join(server.work, self.stdin) if self.stdin else "/dev/null"

    def end(self):
        """Of the run that began."""

    def prepare(self, binaries, work, env):
        for name in self.dumps:
            with open(os.path.join(DATA, DUMPS[name]), "rb") as f, \
                    open(os.path.join(work, name), "wb") as g:
                g.write(f.read())
        for name, data in self.files.items():
            with open(os.path.join(work, name), "wb") as g:
                g.write(data)
        for folder in ("cache", "tmp", "home"):
            os.makedirs(os.path.join(work, folder), exist_ok=True)
        if self.cache_key:
            os.mkdir(os.path.join(work, "cache", "tprof"), 0o700)
            with open(os.path.join(work, "cache", "tprof", "key"), "wb") as f:
                f.write(bytes(range(192)))
        for dump in self.store:
            subprocess.run([os.path.join(binaries, "tprof-import"), dump, "-o", "s.tprof"], cwd=work,
                           env=env, check=True, stdout=subprocess.DEVNULL)


class Drawn(Scene):
    """A picture that graphviz draws: something else stands in for it, so that it need not be there."""

    def prepare(self, binaries, work, env):
        super().prepare(binaries, work, env)
        os.makedirs(os.path.join(work, "bin"))
        with open(os.path.join(work, "bin", "dot"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec cat\n")
        os.chmod(f.name, 0o700)
        env["PATH"] = os.path.join(work, "bin") + ":" + env["PATH"]


class NewCache(Scene):
    """The folder of the cache is made."""

    cache_key = False


def imports():
    for name, dump in (("v2", "v2.trace"), ("v1", "v1.trace"), ("gz", "v1.trace.gz"),
                       ("zst", "v1.trace.zst"), ("proto", "cpu.pb"), ("text", "block.txt"),
                       ("goroutines", "goroutines.txt"), ("damaged", "broken.trace")):
        yield Scene(f"import-{name}", f"tprof-import {dump} -o s.tprof", dump)
    yield Scene("import-go1.5", "tprof-import go15.trace -o s.tprof", "go15.trace go15.trace.symbols")
    yield Scene("import-second", "tprof-import v2.trace -o s.tprof", "v2.trace", store="cpu.pb")
    yield Scene("import-again", "tprof-import v2.trace -o s.tprof --label a=b", store="v2.trace cpu.pb")
    yield Scene("import-several", "tprof-import convoy.trace heap.pb block.txt -o s.tprof",
                "convoy.trace heap.pb block.txt", several=3)
    # Each dump may fail, and then the store.
    yield Scene("import-jobs", "tprof-import -j 2 -o s.tprof convoy.trace heap.pb block.txt v1.trace.gz",
                "convoy.trace heap.pb block.txt v1.trace.gz", store="cpu.pb", several=5)
    yield Scene("import-paths", "tprof-import -j 1 -o s.tprof --label a=b @list ./heap*.pb home",
                "heap.pb heap2.pb block.txt", files={"list": b"block.txt\nheap2.pb\n"}, several=4)
    yield Scene("import-jobs-each", "tprof-import -j 2 heap.pb heap2.pb", "heap.pb heap2.pb", several=3)
    yield Scene("import-each", "tprof-import convoy.trace heap.pb", "convoy.trace heap.pb", several=2)
    yield Scene("import-materialize", "tprof-import convoy.trace -o s.tprof --materialize",
                "convoy.trace", store="heap.pb")
    yield Scene("import-older", "tprof-import heap.pb -o old.store", "heap.pb old.store")
    yield Scene("import-stdin", "tprof-import - -o s.tprof", "v2.trace", stdin="v2.trace")


def names_of_reports(binaries):
    """The reports that tprof-top --help lists."""
    text = subprocess.run([os.path.join(binaries, "tprof-top"), "--help=all"], capture_output=True,
                          text=True, check=True).stdout
    names = re.findall(r"^  ([a-z-]+) {2,}\S", text.split("\nReports", 1)[-1], re.M)
    if not names:
        raise RuntimeError("tprof-top --help=all lists no reports")
    return names


def reports(binaries):
    runs = "v2.trace cpu.pb heap.pb"
    trace = "--run=v2.trace"
    for report in names_of_reports(binaries):
        yield Scene("top-" + report, f"tprof-top {trace} s.tprof {report}", store=runs)
    yield Scene("top-cached", "tprof-top v2.trace", "v2.trace")
    yield Scene("top-cached-stdin", "tprof-top -", "v2.trace", stdin="v2.trace")
    yield Scene("top-profile", "tprof-top cpu.pb", "cpu.pb")
    yield Scene("top-text", "tprof-top block.txt", "block.txt")
    yield Scene("top-sum", "tprof-top heap.pb heap2.pb heap3.pb", "heap.pb heap2.pb heap3.pb")
    yield Scene("top-base", "tprof-top --base=heap2.pb heap3.pb", "heap2.pb heap3.pb")
    yield Scene("top-over", "tprof-top --over=run heap2.pb heap3.pb", "heap2.pb heap3.pb")
    for form in ("--tree", "--traces", "--tags", "--raw", "--comments", "--peek=main",
                 "--list=main", "--format=dot", "--format=callgrind",
                 "--format=pprof", "--format=json", "--format=csv", "--format=markdown"):
        yield Scene("top" + form, f"tprof-top {form} --run=cpu.pb s.tprof", store=runs)
    yield Drawn("top--format=svg", "tprof-top --format=svg --run=cpu.pb s.tprof", store=runs)
    yield Scene("top--goroutines", "tprof-top --goroutines goroutines.txt", "goroutines.txt")
    yield Scene("top-view", f"tprof-top --view=offcpu {trace} s.tprof", store=runs)
    yield Scene("top-slowest", f"tprof-top {trace} s.tprof regions --slowest=50%", store=runs)
    yield Scene("diff-profiles", "tprof-diff heap2.pb heap3.pb", "heap2.pb heap3.pb")
    yield Scene("diff-traces", "tprof-diff convoy.trace relay.trace", "convoy.trace relay.trace")
    yield Scene("diff-store", "tprof-diff s.tprof s.tprof --run=heap2.pb --format=json",
                store="heap2.pb heap3.pb")
    yield Scene("flame", "tprof-flame --run=cpu.pb s.tprof -o out.svg", store=runs,
                files={"out.svg": b"before\n"})
    yield Scene("flame-html", f"tprof-flame {trace} s.tprof -o out.html", store=runs)
    for form in ("pprof", "perfetto", "events", "parsed", "footprint", "csv"):
        which = trace if form != "pprof" else "--run=cpu.pb"
        out = "out" if form != "csv" else "out.d"
        yield Scene("export-" + form, f"tprof-export --format={form} {which} s.tprof -o {out}",
                    store=runs, files={out: b"before\n"} if form != "csv" else {})
    for form in ("folded", "speedscope"):
        yield Scene("export-" + form, f"tprof-export --format={form} --run=cpu.pb s.tprof -o out",
                    store=runs)
    yield Scene("export-anonymise", "tprof-export --anonymise --anonymise-key=key --format=trace v2.trace "
                "-o out", "v2.trace", files={"key": b"a secret of sixteen bytes or more\n"})
    yield Scene("export-stdout", f"tprof-export --format=perfetto {trace} s.tprof", store=runs)
    yield Scene("top-filter", f"tprof-top {trace} s.tprof block --goroutine=main --reason=chan",
                store=runs)
    yield Scene("path", f"tprof-path {trace} s.tprof", store=runs)
    yield Scene("path-html", f"tprof-path {trace} s.tprof -o out.html", store=runs)
    yield Scene("leaks", "tprof-leaks leak1.txt leak2.txt", "leak1.txt leak2.txt")
    yield Scene("report", f"tprof-report {trace} s.tprof -o out.html", store=runs,
                files={"out.html": b"before\n"})
    yield Scene("report-profile", "tprof-report --run=cpu.pb s.tprof -o out.html", store=runs)
    yield Scene("report-markdown", "tprof-report --run=cpu.pb s.tprof -o out.md --budget=1000", store=runs,
                files={"out.md": b"before\n"})
    yield Scene("top-budget", f"tprof-top {trace} s.tprof overview --budget=2000", store=runs)
    yield Scene("query", ["tprof-query", "s.tprof", "--run=v2.trace",
                          "SELECT state, count(*), sum(dur_ns) FROM span WHERE run = :run GROUP BY state "
                          "ORDER BY 1"], store=runs)
    yield Scene("query-sort", ["tprof-query", "s.tprof", "SELECT * FROM event ORDER BY stack, ts_ns DESC"],
                store=runs)
    yield Scene("query-write", ["tprof-query", "--write", "s.tprof",
                                "CREATE TABLE mine AS SELECT * FROM run"], store=runs)
    for task in ("list", "show", "clocks", "verify"):
        yield Scene("store-" + task, f"tprof-store {task} s.tprof", store=runs)
    yield Scene("store-rename", "tprof-store rename s.tprof heap.pb other", store=runs)
    yield Scene("store-label", "tprof-store label s.tprof heap.pb a=b c=d", store=runs)
    yield Scene("store-delete", "tprof-store delete s.tprof heap.pb", store=runs)
    yield Scene("store-prune", "tprof-store prune --keep-last=1 s.tprof", store=runs)
    yield Scene("store-compact", "tprof-store compact s.tprof", store=runs)
    yield Scene("merge", "tprof-merge -o all.tprof s.tprof old.store", "old.store", store=runs)
    yield Scene("merge-into", "tprof-merge -o s.tprof old.store", "old.store", store=runs)
    yield Scene("store-upgrade", "tprof-store upgrade old.store", "old.store")
    yield NewCache("store-cache", "tprof-store cache")

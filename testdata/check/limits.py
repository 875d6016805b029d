#!/usr/bin/env python3
"""What hostile files of a megabyte cost: testdata/tools/hostile writes them, every command reads them.

    limits.py BIN [PATTERN]

A command may take 256 MiB and 5 s of processor time for a file of up to 1 MB, and in proportion for
a larger one; it may refuse the file, but not die, nor say that it was not asked properly: every command
has to work on dumps that are sound, first of all. A store of a megabyte can hold millions of rows: what
writes them all may take a second more for every 20 MB that it writes. The memory is what the system says
was resident; the time is that of a machine that needs 1 s for what `calibrate` does, at most. Machines are
shared: what took too long is measured twice more, beside what `calibrate` takes in the same moment, and the
least counts. ALL=1 prints every measurement; SAMPLE=1 takes a file or two of each kind. Files are imported,
as what is asked of a store that there is not costs nothing, but for those whose sense it is to be refused
(REFUSED). The measurements stay in build/out/limits.tsv.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
MOST_MEMORY = 256 * MIB
MOST_SECONDS = 5.0
TRIES = 3
WRITTEN = 20e6  # bytes of rows for which a command that writes them all has another second

TRACE = [
    "tprof-top S", "tprof-top S goroutines --rows=0", "tprof-top S breakdown --each --rows=0",
    "tprof-top S block --rows=0", "tprof-top S locks", "tprof-top S sched", "tprof-top S syscalls", "tprof-top S cpu", "tprof-top S gc",
    "tprof-top S tasks --each", "tprof-top S regions --each", "tprof-top S tasks --slowest=10", "tprof-top S mmu",
    "tprof-top S procs", "tprof-top S --view=offcpu", "tprof-top S --view=wall", "tprof-top S testdata/pool.trace --over=run",
    "tprof-top S --from=25% --to=75%",
    "tprof-top S story", "tprof-top S outliers", "tprof-top S logs", "tprof-top S stops", "tprof-top S pauses", "tprof-top S incident --rows=0",
    "tprof-top S overview", "tprof-top S --goroutine=1", "tprof-top S block --task=.", "tprof-top S sched --region=.",
    "tprof-path S --goroutine=.", "tprof-path S tree", "tprof-path S hops",
    "tprof-diff S S --rows=0", "tprof-diff S S --view=offcpu",
    "tprof-flame --format=svg S", "tprof-flame --format=folded S",
    "tprof-path S", "tprof-path S requests", "tprof-path S totals", "tprof-path S wakers",
    "tprof-path S blame --goroutine=.", "tprof-path S what-if", "tprof-path S --what-if='(.|[a-m])*a.{16}b|. -50%'",
    "tprof-leaks S --all", "tprof-report S", "tprof-report --format=markdown --budget=9999 S",
    "tprof-export --format=perfetto S", "tprof-export --format=trace S", "tprof-export --format=pprof --view=wall S",
    "tprof-export --format=events S", "tprof-export --format=csv --table=goroutine S", "tprof-export --format=raw D",
    "tprof-top S block --focus='(.|[a-m])*a.{16}b'",
]
PROFILE = [
    "tprof-top S", "tprof-top S --traces", "tprof-top S --tree", "tprof-top S --tags", "tprof-top S --raw",
    "tprof-top S --peek=f", "tprof-top S --goroutines", "tprof-top S --deadlock", "tprof-diff S S", "tprof-diff S S --by=stack --rows=0",
    "tprof-flame --format=svg S", "tprof-flame --format=html S", "tprof-flame --format=folded S",
    "tprof-flame --format=speedscope S", "tprof-leaks S --all", "tprof-report S", "tprof-export --format=pprof S",
    "tprof-export --format=folded S", "tprof-top S --focus='(.|[a-m])*a.{16}b|main'",
    "tprof-flame --format=folded --hide='(.|[a-m])*a.{16}b' S", "tprof-export --format=pprof --ignore='a.{16}b' S",
    "tprof-query S 'SELECT count(*) FROM function WHERE name REGEXP \"a.{16}b\"'",
]
BOTH = [
    "tprof-store list S", "tprof-store show S all", "tprof-store verify S", "tprof-store clocks S",
    "tprof-merge -o S.merged S",
    "tprof-query S .tables", "tprof-query S 'SELECT count(*) FROM run'",
]
TABLES = """goroutine goroutine_block goroutine_time site site_hist span_crossing proc_time proc_span range gc_work
metric task region log cpu_sample proc thread sample_type mapping bucket bucket_value bucket_label counter comment
function location frame stack event span string""".split()

# Which are refused, by what is said then.
REFUSED = {name: said for said, names in {
    "as a decompression bomb does": """gz-bomb gz-members gz-regions gz-heap gz-empty-samples gz-empty-strings gz-types
        gz-empty-batches zst-bomb zst-frames zst-window-taken zst-regions""",
    "is not a trace or profile": "gz-tiny-members",
    "is a gzip file inside another one": "gz-gz",
    "Frame requires too much memory for decoding": "zst-window",
    # Small files that unpack, or multiply, to what takes more than a file of their size may.
    "out of memory: input of this size may take": "gz-goroutines gz-threads pb-lines-times-frames elf-go-calls otlp-attributes-times",
    "expand to too much text": "gz-names-long gz-names-nearly text-heap-names-long",
    "name addresses that are not on the stack": "gz-elsewhere",
    "would make more than 32 frames per byte": "pb-lines-times-samples speedscope-open otlp-lines-places",
    "too many sample types for their samples": "otlp-types-times",
    "too many entries": "v1-heads",
    "the trace holds no events": "v1-noise",
    "the thread has no goroutine or no P": "v2-nonsense",
    "expected a batch": "v2-noise",
    "ends in the middle of a value": "v2-ones",
    "this is not an ELF file": "elf-addresses",
}.items() for name in names.split()}

# Traces of which more than half is lost, as is their sense.
LOST = "v1-damage v1-waiting v2-damage".split()

# What was dearest of each kind.
SAMPLE = """pb-names pb-pattern-names pb-pattern-rings v2-goroutines v2-waiting v2-ms-batches v1-waiting-ever v2-tasks-ended v1-waiting pb-lines-times-frames pb-deep text-heap dump-created
v2-generations-clockless v2-damaged-after-ms v2-damaged-after-gs v2-generations-of-steals gz-members
gz-regions gz-names-nearly gz-elsewhere zst-window elf-go-values elf-symbol-name elf-notes elf-dwarf-ranges
symbols-name-packed store-goroutines store-segments-wide store-events-told store-runs
store-runs-stray store-stacks-chain""".split()


def calibrate():
    """Processor seconds of a fixed piece of work; 1.0 on the machine the limits were set on."""
    began = time.thread_time()
    n = 0
    for i in range(7_000_000):
        n = (n * 31 + i) & 0xffffffff
    return time.thread_time() - began


def filled(command, store, dump):
    return re.sub(r" ([SD])\b", lambda m: " " + (store if m.group(1) == "S" else dump), command)


class Runner:
    def __init__(self, bin_dir, scratch, factor):
        self.bin, self.scratch, self.factor = bin_dir, scratch, factor
        self.lock = threading.Lock()
        self.rows, self.failures, self.passed = [], [], 0

    def run(self, name, command, size, env=None, stdin=None):
        """One command, given to the shell: its status, and what it said. The size is that of its input."""
        for left in reversed(range(TRIES)):
            again = re.search(r"-o (\S+)", command)
            if again and os.path.exists(again.group(1)):
                os.unlink(again.group(1))
            if stdin:
                stdin.seek(0)
            ended = self.measured(name, command, size, env, stdin, left == TRIES - 1, left == 0)
            if ended:
                return ended

    def measured(self, name, command, size, env, stdin, first, last):
        """As run; None: it took too long, which may have been due to others, and is not the last try."""
        given = [word for word in command.split() if os.path.basename(word) in (name, "s.tprof")]
        share = max(1.0, size / 1e6 * (len(given) if command.startswith("tprof-diff") else 1))
        most_memory = MOST_MEMORY * share
        writes_all = name.startswith("store-") and ("SELECT *" in command or "tprof-export" in command)
        # The second and third time as slow as the machine is just now.
        factor = self.factor if first else max(self.factor, calibrate())
        # Nothing is killed that might still keep its time; this ends what would go on for ever.
        killed = int(MOST_SECONDS * share * factor * (40 if writes_all else 4) + 2)
        line = re.sub(r"^tprof-", os.path.join(self.bin, "tprof-"), command)
        errors = tempfile.TemporaryFile()

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (killed, killed + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        began = time.monotonic()
        counter = subprocess.Popen(["wc", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) if writes_all else None
        child = subprocess.Popen(["sh", "-c", "exec " + line], stdin=stdin or subprocess.DEVNULL,
                                 stdout=counter.stdin if counter else subprocess.DEVNULL, stderr=errors,
                                 preexec_fn=limit,
                                 env={**os.environ, "NO_COLOR": "1", "TERM": "dumb", **(env or {})})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = 0
        wall = time.monotonic() - began
        written = int(counter.communicate()[0]) if counter else 0
        most_seconds = (MOST_SECONDS * share + written / WRITTEN) * factor
        errors.seek(0)
        said = errors.read(2000).decode("utf-8", "replace").strip().split("\n")[-1]
        seconds = used.ru_utime + used.ru_stime
        memory = used.ru_maxrss * 1024
        why = []
        if memory > most_memory:
            why.append("%.0f MiB" % (memory / MIB))
        if seconds > most_seconds:
            why.append("%.1f s" % seconds)
        if os.WIFSIGNALED(status):
            why.append("signal %d" % os.WTERMSIG(status))
        # One without a clock is not put beside pool.trace, which has one.
        elif os.WEXITSTATUS(status) > 4 or (os.WEXITSTATUS(status) == 2 and not (
                "pool.trace --over=run" in command and "ticks cannot be" in said)):
            why.append("status %d: %s" % (os.WEXITSTATUS(status), said))
        # Too long, and nothing else: others may have had the processor's caches.
        if seconds > most_seconds and len(why) == 1 and not last:
            return None
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        shown = command.replace(self.scratch + "/", "")
        with self.lock:
            self.rows.append((name, shown, code, memory / MIB, seconds, wall, said))
            if why:
                self.failures.append((name, shown, why))
                print("FAILED %s: %s: %s" % (name, shown, ", ".join(why)), flush=True)
            else:
                self.passed += 1
            if os.environ.get("ALL"):
                print("%-24s %3d %6.1f MiB %6.2f s  %s  %s" % (name, code, memory / MIB, seconds, shown, said),
                      flush=True)
        return code, said

    def imported(self, name, command, store, size, env):
        """Imports; is there a store?"""
        code, said = self.run(name, command, size, env)
        made = not code and os.path.exists(store)
        if name not in REFUSED and not made:
            self.fail(name, "it is refused, so that nothing is measured: %s" % said)
        if name in REFUSED and (made or REFUSED[name] not in said):
            self.fail(name, "it is not refused as it should be (%s): %s" % (REFUSED[name], said))
        return made

    def kept(self, name, store, size, env):
        """A trace of which most is lost measures little."""
        lost = subprocess.run([os.path.join(self.bin, "tprof-query"), "--format=tsv", store,
                               "SELECT CAST(total(bytes) AS INTEGER) FROM loss"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=600, env={**os.environ, **env}).stdout
        share = int(lost.split()[-1]) / size if lost else 1
        if (share > 0.5) != (name in LOST):
            self.fail(name, "%.0f%% of it is lost" % (100 * share))

    def fail(self, name, why):
        with self.lock:
            self.failures.append((name, "", [why]))
            print("FAILED %s: %s" % (name, why), flush=True)

    def sound(self, commands, dumps):
        """Every command has to work on one of these dumps, or what it costs says nothing."""
        with tempfile.TemporaryDirectory(prefix="tprof-limits-") as folder:
            env = {**os.environ, "TMPDIR": folder, "XDG_CACHE_HOME": folder}
            left = dict.fromkeys(commands, "")
            for n, dump in enumerate(dumps):
                store = os.path.join(folder, "s%d.tprof" % n)
                subprocess.run([os.path.join(self.bin, "tprof-import"), "-o", store, dump], check=True,
                               stdout=subprocess.DEVNULL, env=env)
                for command in list(left):
                    line = re.sub(r"^tprof-", os.path.join(self.bin, "tprof-"), filled(command, store, dump))
                    ran = subprocess.run(["sh", "-c", "exec " + line], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
                    left[command] = ran.stderr
                    if ran.returncode in (0, 1):
                        del left[command]
                        self.passed += 1
        for command, said in left.items():
            self.fail(command, "it works on no sound dump: " + said.strip())

    def case(self, name):
        folder = os.path.join(self.scratch, name)
        os.mkdir(folder)
        try:
            made = subprocess.run([os.path.join(self.bin, "hostile"), "-m", "^%s$" % name, folder])
            if made.returncode:
                self.fail(name, "it cannot be made")
                return
            self.measure(name, folder)
        finally:
            shutil.rmtree(folder)

    def measure(self, name, folder):
        dump, store = os.path.join(folder, name), os.path.join(folder, "s.tprof")
        size = os.path.getsize(dump)
        kind = name.split("-")[0]
        env = {"TMPDIR": folder, "XDG_CACHE_HOME": folder}
        if kind == "store":
            store = dump
        elif kind == "elf":
            subprocess.run([os.path.join(self.bin, "hostile"), "-m", "^elf-addresses$", folder], check=True)
            profile = os.path.join(folder, "elf-addresses")
            self.imported(name, "tprof-import -o %s --binary=%s %s" % (store, dump, profile), store, size, env)
            self.small_program(name, folder, store, env)
            return
        elif kind == "symbols":
            subprocess.run([os.path.join(self.bin, "hostile"), "-m", "^v1-old$", folder], check=True)
            trace = os.path.join(folder, "v1-old")
            os.rename(dump, trace + ".symbols")
            self.run(name, "tprof-import -o %s %s" % (store, trace), size, env)
            return
        else:
            made = self.imported(name, "tprof-import -o %s %s" % (store, dump), store, size, env)
            if kind in ("gz", "zst"):
                with open(dump, "rb") as f:
                    self.run(name, "tprof-import -o %s -" % os.path.join(folder, "i.tprof"), size, env, f)
            if kind in ("v1", "v2", "sched"):
                self.run(name, "tprof-import --strict -o %s %s" % (os.path.join(folder, "t.tprof"), dump), size, env)
            if not made:
                return
        # Which reports there are on it. A store that was made hostile may refuse to be asked; then there are none.
        asked = subprocess.run([os.path.join(self.bin, "tprof-query"), "--format=tsv", store,
                                "SELECT kind FROM run"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               timeout=600, env={**os.environ, **env})
        if asked.returncode and kind != "store":
            self.fail(name, "its store cannot be asked what is in it")
        if kind in ("v1", "v2", "sched"):
            self.kept(name, store, size, env)
        commands = BOTH + (TRACE if b"trace" in asked.stdout else []) + (PROFILE if b"profile" in asked.stdout else [])
        for command in commands:
            if kind == "store" and " D" in command:
                continue
            self.run(name, filled(command, store, dump), size, env)
        # A query of all columns of each table; then what the screens of the terminal begin with.
        for table in TABLES:
            self.run(name, "tprof-query --format=csv %s 'SELECT * FROM %s'" % (store, table), size, env)


    def small_program(self, name, folder, store, env):
        """One of a fiftieth of the size, with four times as many addresses, packed."""
        packed, program = os.path.join(folder, "zst-addresses"), os.path.join(folder, "small", name)
        os.mkdir(os.path.dirname(program))
        make = [os.path.join(self.bin, "hostile"), "-m"]
        subprocess.run(make + ["^zst-addresses$", folder], check=True)
        subprocess.run(make + ["^%s$" % name, "-s", "20000", os.path.dirname(program)], check=True)
        self.imported(name, "tprof-import -o %s --binary=%s %s" % (store, program, packed), store,
                      os.path.getsize(program) + os.path.getsize(packed), env)


def names(bin_dir, pattern):
    listed = subprocess.run([os.path.join(bin_dir, "hostile"), "-l"], stdout=subprocess.PIPE, text=True, check=True)
    all_names = [line.split()[0] for line in listed.stdout.splitlines()]
    chosen = [n for n in all_names if re.search(pattern, n)]
    return [n for n in chosen if n in SAMPLE] if os.environ.get("SAMPLE") else chosen


def main():
    bin_dir = os.path.abspath(sys.argv[1])
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    todo = names(bin_dir, pattern)
    speed = min(calibrate() for _ in range(2))
    factor = max(1.0, speed)
    scratch = tempfile.mkdtemp(prefix="tprof-limits-")
    runner = Runner(bin_dir, scratch, factor)
    runner.sound(BOTH + TRACE, ["testdata/checkout.trace"])
    runner.sound(BOTH + PROFILE, ["testdata/catalog.cpu", "testdata/inbox/inbox-2.d1", "testdata/inbox/inbox-3.d2", "testdata/catalog.heap"])
    jobs = int(os.environ.get("JOBS") or os.cpu_count() or 2)

    def work():
        while True:
            with runner.lock:
                if not todo:
                    return
                name = todo.pop(0)
            try:
                runner.case(name)
            except Exception as e:  # those that are left go on
                runner.fail(name, repr(e))

    try:
        threads = [threading.Thread(target=work) for _ in range(jobs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    out = os.path.join(bin_dir, "..", "limits.tsv")
    with open(out, "w") as f:
        for row in sorted(runner.rows):
            f.write("%s\t%s\t%d\t%.1f\t%.2f\t%.2f\t%s\n" % row)
    if runner.rows:
        big, slow = max(runner.rows, key=lambda r: r[3]), max(runner.rows, key=lambda r: r[4])
        print("most memory: %.0f MiB, %s: %s" % (big[3], big[0], big[1]))
        print("most time: %.1f s, %s: %s (machine: %.2f of the one measured on)" % (slow[4], slow[0], slow[1], speed))
    print("limits: %d passed, %d failed" % (runner.passed, len(runner.failures)))
    return 1 if runner.failures or not runner.passed else 0


sys.exit(main())

"""make fuzz: every target for a while, as many at a time as there are processors.

    python3 testdata/check/fuzz.py TARGETS_FOLDER [ENGINE]

What is learnt stays in FUZZ_CORPUS/TARGET (build/fuzz/corpus); a run begins with it, with the seeds in
testdata, and with the corpus beside the repository where there is one. An input that breaks a target
is left, once per place where it breaks, in FUZZ_CORPUS/found. Each run adds a line to
FUZZ_CORPUS/ledger.tsv: what it cost (processor time of the target, not time on the wall) and what it
gave; fuzzledger.py adds them up.

    TIME        seconds for each target (60)
    T           only targets whose name holds it
    JOBS        targets at a time (as many as there are processors)
    ROUNDS      how often all targets have their turn (1); 0: until somebody stops it
"""
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTDATA = ROOT / "testdata"
SEEDS = TESTDATA / "fuzz"
SHARED = pathlib.Path(os.environ.get("CORPUS") or ROOT / "../shared/corpus")
CORPUS = pathlib.Path(os.environ.get("FUZZ_CORPUS") or ROOT / "build/fuzz/corpus")
SECONDS = int(os.environ.get("TIME") or 60)
# Bytes of an input at most: larger ones take longer and seldom show more.
MAX_LEN = {"trace_v1": 6000, "trace_v2": 6000, "profile": 8192, "text": 8192, "symbol": 12000, "store": 600}
MOST_FINDINGS = 20  # of one run, which then ends: whatever is behind them is not reached
HANG = 10  # seconds of processor time
ASAN = "quarantine_size_mb=8:allocator_may_return_null=1:handle_abort=1:detect_stack_use_after_return=0"


def kind(head):
    """Which targets take a file that begins like this."""
    if re.match(rb"go 1\.\d+ trace\0", head):
        return {"trace_v1" if int(head[5:head.index(b" ", 5)]) < 22 else "trace_v2"}
    if head.startswith((b"\x1f\x8b", b"\x28\xb5")):
        return {"profile"}
    if head.startswith(b"\x7fELF") or head[1:4] == b"\xff\xff\xff" or head[:3] == b"\xff\xff\xff":
        return {"symbol"}
    if head.startswith(b"SQLite"):
        return {"store"}
    return {"profile", "text"}


def seeds(target, folder):
    """The inputs to begin with, linked into a folder: those of the tree for this target, and whatever
    else is of its kind and not too large."""
    folder.mkdir(parents=True, exist_ok=True)
    own = SEEDS / target
    places = [(own, None), (SEEDS, target), (TESTDATA, target), (TESTDATA / "corpus", target), (SHARED, target)]
    for place, only in places:
        if not place.is_dir():
            continue
        files = place.rglob("*") if place in (SHARED, TESTDATA / "corpus", own) else place.glob("*")
        for f in sorted(files):
            if not f.is_file() or f.suffix in (".c", ".h", ".md", ".json", ".dict", ".txt"):
                continue
            if only and (f.stat().st_size > MAX_LEN[target] or only not in kind(f.open("rb").read(32))):
                continue
            link = folder / f"{f.parent.name}-{f.name}"
            if not link.is_symlink():
                link.symlink_to(f)


def where(log):
    """The place that an error report names: what, and the first function of ours on the stack."""
    what = re.search(rb"runtime error: .*|ERROR: (AddressSanitizer|libFuzzer|LeakSanitizer): ?[a-z-]*|\S+:\d+: .* does not hold", log)
    text = what.group(0).decode(errors="replace") if what else "unknown"
    frames = re.findall(rb"#\d+ 0x[0-9a-f]+ in (\S+) \S*?/((?:libparse|libreport|testdata)/\S+?):(\d+)", log)
    ours = [f"{n.decode()} {p.decode()}:{l.decode()}" for n, p, l in frames if not p.startswith(b"testdata")]
    return f"{text} in {(ours or [f'{n.decode()} {p.decode()}:{l.decode()}' for n, p, l in frames] or ['?'])[0]}"


def spend(process):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def hangs(binary, unit, env):
    """Does it take its time on an idle machine, too? Processor seconds."""
    p = subprocess.Popen([binary, unit, "-timeout=600"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return spend(p)


def keep(target, unit, log):
    """Keeps an input that broke a target, once for each place. True if it is new."""
    found = CORPUS / "found"
    found.mkdir(parents=True, exist_ok=True)
    place = where(log)
    name = target + "-" + re.sub(r"[^A-Za-z0-9]+", "-", place)[-90:].strip("-")
    if (found / name).exists():
        unit.unlink()
        return False
    unit.rename(found / name)
    (found / (name + ".log")).write_bytes(log[-20000:])
    print(f"FOUND {target}: {place}: {found / name}", flush=True)
    return True


def number(pattern, text):
    m = re.findall(pattern, text)
    return int(m[-1]) if m else 0


def run(binary):
    target = binary.name
    own = CORPUS / target
    start = CORPUS / "seeds" / target
    work = CORPUS / "work" / f"{target}-{os.getpid()}"
    for f in (own, work):
        f.mkdir(parents=True, exist_ok=True)
    seeds(target, start)
    env = dict(os.environ, ASAN_OPTIONS=ASAN, UBSAN_OPTIONS="print_stacktrace=1", TMPDIR=str(work))
    # On a machine that is busy, time on the wall says little: what seems to hang is tried again.
    command = [binary, "-timeout=60", "-rss_limit_mb=768", "-malloc_limit_mb=300", f"-max_len={MAX_LEN[target]}",
               "-print_final_stats=1", "-print_funcs=0", "-verbosity=1", "-use_value_profile=0",
               f"-artifact_prefix={work}/"]
    words = SEEDS / f"{target}.dict"
    if words.exists():
        command.append(f"-dict={words}")
    end, cpu, executions, edges, new, broken = time.monotonic() + SECONDS, 0.0, 0, 0, 0, 0
    while time.monotonic() < end - 1 and broken < MOST_FINDINGS:
        left = int(end - time.monotonic())
        log = work / "log"
        with log.open("wb") as out:
            p = subprocess.Popen([*command, f"-max_total_time={left}", own, start], env=env, stdout=out, stderr=out,
                                 stdin=subprocess.DEVNULL, cwd=work)
            PROCESSES.add(p)
            cpu += spend(p)
            PROCESSES.discard(p)
        text = log.read_bytes()
        executions += number(rb"stat::number_of_executed_units: (\d+)", text)
        edges = max(edges, number(rb"cov: (\d+)", text))
        units = [u for u in work.glob("*-*") if u.is_file()]
        if p.returncode == 0 or STOPPED:
            break
        if not units:
            print(f"FAILED {target}: status {p.returncode}\n{text[-2000:].decode(errors='replace')}", flush=True)
            new += 1
            break
        for u in units:
            broken += 1
            if u.name.startswith("slow-unit") or (u.name.startswith("timeout") and hangs(binary, u, env) < HANG):
                u.unlink()
            else:
                new += keep(target, u, text)
    if executions:
        with (CORPUS / "ledger.tsv").open("a") as ledger:
            print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "libfuzzer", target, f"{cpu:.1f}", executions,
                  edges, new, sep="\t", file=ledger)
    print(f"{target}: {cpu:.0f} s of processor time, {executions} executions, {edges} edges, {new} new findings", flush=True)
    for f in work.glob("*"):
        f.unlink()
    work.rmdir()
    return new


PROCESSES = set()
STOPPED = False


def stop(*_):
    global STOPPED
    STOPPED = True
    for p in list(PROCESSES):
        p.send_signal(signal.SIGINT)


def main():
    targets = sorted(p for p in pathlib.Path(sys.argv[1]).resolve().iterdir() if p.name in MAX_LEN)
    targets = [t for t in targets if os.environ.get("T", "") in t.name]
    rounds, passed, failed = int(os.environ.get("ROUNDS") or 1), 0, 0
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not STOPPED:
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
            for new in pool.map(lambda t: 0 if STOPPED else run(t), targets):
                passed, failed = passed + (not new), failed + bool(new)
        rounds -= 1
        if rounds == 0:
            break
    print(f"fuzz targets: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())

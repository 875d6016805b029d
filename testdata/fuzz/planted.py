"""make fuzz-planted: does a fuzz target find bugs that are put there on purpose?

    planted.py [TARGET [BUG]]

Each bug takes one check out of a copy of the tree. A target begins with the seeds of the tree alone, and
has CPU (60) seconds of processor time for each bug, twice with different chance. Builds in a scratch
folder, upon what `make fuzz` has built."""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CPU = int(os.environ.get("CPU") or 60)
PROFILE = "libparse/decode/profile/"
STORE = "libparse/store/"

# What it takes to be found, where, what goes, and what takes its place.
BUGS = {
    "text": [
        ("more names than there is room for, in a list of mappings", PROFILE + "legacy_maps.c",
         "names->n == MAX_NAMES || ", ""),
        ("milliseconds since reset that overflow", PROFILE + "legacy_contention.c",
         "(int64_t)((uint64_t)v * 1000000)", "v * 1000000"),
        ("minutes of waiting that overflow", PROFILE + "goroutines.c",
         "if (__builtin_mul_overflow(d->g.minutes, MINUTE_NS, &values[1]))\n\t\tvalues[1] = INT64_MAX;",
         "values[1] = d->g.minutes * MINUTE_NS;"),
        ("an escape that the end of a label cuts", PROFILE + "legacy_label.c",
         " || s->end - s->at <= coded[i].digits", ""),
        ("the first thread is the same as the previous one", PROFILE + "legacy_thread.c",
         "\t\tif (n)\n\t\t\ttp_legacy_sample_at", "\t\ttp_legacy_sample_at"),
        ("bytes of no objects, in Java's heap", PROFILE + "legacy_java.c",
         "l->kind == TP_KIND_JAVA_HEAP && !value[0]", "l->kind == TP_KIND_JAVA_HEAP && value[0] < 0"),
        ("labels before the first sample", PROFILE + "legacy_comment.c",
         "!l->naming.any || l->kind != TP_KIND_COUNT", "l->kind != TP_KIND_COUNT"),
        ("a name for an address that is on no stack, in Java's", PROFILE + "legacy_java.c",
         "\t\tif (place >= 0)\n\t\t\tcode = read_name", "\t\tcode = read_name"),
        ("frames of an inlined call at the end of a stack", PROFILE + "goroutines.c",
         "for (from = n - 1; from && lines[from - 1].inlined; from--)",
         "for (from = n - 1; lines[from - 1].inlined; from--)"),
    ],
    "store": [
        ("a chunk of a pool's strings of another number of them", STORE + "pool_read.c",
         "s.rows != chunk->rows || ", ""),
        ("a run lists what its pool has not", STORE + "pool_read.c",
         "\t\t\tif (l->list->id[k][i] >= l->c->kind[k].entries)\n\t\t\t\treturn damaged(l->err, \"it lists what its pool has not\");\n",
         "\t\t\t;\n"),
        ("an event of a type that there is not", STORE + "block_decode.c", "p[0] >= TP_NEVENT_TYPES || ", ""),
        ("a written-out dictionary of more rows than were read", STORE + "merge/content.c",
         "\tif (first + rows->nrows > tp_dictfile_rows(c->dict, rows->table))\n\t\tc->exact = false;\n", ""),
    ],
}


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def hunt(tree, target, scratch):
    """Whether the target breaks within its time, and after how many seconds of it."""
    for seed in (1, 2):
        own = scratch / f"corpus-{seed}"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = tree / f"testdata/fuzz/{target}.dict"
        p = subprocess.run([tree / f"build/fuzz/fuzz/{target}", f"-seed={seed}", "-timeout=60", "-rss_limit_mb=768",
                            "-malloc_limit_mb=300", f"-max_len={600 if target == 'store' else 8192}", "-print_funcs=0",
                            *(["-entropic=0"] if target == "store" else []), f"-artifact_prefix={own}/",
                            *([f"-dict={words}"] if words.exists() else []), own, tree / "testdata/fuzz" / target],
                           preexec_fn=limited, capture_output=True, check=False,
                           env=dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1", TMPDIR=str(own),
                                    ASAN_OPTIONS="quarantine_size_mb=8:allocator_may_return_null=1:handle_abort=1"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if p.returncode > 0 and b"Test unit written" in p.stderr:
            what = re.search(rb"runtime error: .*|ERROR: \S+ \S+|\S+:\d+: .* does not hold", p.stderr)
            return seconds, what.group(0).decode(errors="replace") if what else ""
        if p.returncode not in (-24, -9):
            print(p.stderr[-2000:].decode(errors="replace"))
            sys.exit("planted: the target ended before its time")
    return None, ""


def main():
    found = missed = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch, tree = pathlib.Path(folder), pathlib.Path(folder) / "tree"
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in files.decode().split("\0"):
            if name and (ROOT / name).exists():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        if (ROOT / "build/fuzz").is_dir():
            shutil.copytree(ROOT / "build/fuzz", tree / "build/fuzz", ignore=shutil.ignore_patterns("corpus"))
        for target, bugs in BUGS.items():
            if target not in (sys.argv[1:2] or [target]):
                continue
            for name, path, old, new in bugs:
                if len(sys.argv) > 2 and sys.argv[2] not in name:
                    continue
                sound = (tree / path).read_text()
                if sound.count(old) != 1:
                    sys.exit(f"planted: {path} no longer has what the bug \"{name}\" takes out")
                (tree / path).write_text(sound.replace(old, new))
                subprocess.run(["make", "--no-print-directory", "CC=clang", "FLAVOUR=fuzz", "SAN=address,undefined",
                                "CFLAGS=-O1 -g -w -fsanitize=fuzzer-no-link", f"build/fuzz/fuzz/{target}"],
                               cwd=tree, check=True, stdout=subprocess.DEVNULL)
                seconds, what = hunt(tree, target, scratch)
                (tree / path).write_text(sound)
                found, missed = found + (seconds is not None), missed + (seconds is None)
                print(f"{target}: {name}: " + (f"found after {seconds:.0f} s: {what}" if what or seconds else "not found"),
                      flush=True)
    print(f"planted bugs: {found} found, {missed} not found")
    return 0


sys.exit(main())

"""Nothing of the original names is left in what tprof-export --anonymise writes.

    python3 testdata/check/anonymise.py BIN_FOLDER [DUMP ...]

Every text of every dump (of testdata, unless named) that is four bytes long or longer and is not
the runtime's own is looked for in the bytes of the anonymised dump, unpacked.
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# What stays: words of the format, of the runtime, of units and types; main.main.
STAYS = re.compile(rb"^(main|main\.main|/src/|bytes|goroutine|count|objects|space|nanoseconds|samples|"
                   rb"contentions|delay|cpu|category|stop-the-world.*|\[.*\]|<.*>)$")


def run(*args):
    return subprocess.run([BIN + "/" + args[0], *args[1:]], capture_output=True)


def words(dump):
    """Texts of a dump, and those of them that are the runtime's."""
    def column(sql):
        out = run("tprof-query", "--format=json", dump, sql).stdout.decode("utf-8", "replace")
        try:
            rows = json.loads(out)
        except ValueError:
            return set()
        return {list(r.values())[0] for r in (rows if isinstance(rows, list) else []) if r}
    names = column("SELECT name FROM function UNION SELECT file FROM function UNION SELECT name FROM task "
                   "UNION SELECT name FROM region UNION SELECT message FROM log UNION SELECT category FROM log "
                   "UNION SELECT text FROM comment UNION SELECT text FROM bucket_label UNION SELECT file FROM mapping "
                   "UNION SELECT build_id FROM mapping UNION SELECT key FROM bucket_label")
    own = column("SELECT reason FROM site UNION SELECT name FROM range UNION SELECT type FROM sample_type")
    return {n for n in names if isinstance(n, str)}, own


def check(dump):
    names, own = words(dump)
    wanted = {n.encode("utf-8", "surrogateescape") for n in names - own if len(n) >= 4}
    wanted = {n for n in wanted if not STAYS.match(n) and b"\\" not in n}
    trace = open(dump, "rb").read(6) == b"go 1.2" or open(dump, "rb").read(5) == b"go 1."
    looked = 0
    for form in (("trace", "perfetto") if trace else ("pprof",)):
        out = os.path.join(SCRATCH, "out")
        r = run("tprof-export", "--format=" + form, "--anonymise=all", "-o", out, dump)
        if r.returncode:
            return "%s: %s" % (form, r.stderr.decode().strip())
        data = open(out, "rb").read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        left = sorted(n for n in wanted if n in data)
        if left:
            return "%s: %d of %d names are left: %s" % (form, len(left), len(wanted), left[:5])
        looked = len(wanted)
        # The same with and without names: structure and numbers.
        if form == "trace":
            a = [l.split("\t")[:5] for l in run("tprof-export", "--format=events", out).stdout.decode("utf-8", "replace").split("\n")]
            run("tprof-export", "--format=trace", "-o", out, dump)
            b = [l.split("\t")[:5] for l in run("tprof-export", "--format=events", out).stdout.decode("utf-8", "replace").split("\n")]
            if a != b:
                return "events differ"
    COUNT[0] += looked
    return None


def main():
    dumps = sys.argv[2:] or sorted(glob.glob("testdata/*.trace") + glob.glob("testdata/*.cpu") + glob.glob("testdata/*.heap")
                                   + glob.glob("testdata/*.mutex") + glob.glob("testdata/corpus/traces/*.trace"))
    failed = 0
    for dump in dumps:
        wrong = check(dump)
        if wrong:
            failed += 1
            print("%s: %s" % (dump, wrong))
    print("anonymise: %d dumps, %d names looked for, %d failed" % (len(dumps), COUNT[0], failed))
    return failed != 0 or not COUNT[0]


BIN = os.path.abspath(sys.argv[1])
COUNT = [0]
with tempfile.TemporaryDirectory() as SCRATCH:
    os.environ["XDG_CACHE_HOME"] = SCRATCH
    sys.exit(main())

"""--budget: every table, text and report, in every format, within budgets of many sizes.

    python3 testdata/check/budget.py BIN_FOLDER

An output that fits is what it is without a budget. Another one has at most as many bytes, only lines of the
whole output, in their order, of each table the first rows; and it says how many rows are missing, and which
budget would do. Where no terminal is, no name is cut."""
import json
import os
import re
import subprocess
import sys
import tempfile

from columns import TABLES, reports

TRACE, CPU, HEAP = "testdata/checkout.trace", "testdata/catalog.cpu", "testdata/catalog.heap"
# Besides tables: texts, which have no formats, and pages.
TEXTS = [f"tprof-top --{report} {CPU}" for report in
         ("tree", "peek=main", "traces", "tags", "raw", "list=main.less --source-path=testdata/programs")]
TEXTS += [f"tprof-path --task=order --slowest {TRACE} --format=text", f"tprof-top {TRACE} mmu --format=chart",
          f"tprof-flame --format=text {CPU}", f"tprof-report --format=markdown {TRACE}",
          f"tprof-report --format=markdown {CPU}", f"tprof-report --format=markdown --base={HEAP} {HEAP}",
          f"tprof-report --format=markdown --base={TRACE} testdata/pool.trace",
          f"tprof-report --format=markdown testdata/checkout-cut.trace"]
WHOLE = [f"tprof-report {TRACE}", f"tprof-flame --format=svg {CPU}", f"tprof-flame --format=folded {CPU}",
         f"tprof-top --format=pprof {CPU}", f"tprof-top --format=dot {CPU}", f"tprof-path --format=svg {TRACE}",
         f"tprof-diff --format=pprof {HEAP} {HEAP}"]
FORMATS = ["--format=table", "--format=markdown", "--format=csv", "--format=tsv", "--format=json", "--json-head"]
LEFT = re.compile(r"left out (?:([\d,]+) of ([\d,]+) rows)?.*to fit --budget=(\d+); --budget=(\d+) shows all$")
passed = failed = 0


def run(words):
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    r = subprocess.run([f"{BIN}/{words[0]}", *words[1:]], capture_output=True, env=env)
    return r.returncode, r.stdout, r.stderr.decode()


def check(good, words, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED", " ".join(words).replace(TMP, "TMP") + ":", what)
    return good


def in_order(part, whole):
    """Returns whether all lines of part are lines of whole, in this order. Blank lines may come anywhere."""
    rest = iter(whole)
    return all(any(line == other for other in rest) for line in part if line)


def tables_of(text):
    """Returns rows by table: of a JSON array, of an object of arrays, or with a head."""
    data = json.loads(text)
    if isinstance(data, list):
        return {"": data}
    return {t["name"]: t["rows"] for t in data["tables"]} if "tables" in data else data


def is_first_rows(rows, whole):
    return list(rows) == list(whole) and all(rows[name] == whole[name][:len(rows[name])] for name in rows)


def of_json(words, out, err, whole):
    try:
        rows, all_rows = tables_of(out), tables_of(whole)
    except ValueError as e:
        check(False, words, f"is no JSON: {e}")
        return
    check(is_first_rows(rows, all_rows), words, "not the first rows of each table")
    counts = sum(map(len, rows.values())), sum(map(len, all_rows.values()))
    if "--json-head" in words:
        cut = [c for c in json.loads(out)["cut"] if "option" in c]
        # Tables of one name, as of several statements, count as one here.
        check(sum(c["of"] - c["shown"] for c in cut) == counts[1] - counts[0], words, f"cut is {cut}, not {counts}")
    else:
        said = LEFT.search(err.rstrip())
        missing = int(said[1].replace(",", "")) if said and said[1] else 0
        check(said and missing == counts[1] - counts[0], words, f"said: {err!r}, not {counts}")


def of_lines(words, out, err, whole, silent):
    lines = out.decode().split("\n")
    said = LEFT.search(err.rstrip() if silent else lines[-2])
    check(bool(said), words, f"the last line does not say what was left out: {lines[-2:]} {err!r}")
    part, all_lines = ([without_command(x) for x in text.split(b"\n")] for text in (out, whole))
    check(in_order(part[:-1] if silent else part[:-2], all_lines), words, "lines of their own")
    if said:
        more = [w for w in words if not w.startswith("--budget")] + [f"--budget={said[4]}"]
        again = run(more)[1]
        check(without_command(again) == without_command(whole), more, "does not show all")


def without_command(text):
    """The command line, which has the budget in it, is in JSON with a head and on pages."""
    return re.sub(rb'("command": \[.*|`tprof-report .*)', b"", text)


def try_budget(words, whole, budget):
    words = [*words, f"--budget={budget}"]
    status, out, err = run(words)
    if status == 2:
        # What JSON needs besides rows may be too much, and then it says how much.
        need = re.search(r"--budget=(\d+) or more", err)
        check("json" in " ".join(words) and need and not out, words, f"refused: {err}")
        if need:
            check(run([*words[:-1], f"--budget={need[1]}"])[0] in (0, 1), words, f"{need[1]} does not do either")
        return
    check(len(out) <= budget, words, f"has {len(out)} bytes")
    if len(out) == len(whole) or without_command(out) == without_command(whole):
        check(without_command(out) == without_command(whole) and "left out" not in err, words, "differs")
        return
    # A page and a head have the command in them, and are a little longer with the option.
    check(len(whole) + 40 > budget, words, "cuts what fits")
    if "json" in " ".join(words):
        of_json(words, out, err, whole)
    else:
        of_lines(words, out, err, whole, "csv" in words[-2] or "tsv" in words[-2])


def try_command(words, turn):
    status, whole, _ = run(words)
    if not check(status in (0, 1) and whole, words, f"ends with {status}"):
        return
    size = len(whole)
    sizes = sorted({200 + 37 * (turn % 9), size // 2, size - 1, size})
    for budget in sizes:
        if budget >= 200:
            try_budget(words, whole, budget)
    if "--format=table" in words or "--format=markdown" in words:
        check("…" not in re.sub("^… and .*", "", whole.decode(), flags=re.M), words, "a name is cut")


BIN = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as TMP:
    store = f"{TMP}/a.tprof"
    run(["tprof-import", "-o", store, HEAP, CPU, TRACE])
    many = "SELECT name, kind FROM run; SELECT name FROM run WHERE id > 1; SELECT ts_ns, kind FROM event LIMIT 300"
    commands = [c.replace("TMP", TMP).split() for _, c, _ in TABLES]
    commands += [["tprof-top", TRACE, report, "-n", "0"] for report in reports(BIN)]
    commands += [["tprof-query", store, many], ["tprof-path", TRACE, "--task=order"]]
    for turn, words in enumerate(commands):
        # Each command in the table's format and in one or two others.
        for k, form in enumerate(FORMATS):
            if not k or (k + turn) % 3 == 0:
                try_command([*words, form], turn)
    for turn, words in enumerate(TEXTS):
        try_command(words.split(), turn)
    for words in WHOLE:
        words = [*words.split(), "--budget=5000"]
        status, out, err = run(words)
        check(status == 2 and not out and "only as a whole" in err, words, f"not refused: {err}")
    for size in ("0", "199", "65MiB", "many"):
        check(run(["tprof-top", TRACE, f"--budget={size}"])[0] == 2, ["--budget", size], "not refused")
print(f"budget: {passed} passed, {failed} failed")
sys.exit(failed > 0)

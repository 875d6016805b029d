"""The tables of tprof-json(5) and of the skill's json.md, made from what commands say of their columns (--json-head).

    python3 testdata/check/columns.py BIN_FOLDER    compares the manual with the commands
    UPDATE=1 python3 …                              writes both anew

A table that is in the manual has to have the same columns. Only columns that the run or the runs name may
lack a description; the text below their table has to say what they are."""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile

PAGE = "man/tprof-json.5"
SKILL = "cmd/tprof/skill/references/json.md"
BEGIN, END = '.\\" tables begin\n', '.\\" tables end\n'
NAMED_BY_RUNS = re.compile(r"blocked_\w+_ns|ledger-\d\.heap")
TRACE, OTHER, HEAP = "testdata/pool.trace", "testdata/checkout.trace", "testdata/catalog.heap"
CPU = "testdata/catalog.cpu"
# Heading; the command, TMP an empty folder; then what else to say of the table.
TABLES = [
    ("tprof-top incident", f"tprof-top {OTHER} incident", ""),
    ("tprof-path hops", f"tprof-path --task=12 {TRACE} hops", ""),
    ("tprof-path totals", f"tprof-path --task=12 {TRACE} totals", ""),
    ("tprof-path tree", f"tprof-path --task=12 {TRACE} tree", ""),
    ("tprof-path requests", f"tprof-path {TRACE} requests", ""),
    ("tprof-path wakers", f"tprof-path {TRACE} wakers", ""),
    ("tprof-path blame", f"tprof-path --task=checkout {TRACE} blame", ""),
    ("tprof-path what-if", f"tprof-path --task=12 {TRACE} what-if", ""),
    ("tprof-leaks", "tprof-leaks --by=trace_id testdata/desk/desk.d2", ""),
    ("tprof-top of profiles", f"tprof-top {HEAP}", ""),
    ("tprof-top --tags", f"tprof-top --tags {HEAP}", ""),
    ("tprof-top --list", f"tprof-top --list=main.less --source-path=testdata/programs {CPU}", ""),
    ("tprof-top --tree, --peek", f"tprof-top --peek=main.less {CPU}", ""),
    ("tprof-top --goroutines", "tprof-top --goroutines --by=trace_id testdata/desk/desk.d2", ""),
    ("tprof-top --deadlock", "tprof-top --deadlock testdata/deadlock/inversion.d2", ""),
    ("tprof-top --over", "tprof-top --over=run testdata/ledger/ledger-1.heap testdata/ledger/ledger-2.heap",
     "The slope is slope_per_run, slope_per_second, slope_per_minute, slope_per_hour or slope_per_day.\n"
     "Then a column for each run, with its value; runs of the same name are told apart by\n(2), (3) and so on."),
    ("tprof-diff --self-check", "tprof-diff --self-check=1 --base testdata/ledger/ledger-1.heap testdata/ledger/ledger-2.heap", ""),
    ("tprof-diff of profiles", "tprof-diff testdata/ledger/ledger-1.heap testdata/ledger/ledger-2.heap",
     "The last column\n(here function)\nis named by --by.\nComparisons of several profiles a side also have n_old, n_new, u, p, q and "
     "verdict,\nand the ends of intervals, as those of traces."),
    ("tprof-diff of traces", f"tprof-diff {TRACE} {OTHER}", ""),
    ("tprof-diff --gate", "tprof-diff --gate=flat(.)>+900% testdata/ledger/ledger-1.heap testdata/ledger/ledger-2.heap", ""),
    ("tprof-store list", "tprof-store list TMP/a.tprof", ""),
    ("tprof-store show", "tprof-store show TMP/a.tprof", ""),
    ("tprof-store clocks", "tprof-store clocks TMP/a.tprof", ""),
]


def ask(bin_folder, command, tmp):
    words = command.replace("TMP", tmp).split()
    run = subprocess.run([f"{bin_folder}/{words[0]}", *words[1:], "--json-head"], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)["tables"]
    except ValueError as e:
        sys.exit(f"FAILED {command} --json-head is no JSON ({e}): {run.stderr}{run.stdout[:200]}")


def reports(bin_folder):
    text = subprocess.run([f"{bin_folder}/tprof-top", "--help=all"], capture_output=True, text=True).stdout
    return list(dict.fromkeys(re.findall(r"^  ([a-z]+)  ", text[text.index("\nReports "):], re.M)))


def table(heading, columns, more):
    lines = [f".Ss {heading}", '.Bl -column -compact "blocked_reason_ns" "count"']
    for c in columns:
        if "doc" in c:
            lines.append(f".It {c['name']} Ta {c['kind']} Ta \\&{c['doc'][0].upper()}{c['doc'][1:]}")
        # Texts that tables make of other columns need none.
        elif not NAMED_BY_RUNS.fullmatch(c["name"]) and (c["kind"] != "text" or c.get("raw")):
            sys.exit(f"FAILED {heading}: the column {c['name']} has no description")
    return "\n".join([*lines, ".El", *([more] if more else [])]) + "\n"


def markdown(text):
    lines = ["# Keys of the tables as JSON", "",
             "With `--format=json` each row is an object with these keys; `--json-head` adds title, kind and doc of each "
             "column, totals, filters and cut rows. Kinds: ns and bytes are integers, share is a fraction (0.125 is "
             "12.5 %), null is not known. Times count from the beginning of the run."]
    for line in text.splitlines():
        if line.startswith(".Ss "):
            lines += ["", f"## {line[4:]}", ""]
        elif line.startswith(".It "):
            name, kind, *doc = line[4:].split(" Ta ")
            lines.append(f"- `{name}` ({kind})" + "".join(f": {d[2:]}" for d in doc))
        elif not line.startswith("."):
            lines.append(line if lines[-1] and lines[-1][0] != "-" else f"\n{line}")
    return "\n".join(lines) + "\n"


def main():
    bin_folder = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([f"{bin_folder}/tprof-import", "-o", f"{tmp}/a.tprof", TRACE], check=True,
                       capture_output=True)
        text = ""
        for report in reports(bin_folder):
            found = ask(bin_folder, f"tprof-top {OTHER} {report}", tmp)
            if len(found) == 1:
                text += table(f"tprof-top {report}", found[0]["columns"],
                              "Then blocked_REASON_ns for each reason to wait for." if report == "groups" else "")
        for heading, command, more in TABLES:
            found = ask(bin_folder, command, tmp)
            for t in found:
                text += table(heading + (f", {t['name']}" if len(found) > 1 else ""), t["columns"], more)
    page = open(PAGE, encoding="utf-8").read()
    before, rest = page.split(BEGIN)
    new = {PAGE: before + BEGIN + text + END + rest.split(END)[1], SKILL: markdown(text)}
    for path, wanted in new.items():
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if os.environ.get("UPDATE"):
            open(path, "w", encoding="utf-8").write(wanted)
        elif old != wanted:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), wanted.splitlines(True), path, "the commands"))
            sys.exit(f"FAILED {path} lists other columns than the commands have")
    print(f"{text.count('.It ')} passed, 0 failed")


if __name__ == "__main__":
    main()

"""The reports and sort keys that tprof-web's page knows (page/top.js) are those of tprof-top --help.

    python3 testdata/check/webreports.py BIN_FOLDER"""
import re
import subprocess
import sys

SCRIPT = "cmd/tprof-web/page/top.js"
# The overview is a view of its own, and pauses are the tables gc and stops.
LEFT_OUT = {"overview", "pauses"}


def of_help(bin_folder):
    text = subprocess.run([f"{bin_folder}/tprof-top", "--help=all"], capture_output=True, text=True).stdout
    found, name = {}, None
    for line in text[text.index("\nReports "):].splitlines():
        report, keys = re.match(r"  ([a-z]+)  ", line), re.match(r" {14}(?:by | {3})([a-z].*)", line)
        if report:
            name = report[1]
        elif keys and (" by " in line or name in found):
            found[name] = found.get(name, []) + keys[1].split()
    return {k: v for k, v in found.items() if k not in LEFT_OUT}


def of_page():
    text = open(SCRIPT, encoding="utf-8").read()
    table = re.search(r"REPORTS = \{(.*?)\n\};", text, re.S)[1]
    picked = text[text.index("SUBJECTS = "):text.index("const VIEWS")]
    shown = {w for names in re.findall(r"\['\w+', '([a-z ]+)'\]", picked) for w in names.split()}
    return {k: v.split() for k, v in re.findall(r"(\w+): '([^']*)'", table)}, shown


def main():
    want, (got, shown) = of_help(sys.argv[1]), of_page()
    wrong = [k for k in sorted({*want, *got}) if want.get(k) != got.get(k)]
    for k in wrong:
        print(f"FAILED {SCRIPT}: report {k}: {got.get(k)}, but tprof-top --help has {want.get(k)}")
    if shown != set(got):
        print(f"FAILED {SCRIPT}: the buttons do not pick the same reports: {shown ^ set(got)}")
    print(f"{len(got) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or shown != set(got) else 0


sys.exit(main())

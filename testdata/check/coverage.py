"""make coverage: which lines of libparse are reached by what gcov noted in a build with COVERAGE=1.

    python3 testdata/check/coverage.py BUILD_FOLDER LEAST [FILE]

A table of the folders of libparse, then the files of which most is missing. FILE gets the lines that
nothing reached, as PATH:LINE: TEXT. Fails where less than LEAST percent of the lines were reached.
Nothing is left out of that; how many of the missing lines are about lack of memory (which make faults
reaches) is told beside it. What else was noted (reports, commands) is told in a line each; nothing is
asked of it.
"""

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys


MEMORY = re.compile(r"ENOMEM|NOMEM|nomem|no_memory|out_of_memory|out of memory")
AT_ONCE = 24  # objects of one call of gcov
LEAST_TOLD = 10


def noted(paths):
    """What gcov has to say of some objects: {file: {line: reached}}."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    lines = collections.defaultdict(dict)
    for text in done.stdout.splitlines():
        if not text.startswith(b"{"):
            continue
        for file in json.loads(text)["files"]:
            for line in file["lines"]:
                number = line["line_number"]
                lines[file["file"]][number] = lines[file["file"]].get(number, False) or line["count"] > 0
    return lines


def objects(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            # Also of what was compiled and never run: it counts as not reached.
            if name.endswith(".gcno") and not name.endswith("_test.gcno"):
                yield os.path.join(place, name)


def folder_of(path):
    parts = os.path.dirname(path).split("/")
    return "/".join(parts[:3]) if parts[0] == "libparse" else "/".join(parts[:2] if parts[0] == "cmd" else parts[:1])


def main():
    build, least = sys.argv[1], float(sys.argv[2])
    files = collections.defaultdict(dict)
    paths = sorted(objects(os.path.join(build, "obj")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(noted, [paths[i:i + AT_ONCE] for i in range(0, len(paths), AT_ONCE)]):
            for path, numbers in lines.items():
                for number, reached in numbers.items():
                    files[path][number] = files[path].get(number, False) or reached

    def counts(paths):
        return (sum(sum(files[p].values()) for p in paths), sum(len(files[p]) for p in paths))

    folders = collections.defaultdict(list)
    for path in sorted(files):
        if path.startswith(("libparse/", "libreport/", "cmd/")):
            folders[folder_of(path)].append(path)
    ours = [p for p in files if p.startswith("libparse/")]
    print("%-28s %7s %7s %8s" % ("folder", "lines", "reached", "percent"))
    for folder in sorted(folders, key=lambda f: (not f.startswith("libparse"), f)):
        reached, all_of_it = counts(folders[folder])
        if folder.startswith("libparse") or reached:
            print("%-28s %7d %7d %7.1f%%" % (folder, all_of_it, reached, 100.0 * reached / all_of_it))
    missing = {}
    for path in sorted(ours):
        with open(path, encoding="utf-8") as source:
            text = source.read().split("\n")
        missing[path] = [(n, text[n - 1].strip() if n <= len(text) else "")
                         for n in sorted(files[path]) if not files[path][n]]
    print("\nlines that nothing reached:")
    for path in sorted(missing, key=lambda p: -len(missing[p])):
        if len(missing[path]) >= LEAST_TOLD:
            print("%5d of %5d  %s" % (len(missing[path]), len(files[path]), path))
    rest = [path for path in missing if 0 < len(missing[path]) < LEAST_TOLD]
    print("%5d           in %d other files" % (sum(len(missing[p]) for p in rest), len(rest)))
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", encoding="utf-8") as out:
            for path in sorted(missing):
                for number, line in missing[path]:
                    out.write("%s:%d: %s\n" % (path, number, line))
    reached, all_of_it = counts(ours)
    if not all_of_it:
        print("FAILED there is nothing in %s" % build)
        return 1
    memory = sum(bool(MEMORY.search(line)) for path in missing for _, line in missing[path])
    percent = 100.0 * reached / all_of_it
    print("\nlibparse: %d of %d lines, %.2f%%; at least %.0f%% is asked" % (reached, all_of_it, percent, least))
    print("%d of the %d lines that are missing are about lack of memory; without them it is %.2f%%"
          % (memory, all_of_it - reached, 100.0 * reached / (all_of_it - memory)))
    print("coverage: %d passed, %d failed" % (percent >= least, percent < least))
    return 0 if percent >= least else 1


if __name__ == "__main__":
    sys.exit(main())

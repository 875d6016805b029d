"""make coverage: which lines of libparse are reached by what gcov noted in a build with COVERAGE=1.

    python3 testdata/check/coverage.py BUILD_FOLDER LEAST [FILE]

A table of the folders of libparse, then the files of which most is missing. FILE gets the lines that
nothing reached, as PATH:LINE: TEXT. Fails where less than LEAST percent of the lines were reached.
What else was noted (reports, commands) is told in a line each; nothing is asked of it.
"""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys


def noted(path):
    """What gcov has to say of one object: {file: {line: reached}}."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    lines = collections.defaultdict(dict)
    for text in done.stdout.splitlines():
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(noted, sorted(objects(os.path.join(build, "obj")))):
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
    print("\nmost lines that nothing reached:")
    missing = {p: len(files[p]) - sum(files[p].values()) for p in ours}
    for path in sorted(missing, key=lambda p: -missing[p])[:15]:
        print("%5d of %5d  %s" % (missing[path], len(files[path]), path))
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w", encoding="utf-8") as out:
            for path in sorted(ours):
                with open(path, encoding="utf-8") as source:
                    text = source.read().split("\n")
                for number in sorted(n for n, reached in files[path].items() if not reached):
                    out.write("%s:%d: %s\n" % (path, number, text[number - 1].strip() if number <= len(text) else ""))
    reached, all_of_it = counts(ours)
    if not all_of_it:
        print("FAILED there is nothing in %s" % build)
        return 1
    percent = 100.0 * reached / all_of_it
    print("\nlibparse: %d of %d lines, %.2f%%; at least %.0f%% is asked" % (reached, all_of_it, percent, least))
    print("coverage: %d passed, %d failed" % (percent >= least, percent < least))
    return 0 if percent >= least else 1


if __name__ == "__main__":
    sys.exit(main())

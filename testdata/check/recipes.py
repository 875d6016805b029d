"""The recipes for CI in testdata/ci do what they say: their steps are run as a runner would, in the shells that
runners have, on a small module. main records and checks the gates; then a change without an effect has to pass,
and one that allocates and takes four times as much has to fail, with what changed in the summary.

    python3 testdata/check/recipes.py BIN_FOLDER GO    GO is a go command, 1.22 or later; needs python3-yaml

Only installing tprof and what `uses:` names are not run: caches are folders here."""
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = "testdata/ci"
passed = failed = 0


def check(ok, what, more=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED", what, more, sep="\n")


class Runner:
    def __init__(self, bin_folder, go, tmp):
        self.tmp, self.cache, self.repository = tmp, os.path.join(tmp, "cache"), os.path.join(tmp, "shop")
        self.summary = os.path.join(tmp, "summary.md")
        builds = subprocess.run([go, "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
        self.env = {"GOCACHE": builds, "PATH": f"{os.path.abspath(bin_folder)}:{os.path.dirname(os.path.abspath(go))}:/usr/bin:/bin",
                    "HOME": tmp, "XDG_CACHE_HOME": os.path.join(tmp, "home"), "GOTOOLCHAIN": "local",
                    "GOFLAGS": "-mod=mod", "LC_ALL": "C.UTF-8", "GITHUB_STEP_SUMMARY": self.summary}

    def checkout(self, copies):
        shutil.rmtree(self.repository, ignore_errors=True)
        shutil.copytree(f"{HERE}/shop", self.repository)
        path = f"{self.repository}/shop.go"
        with open(path) as f:
            text = f.read()
        assert "const copies = 4\n" in text
        with open(path, "w") as f:
            f.write(text.replace("const copies = 4\n", f"const copies = {copies}\n"))
        if os.path.exists(self.summary):
            os.remove(self.summary)

    def run(self, shell, script, env):
        env = {**self.env, **{k: str(v) for k, v in env.items()}}
        r = subprocess.run([*shell, script], cwd=self.repository, env=env, capture_output=True, text=True)
        self.said = r.stdout + r.stderr
        return r.returncode

    def save(self, path):
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(os.path.join(self.repository, path), self.cache)

    def restore(self, path):
        shutil.copytree(self.cache, os.path.join(self.repository, path))

    def read(self, name):
        with open(os.path.join(self.repository, name)) as f:
            return f.read()


def github(runner, event, copies):
    with open(f"{HERE}/github.yml") as f:
        recipe = yaml.safe_load(f)
    runner.checkout(copies)
    for step in recipe["jobs"]["gates"]["steps"]:
        uses, only = step.get("uses", "").split("@")[0], step.get("if")
        if only and only not in ("github.event_name == 'push'", "github.event_name == 'pull_request'"):
            sys.exit(f"FAILED github.yml: the condition {only} is not known here")
        if (only and event not in only) or step.get("name") == "Install tprof":
            continue
        if uses == "actions/cache/restore":
            runner.restore(step["with"]["path"])
        elif uses == "actions/cache/save":
            runner.save(step["with"]["path"])
        elif uses and uses not in ("actions/checkout", "actions/setup-go"):
            sys.exit(f"FAILED github.yml: {uses} is not known here")
        elif not uses:
            # The shell of GitHub's runners on Linux.
            status = runner.run(["bash", "-e", "-c"], step["run"], {**recipe["env"], **step.get("env", {})})
            if status:
                return step["name"], status
    return None, 0


def gitlab(runner, job, copies):
    with open(f"{HERE}/gitlab.yml") as f:
        recipe = yaml.safe_load(f)
    job = recipe[job]
    runner.checkout(copies)
    if job["cache"]["policy"] == "pull":
        runner.restore("base")
    # Lines of a script are one shell script, which an error ends.
    script = "\n".join(["set -eo pipefail", *job["script"]])
    status = runner.run(["bash", "-c"], script, recipe["variables"])
    if not status and job["cache"]["policy"] == "push":
        runner.save("base")
    return status


def main():
    with tempfile.TemporaryDirectory() as tmp:
        runner = Runner(sys.argv[1], sys.argv[2], tmp)
        step, status = github(runner, "push", 4)
        check(status == 0, "github.yml: main records its dumps and checks the gates", f"{step}: {runner.said}")
        with open(runner.summary) as f:
            check(f.read().count("| any row changed |") >= 2, "github.yml: the summary of main has both self-checks")
        step, status = github(runner, "pull_request", 4)
        check(status == 0, "github.yml: the same program passes", f"{step}: {runner.said}")
        step, status = github(runner, "pull_request", 16)
        check((step, status) == ("Compare", 1), "github.yml: a larger one fails", f"{step} {status}: {runner.said}")
        with open(runner.summary) as f:
            text = f.read()
        for word in ("shop.receipt", "| exceeded | alloc", "| exceeded | task", "order\\].p50"):
            check(word in text, f"github.yml: the summary has {word}", text)

        status = gitlab(runner, "base", 4)
        check(status == 0, "gitlab.yml: the default branch records its dumps", runner.said)
        status = gitlab(runner, "gates", 4)
        check(status == 0, "gitlab.yml: the same program passes", runner.said)
        status = gitlab(runner, "gates", 16)
        check(status == 1, "gitlab.yml: a larger one fails", f"{status}: {runner.said}")
        check("shop.receipt" in runner.read("gates.md"), "gitlab.yml: gates.md says what changed")
        for name in ("gates-heap.xml", "gates-trace.xml"):
            check("<failure" in runner.read(name), f"gitlab.yml: {name} has the failure", runner.read(name))
    print(f"recipes: {passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())

"""Runs the jobs of a GitHub workflow on this machine: its `run:` steps with bash, its expressions, and stand-ins for the
few actions that the examples use. What it does not know is an error, so an example cannot use it untested."""

import itertools
import pathlib
import re
import shutil
import subprocess

import yaml

LIMIT = 900  # seconds of a step
EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
COMPARISON = re.compile(r"^([\w.-]+) (==|!=) '([^']*)'$")


class ActionsCache:
    """What actions/cache keeps: key -> file. An entry never changes; the newest with a prefix is found."""

    def __init__(self, directory):
        self.directory = directory
        directory.mkdir()
        self.entries = {}

    def save(self, key, path):
        if key not in self.entries:
            self.entries[key] = self.directory / str(len(self.entries))
            shutil.copyfile(path, self.entries[key])

    def restore(self, key, prefixes, path):
        """The key that was found, or ''."""
        for wanted in [key, *prefixes]:
            for known in reversed(self.entries):
                if known == key or (wanted != key and known.startswith(wanted)):
                    shutil.copyfile(self.entries[known], path)
                    return known
        return ""


class Failed(Exception):
    """A step ended with another exit code than 0."""


class Job:
    """One job of a workflow, with one row of its matrix, on a machine of its own.

    context: values of expressions, such as github.event_name, vars.* and secrets.*; and under the name of a role the
    variables with its keys.
    """

    def __init__(self, job, row, machine, sources, context, variables, cache=None):
        self.steps, self.cache = job["steps"], cache
        self.workspace, self.temp = machine / "workspace", machine / "temp"
        self.temp.mkdir(parents=True)
        shutil.copytree(sources, self.workspace)
        self.context = {**context, **{f"matrix.{name}": value for name, value in row.items()}}
        # Not github.workspace and runner.temp, which name other directories in a container.
        self.summary, self.environment_file = self.temp / "summary.md", self.temp / "environment"
        self.path_file, self.outputs_file = self.temp / "path", self.temp / "outputs"
        self.path_file.write_text("")
        self.variables = {
            **variables, "GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self.temp), "CI": "true",
            "GITHUB_ENV": str(self.environment_file), "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_PATH": str(self.path_file), "GITHUB_OUTPUT": str(self.outputs_file),
            **self.filled(job.get("env", {}))
        }
        self.ran, self.failed = [], None

    def value(self, expression):
        if expression.startswith("steps."):
            return self.context.get(expression, "")
        if expression not in self.context and (comparison := COMPARISON.match(expression)):
            return "true" if self.holds(*comparison.groups()) else "false"
        return self.context[expression]

    def text(self, template):
        return EXPRESSION.sub(lambda found: self.value(found.group(1)), str(template))

    def filled(self, mapping):
        return {name: self.text(template) for name, template in mapping.items()}

    def wanted(self, condition):
        if condition == "always()":
            return True
        if self.failed:
            return False
        if condition is None:
            return True
        return self.holds(*COMPARISON.match(condition).groups())

    def holds(self, name, operator, other):
        return (self.value(name) == other) == (operator == "==")

    def run(self):
        """All steps. Raises Failed at the end if one failed, as the job would."""
        for step in self.steps:
            if not self.wanted(step.get("if")):
                continue
            self.ran.append(step.get("name", step.get("uses")))
            try:
                self.use(step) if "uses" in step else self.run_shell(step)
            except Failed as failure:
                self.failed = failure
        if self.failed:
            raise self.failed
        return self

    def use(self, step):
        action, options = step["uses"].split("@")[0], self.filled(step.get("with", {}))
        if action == "actions/cache/restore":
            found = self.cache.restore(options["key"], options["restore-keys"].split(), self.workspace / options["path"])
            self.context[f"steps.{step['id']}.outputs.cache-matched-key"] = found
        elif action == "actions/cache/save":
            self.cache.save(options["key"], self.workspace / options["path"])
        elif action == "aws-actions/configure-aws-credentials":
            self.export(self.context[options["role-to-assume"]])
        elif action.startswith("./"):
            self.compose(action, options)
        elif action != "actions/checkout":
            raise AssertionError(f"no stand-in for {action}")

    def compose(self, action, options):
        """The steps of a composite action, whose inputs and steps' outputs are its own."""
        parsed = yaml.safe_load((self.workspace / action / "action.yml").read_text())
        unknown = set(options) - set(parsed["inputs"])
        assert not unknown, f"{action} has no input {unknown}"
        inputs = {name: str(options.get(name, given.get("default", ""))) for name, given in parsed["inputs"].items()}
        context, steps = self.context, self.steps
        self.context = {name: value for name, value in context.items() if not name.startswith("steps.")}
        self.context.update({f"inputs.{name}": value for name, value in inputs.items()})
        self.steps = parsed["runs"]["steps"]
        try:
            for step in self.steps:
                assert "uses" in step or step["shell"] == "bash", step
            self.run()
        finally:
            self.context, self.steps = context, steps

    def export(self, variables):
        """For all later steps."""
        with self.environment_file.open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in variables.items())

    def run_shell(self, step):
        """As GitHub runs it: bash -e -o pipefail, with the variables that earlier steps have set."""
        if self.environment_file.exists():
            self.variables.update(line.split("=", 1) for line in self.environment_file.read_text().splitlines())
        for directory in self.path_file.read_text().splitlines():
            self.variables["PATH"] = f"{directory}:{self.variables['PATH']}"
        self.path_file.write_text("")
        self.outputs_file.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.text(step["run"])], cwd=self.workspace,
            env={**self.variables, **self.filled(step.get("env", {}))}, capture_output=True, text=True, timeout=LIMIT
        )
        if done.returncode != 0:
            raise Failed(f"{step['name']}: exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        for name, value in (line.split("=", 1) for line in self.outputs_file.read_text().splitlines()):
            self.context[f"steps.{step['id']}.outputs.{name}"] = value


class Workflow:
    def __init__(self, path):
        self.parsed = yaml.safe_load(pathlib.Path(path).read_text())

    def events(self):
        return set(self.parsed[True])  # YAML 1.1 reads `on` so

    def rows(self):
        """Of the matrix of each job."""
        jobs = self.parsed["jobs"].values()
        return list(itertools.chain.from_iterable([(job, row) for row in job["strategy"]["matrix"]["include"]] for job in jobs))

"""A copy of the project's sources, which edits change, and its build directories, which ninja builds."""

import dataclasses
import hashlib
import os
import pathlib
import shlex
import shutil

from process import run, timed_with_cpu
from recipe import Recipe
from small_hip import arch_words, compiler, toolchain_words


@dataclasses.dataclass
class Project:
    """What all checkouts have in common."""

    recipe: Recipe
    source: pathlib.Path
    units: list
    places: dict  # where the projects lie whose headers this one includes
    clang: str
    archs: list
    more: list  # what is added in the phase that adds an architecture
    jobs: int

    def checkout(self, directory):
        """A new copy, without history and without the times of the files."""
        _copy(self.source, directory, ".git")
        return Checkout(self, directory)


class Checkout:
    def __init__(self, project, directory):
        self.project, self.directory = project, directory
        self.edits = 0
        self.commit = "0" * 40  # what {commit} in a flag stands for
        self.last_build = None

    def edit(self, how):
        """By one of the functions of checkout_edits.py."""
        self.edits += 1
        how(self, self.edits)

    def rewrite(self, paths, how, number):
        """Files, by a function of their text and of the number."""
        for path in (self.directory / path for path in paths):
            text = path.read_text(encoding="latin-1")
            path.write_text(how(text, number), encoding="latin-1")

    @staticmethod
    def is_built(path):
        """Whether a path below the checkout lies in a build directory."""
        return path.parts[0].startswith(Build.PREFIX)

    def copy(self, directory):
        """The same sources, edited as these are, under another name. Build directories stay behind."""
        twin = Checkout(self.project, directory)
        twin.commit = self.commit
        _copy(self.directory, directory, f"{Build.PREFIX}*")
        return twin

    def build(self, name, archs):
        self.last_build = Build(self, name, archs)
        return self.last_build


class Build:
    """A build directory with the generated headers. One ninja file for each launcher, as their commands differ."""

    PREFIX = "try-project-"

    def __init__(self, checkout, name, archs):
        self.project = checkout.project
        self.checkout = checkout.directory
        self.directory = checkout.directory / f"{self.PREFIX}{name}"
        self.archs = archs
        self.commit = checkout.commit
        for header, text in self.project.recipe.headers(self._places()).items():
            path = self.directory / "include" / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.directory / "include").mkdir(parents=True, exist_ok=True)

    def _places(self):
        return {**self.project.places, "source": self.checkout, "build": self.directory, "commit": self.commit}

    def output(self, unit):
        """Objects are named as CMake names them, by the path of the source."""
        return f"objects/{unit}.o"

    def command(self, unit):
        output = self.output(unit)
        words = [compiler(self.project.clang), "-x", "hip", *toolchain_words(self.project.clang),
                 *arch_words(self.archs)]
        words += [f"-I{self.directory}/include", *self.project.recipe.flags_with(self._places())]
        words.append(f'-DTRY_PROJECT_COMMIT="{self.commit}"')  # as many projects pass theirs to every unit
        return [*words, "-MD", "-MF", f"{output}.d", "-c", str(self.checkout / unit), "-o", output]

    def environment(self, launcher):
        return {**launcher.environment(), "HIPCACHE_BASEDIR": str(self.checkout)}

    def configure(self, launcher, ids=None):
        """Untimed, as CMake's work is. Compiles with an id for each unit where `ids` has one."""
        rules = ["rule hip", "  command = $command"]
        for unit in self.project.units:
            program, *words = self.command(unit)
            id_ = (ids or {}).get(unit)
            words = [*([launcher.command] if launcher.command else []), program, *([f"-cuid={id_}"] if id_ else []),
                     *words]
            output, source = (_ninja_path(path) for path in (self.output(unit), self.checkout / unit))
            rules.append(f"build {output}: hip {source}\n  command = {shlex.join(words).replace('$', '$$')}")
        (self.directory / self._file(launcher)).write_text("\n".join(rules) + "\n")

    @staticmethod
    def _file(launcher):
        """hipcache recognizes a build directory by build.ninja."""
        return "build.ninja" if launcher.command else "plain.ninja"

    def clean(self):
        """Leaves the directories of objects, as ninja's own clean does."""
        shutil.rmtree(self.directory / "objects", ignore_errors=True)
        for unit in self.project.units:
            (self.directory / self.output(unit)).parent.mkdir(parents=True, exist_ok=True)

    def _ninja(self, launcher, *options):
        return ["ninja", "-C", self.directory, "-f", self._file(launcher), f"-j{self.project.jobs}", *options]

    def run(self, launcher):
        """Seconds that the build took, and seconds of processor of all but servers. Every unit has to compile."""
        return timed_with_cpu(self._ninja(launcher), self.environment(launcher))

    def run_as_far_as_possible(self, launcher):
        """What ninja printed; units that do not compile leave no object."""
        return run(self._ninja(launcher, "-k", "0"), self.environment(launcher), merged=True).out

    def seconds(self):
        """Wall seconds of each unit in the last build, by ninja's log: start and end in milliseconds, time stamp,
        output, hash."""
        rows = (line.split("\t") for line in (self.directory / ".ninja_log").read_text().splitlines()
                if line[:1].isdigit())
        took = {output: (int(end) - int(start)) / 1000 for start, end, _, output, _ in rows}
        return {unit: took.get(self.output(unit)) for unit in self.project.units}

    def inputs(self, unit):
        """The files of the checkout that a unit's depfile names, by their paths below it."""
        words = (self.directory / f"{self.output(unit)}.d").read_text().replace("\\\n", " ").split()[1:]
        found = (pathlib.Path(os.path.normpath(self.directory / word)) for word in words)
        below = (path.relative_to(self.checkout) for path in found if path.is_relative_to(self.checkout))
        return {path for path in below if not Checkout.is_built(path)}

    def digests(self):
        """Of each unit: the digests of its object and its depfile."""
        return {unit: tuple(self._digest(self.output(unit) + end) for end in ("", ".d")) for unit in self.project.units}

    def copy_outputs(self, directory):
        shutil.copytree(self.directory / "objects", directory, dirs_exist_ok=True)

    def _digest(self, name):
        path = self.directory / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def _copy(source, directory, but):
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(source, directory, symlinks=True, copy_function=shutil.copy, ignore=shutil.ignore_patterns(but))


def _ninja_path(path):
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")

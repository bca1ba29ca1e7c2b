"""The compiler's own result for a command: the oracle for each compile through hipcache."""

import dataclasses
import hashlib
import json
import re

import running
import tree


class Impossible(Exception):
    """The tool cannot judge: no compiler, no reference."""


# The driver gives its temporary files random names, and the linker's messages contain them.
RANDOM_NAMES = re.compile(r"/\S*?/tmp/[^:\s]*")


@dataclasses.dataclass
class Result:
    code: int
    out: str
    err: str
    files: dict  # written or removed, as from tree.changes
    seconds: float = 0


class Yardstick:
    """Runs commands without hipcache, each once for each state of the inputs. `reference`: a healthy cache elsewhere,
    used only to get the id that hipcache gives a compile."""

    def __init__(self, project, reference, environment):
        self.project = project
        self.reference = reference
        self.environment = environment
        self._known = {}
        self._ids = {}

    def of(self, command, as_typed=False):
        """The compiler's result with the id that hipcache chooses, or as typed, with the compiler's own. Nothing else
        may use the directory; removes the outputs."""
        self._make_needs(command)
        id_ = () if as_typed else self._id(command)
        key = (command, id_, self._state())
        if key not in self._known:
            self._known[key] = self._run(command, id_)
        return self._known[key]

    def known(self, command):
        return self._known[(command, self._id(command), self._state())]

    def _make_needs(self, command):
        for need in command.needs:
            name = need.argv[-1]
            self.project.inputs.pop(name, None)
            made = self.of(need).files.get(name)
            if made is None:
                raise Impossible(f"the compiler does not make {name}: {need}")
            path = self.project.directory / name
            if not path.exists() or path.read_bytes() != made[1]:
                path.write_bytes(made[1])
                self.project.settle()
            self.project.inputs[name] = made[1]

    def _id(self, command):
        if command not in self._ids:
            shown = self.reference.control_in(self.project.directory, "--plan", "--format", "json", "--", *command.argv)
            if shown.code != 0:
                raise Impossible(f"no plan of {command}: {shown.told()}: {shown.err}")
            id_ = json.loads(shown.out).get("cuid", "")
            self._ids[command] = (f"-cuid={id_}",) if id_ else ()
        return self._ids[command]

    def _state(self):
        digest = hashlib.sha256()
        for name, content in sorted(self.project.inputs.items()):
            digest.update(f"{name} {len(content)} ".encode() + content)
        return digest.digest()

    def alone(self, command, as_typed=False):
        """Runs the compiler now, in the directory as it is; keeps the outputs. `as_typed`: as for of()."""
        id_ = () if as_typed else self._id(command)
        argv = [command.argv[0], *id_, *command.argv[1:]]
        return running.run(argv, self.project.directory, self.environment)

    def _run(self, command, id_):
        self.project.clean()
        before = tree.files_in(self.project.directory)
        argv = [command.argv[0], *id_, *command.argv[1:]]
        ended = running.run(argv, self.project.directory, self.environment)
        files = tree.changes(before, tree.files_in(self.project.directory))
        self.project.clean()
        return Result(ended.code, ended.out, ended.err, files, ended.seconds)


def differences(ended, files, expected):
    """A line for each difference between a compile and the compiler's own."""
    found = []
    if ended.code != expected.code:
        found.append(f"exit code {ended.code}, the compiler's {expected.code}: {ended.err.strip()[-300:]}")
    for what, mine, real in (("output", ended.out, expected.out), ("messages", ended.err, expected.err)):
        if RANDOM_NAMES.sub("FILE", mine) != RANDOM_NAMES.sub("FILE", real):
            found.append(f"other {what}: {mine.strip()[-300:]!r}, the compiler's {real.strip()[-300:]!r}")
    return found + file_differences(files, expected.files)


def file_differences(mine, real):
    found = []
    for name in sorted(real.keys() | mine.keys()):
        if name not in mine:
            found.append(f"{name} is missing")
        elif name not in real:
            found.append(f"{name} is left, which the compiler does not leave")
        elif mine[name] != real[name]:
            how = [(one and (one[0], len(one[1]))) for one in (mine[name], real[name])]
            found.append(f"{name} is another one: mode and size {how[0]}, the compiler's {how[1]}")
    return found

"""The compiler's own result for a command: the oracle for each compile through hipcache."""

import dataclasses
import hashlib

import tree
from oracle import with_id
from process import Ended, Failed, run


@dataclasses.dataclass
class Result(Ended):
    files: dict = dataclasses.field(default_factory=dict)  # written or removed, as from tree.changes


class Yardstick:
    """Runs commands without hipcache, each once for each state of the inputs. `reference`: a healthy cache elsewhere,
    used only to get the id that hipcache gives a compile."""

    def __init__(self, project, reference, environment):
        self.project, self.reference, self.environment = project, reference, environment
        self._known, self._ids = {}, {}

    def of(self, command, as_typed=False):
        """The compiler's result with the id that hipcache chooses, or as typed, with the compiler's own. Nothing else
        may use the directory; removes the outputs."""
        self._make_needs(command)
        id_ = "" if as_typed else self._id(command)
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
                raise Failed(f"the compiler does not make {name}: {need}")
            path = self.project.directory / name
            if not path.exists() or path.read_bytes() != made[1]:
                path.write_bytes(made[1])
                self.project.settle()
            self.project.inputs[name] = made[1]

    def _id(self, command):
        if command not in self._ids:
            self._ids[command] = self.reference.id_of(command.argv, self.project.directory)
        return self._ids[command]

    def _state(self):
        digest = hashlib.sha256()
        for name, content in sorted(self.project.inputs.items()):
            digest.update(f"{name} {len(content)} ".encode() + content)
        return digest.digest()

    def _run(self, command, id_):
        self.project.clean()
        before = tree.files_in(self.project.directory)
        ended = run(with_id(command.argv, id_), self.environment, self.project.directory)
        files = tree.changes(before, tree.files_in(self.project.directory))
        self.project.clean()
        return Result(**vars(ended), files=files)

"""How a project is compiled: a TOML file that says which sources are units, with which flags, and which headers CMake
would generate.

    origin = "https://..."        # where the project comes from
    revision = "v1.0"             # the revision that the recipe was written for
    needs = ["other"]             # projects whose headers it includes; the user says where each lies
    units = ["src/*.hip"]         # patterns below the source
    skip = ["src/broken.hip"]     # units that the compiler refuses for reasons of its own
    flags = ["-I{source}/include", "-I{other}/include", '-DCOMMIT="{commit}"']
    [generated]                   # headers in <build>/include, which every unit is compiled with
    "project/backends.hpp" = "#include <hip.hpp>"
    [[configured]]                # the same, by CMake's configure_file()
    header = "project/config.hpp"
    from = "{source}/config.hpp.in"
    values = { VERSION = "1" }
"""

import dataclasses
import pathlib
import re
import tomllib

from process import Failed
from tool import ROOT

CMAKE_DEFINE = re.compile(r"^(\s*#\s*)cmakedefine[ \t]+(\w+)(.*)$", re.MULTILINE)
CMAKE_VALUE = re.compile(r"@(\w+)@")
RECIPES = ROOT / "tools/try-project.d/recipes"


@dataclasses.dataclass(frozen=True)
class Recipe:
    name: str
    origin: str
    revision: str
    units: list
    flags: list
    skip: list = dataclasses.field(default_factory=list)
    needs: list = dataclasses.field(default_factory=list)
    generated: dict = dataclasses.field(default_factory=dict)
    configured: list = dataclasses.field(default_factory=list)

    def units_in(self, source):
        """Paths below the source. A pattern without a match is an error: the recipe was written for another
        revision."""
        skipped = {path for pattern in self.skip for path in self._matches(source, pattern)}
        found = {path for pattern in self.units for path in self._matches(source, pattern)}
        return sorted(found - skipped)

    def _matches(self, source, pattern):
        found = [path.relative_to(source) for path in source.glob(pattern) if path.is_file()]
        if not found:
            raise Failed(f"{self.name}: nothing in {source} matches {pattern}; the recipe is for {self.revision}")
        return found

    def flags_with(self, places):
        """The flags, with directories in place of their names in braces."""
        return [_with_places(flag, places) for flag in self.flags]

    def headers(self, places):
        """The text of each header that CMake would generate, by its path below <build>/include."""
        found = dict(self.generated)
        for rule in self.configured:
            template = pathlib.Path(_with_places(rule["from"], places))
            found[rule["header"]] = configured(template.read_text(), rule["values"])
        return found

    def check_needs(self, places):
        if set(self.needs) != set(places):
            needed = " ".join(f"--with {name}=DIRECTORY" for name in self.needs) or "nothing"
            raise Failed(f"{self.name} needs {needed}, and was given {', '.join(places) or 'nothing'}")


def configured(template, values):
    """What CMake's configure_file() makes of a template. A value that the recipe does not have is an error, and not
    empty."""

    def define(match):
        start, name, rest = match.groups()
        return f"{start}define {name}{rest}" if name in values else f"/* #undef {name} */"

    def value(match):
        if match.group(1) not in values:
            raise Failed(f"no value for {match.group(0)}")
        return values[match.group(1)]

    return CMAKE_VALUE.sub(value, CMAKE_DEFINE.sub(define, template))


def _with_places(word, places):
    for name, directory in places.items():
        word = word.replace(f"{{{name}}}", str(directory))
    return word


def read(given):
    """A recipe by its name in recipes/, or by the path of its file."""
    path = pathlib.Path(given)
    if not path.suffix:
        path = RECIPES / f"{given}.toml"
    if not path.is_file():
        known = ", ".join(sorted(known.stem for known in RECIPES.glob("*.toml")))
        raise Failed(f"no recipe {path}; known by name: {known}")
    table = tomllib.loads(path.read_text())
    fields = {field.name: field for field in dataclasses.fields(Recipe) if field.name != "name"}
    unknown = sorted(table.keys() - fields.keys())
    needed = {name for name, field in fields.items() if field.default_factory is dataclasses.MISSING}
    missing = sorted(needed - table.keys())
    if unknown or missing:
        raise Failed(f"{path}: unknown: {', '.join(unknown) or 'none'}; missing: {', '.join(missing) or 'none'}")
    return Recipe(path.stem, **table)

"""One table of the options of several clangs.

The options of the judged clang are taken as they are: hipcache's rules name them (src/compiler). Of the other clangs
come the spellings that it lacks, for the driver and the front end each, and they are marked as not judged.
"""

import dataclasses
import functools

DRIVER, CC1 = "driver", "cc1"
# Of these flags of LLVM depends how an option is spelled again.
RENDERED = ("RenderAsInput", "RenderJoined", "RenderSeparate")
# Before flags of visibility (clang 18) these said who knows an option. The driver of cl and flang is not asked.
NOT_OF_DRIVER = {"NoDriverOption", "CLOption", "CLDXCOption", "DXCOption", "FlangOnlyOption"}
PREFIXES = {(): "none", ("-",): "dash", ("--",): "dash_dash", ("-", "--"): "both"}


@dataclasses.dataclass(frozen=True)
class Option:
    name: str  # of its id
    prefixes: tuple
    spelling: str
    kind: str
    precedence: int
    group: str | None
    alias: str | None
    alias_args: tuple
    readers: frozenset
    rendered: tuple
    parameter: int
    judged: bool = True

    def spellings(self):
        return [prefix + self.spelling for prefix in self.prefixes]


def _named(value):
    return value["def"] if value else None


def _own_and_groups(records, record, field):
    """An option has the flags of its group as well."""
    group = records[_named(record["Group"])] if record["Group"] else {}
    return {_named(each) for each in (*record[field], *group.get(field, ()))}


def _readers(record, flags, visible):
    if "Visibility" in record:
        by_driver = visible & {"DefaultVis", "ClangOption"}
    else:
        by_driver = not flags & NOT_OF_DRIVER
    return frozenset([DRIVER] * bool(by_driver) + [CC1] * ("CC1Option" in visible))


def read(records):
    """The options that clang's driver or front end knows, by the name of their id, and the groups with the group of
    each."""
    options = {name: _option(records, name) for name in records["!instanceof"]["Option"]}
    wanted = [name for name, option in options.items() if option.precedence < 0 or option.readers and option.prefixes]
    for name in wanted:  # which grows: what an alias stands for may be an option of cl
        if (alias := options[name].alias) and alias not in wanted:
            wanted.append(alias)
    groups = {name: (records[name]["Name"], _named(records[name]["Group"]))
              for name in records["!instanceof"]["OptionGroup"]}
    return {name: options[name] for name in wanted}, groups


def _option(records, name):
    record = records[name]
    kind = records[record["Kind"]["def"]]
    flags = _own_and_groups(records, record, "Flags")
    visible = _own_and_groups(records, record, "Visibility") if "Visibility" in record else flags
    return Option(
        name,
        tuple(prefix for prefix in record["Prefixes"] if prefix != "/"),
        record["Name"],
        kind["Name"],
        -1 if kind["Sentinel"] else kind["Precedence"],
        _named(record["Group"]),
        _named(record["Alias"]),
        tuple(record["AliasArgs"]),
        _readers(record, flags, visible),
        tuple(flag for flag in RENDERED if flag in flags),
        record["NumArgs"],
    )


def _free(name, taken, release):
    return name if name not in taken else f"{name}_of_{release}"


def merge(judged_release, judged, others):
    """others: of each release its number and what `read` gave."""
    options, groups = dict(judged[0]), dict(judged[1])
    known = {(spelling, reader): option.name for option in options.values() for spelling in option.spellings()
             for reader in option.readers}
    for release, (newer, newer_groups) in others:
        for name, group in newer_groups.items():
            groups.setdefault(name, group)
        added = {}
        # An option that is gone stands in the jobs that an old driver prints, not in commands.
        asked = {DRIVER, CC1} if int(release) > judged_release else {CC1}
        for option in newer.values():
            lacking = {reader for reader in option.readers & asked
                       if any((each, reader) not in known for each in option.spellings())}
            prefixes = tuple(prefix for prefix in option.prefixes
                             if any((prefix + option.spelling, reader) not in known for reader in lacking))
            if lacking and prefixes:
                added[option.name] = dataclasses.replace(
                    option, name=_free(option.name, options, release), prefixes=prefixes, readers=frozenset(lacking),
                    judged=False
                )
        for option in added.values():
            alias = option.alias
            if alias in added:
                alias = added[alias].name
            elif alias is not None and alias not in options:
                target = newer.get(alias)
                alias = target and next((known[key] for each in target.spellings()
                                         for key in ((each, DRIVER), (each, CC1)) if key in known), None)
            options[option.name] = dataclasses.replace(option, alias=alias,
                                                       alias_args=option.alias_args if alias else ())
        for option in added.values():
            known.update({(spelling, reader): option.name for spelling in option.spellings()
                          for reader in option.readers})
    return sorted(options.values(), key=functools.cmp_to_key(_order)), groups


def _names_in_order(a, b):
    """As LLVM looks names up: without regard to case, and a name before each of its beginnings."""
    shared = min(len(a), len(b))
    if a[:shared].lower() != b[:shared].lower():
        return -1 if a[:shared].lower() < b[:shared].lower() else 1
    if len(a) != len(b):
        return 1 if len(a) == shared else -1
    return (a > b) - (a < b)


def _order(a, b):
    if (a.precedence < 0) != (b.precedence < 0):
        return -1 if a.precedence < 0 else 1
    for left, right in ((a.spelling, b.spelling), *zip(a.prefixes, b.prefixes)):
        if found := _names_in_order(left, right):
            return found
    return (a.precedence > b.precedence) - (a.precedence < b.precedence) or (a.name > b.name) - (a.name < b.name)

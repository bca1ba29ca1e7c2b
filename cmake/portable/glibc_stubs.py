"""Writes libraries to link with instead of glibc's: they have no symbol newer than a version of glibc.

A linker binds a program to the newest version of each symbol, so the program starts with no older glibc, although glibc keeps the
versions of old programs. The stubs have each symbol in the newest version that the wanted glibc had. What it did not have at all
is missing, and the linker says so (old_glibc.c has those that libraries need).

usage: glibc_stubs.py CC VERSION DIRECTORY
"""

import pathlib
import re
import subprocess
import sys

# The libraries that a glibc before 2.34 was made of. Newer ones have them, empty.
LIBRARIES = {"c": "libc.so.6", "m": "libm.so.6", "pthread": "libpthread.so.0", "dl": "libdl.so.2", "rt": "librt.so.1"}
# Before 2.30, a loader that comes to the library that a symbol is said to be of, and does not find it there, gives up. Programs get
# past that: they load libc.so.6 last. A preloaded library does not.
OF_LIBDL = {"dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlmopen", "dlopen", "dlsym", "dlvsym"}


def parsed(version):
    return tuple(int(part) for part in version.split("."))


def symbols_of(library, newest):
    """By its name: version, type and size of each symbol."""
    table = subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True).stdout
    line = re.compile(r"^\s*\d+: [0-9a-f]+\s+(0x[0-9a-f]+|\d+) (\w+)\s+(?:GLOBAL|WEAK)\s+\w+\s+(?!UND)\w+ (\w+)@@?GLIBC_([\d.]+)$")
    symbols = {}
    for size, kind, name, version in filter(None, map(lambda text: found[0] if (found := line.findall(text)) else None,
                                                      table.splitlines())):
        if parsed(version) <= newest and (name not in symbols or parsed(version) > parsed(symbols[name][0])):
            symbols[name] = (version, kind, int(size, 0))
    return symbols


def source_of(symbols):
    lines = []
    for number, (name, (version, kind, size)) in enumerate(sorted(symbols.items())):
        section, symbol_type = (".bss", "object") if kind == "OBJECT" else (".text", "function")
        section, symbol_type = (".tbss", "tls_object") if kind == "TLS" else (section, symbol_type)
        flags = ',"awT",@nobits' if kind == "TLS" else ""
        lines += [f".section {section}{flags}", f".globl stub{number}", f".type stub{number}, @{symbol_type}", f".symver stub{number}, {name}@@GLIBC_{version}, remove",
                  f"stub{number}: .zero {max(size, 1) if kind != 'FUNC' else 1}", f".size stub{number}, {max(size, 1)}"]
    return "\n".join(lines) + "\n"


def versions_of(symbols):
    names = sorted({version for version, _, _ in symbols.values()} | {"2.2.5"}, key=parsed)
    return "".join(f"GLIBC_{name} {{ }};\n" for name in names)


def main(compiler, newest, directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)

    def path_of(name):
        return subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()

    of_libc = symbols_of(path_of(LIBRARIES["c"]), parsed(newest))
    parts = {
        "c": {name: symbol for name, symbol in of_libc.items() if name not in OF_LIBDL},
        "dl": {name: symbol for name, symbol in of_libc.items() if name in OF_LIBDL},
        "m": symbols_of(path_of(LIBRARIES["m"]), parsed(newest)),
    }
    for name, soname in LIBRARIES.items():
        symbols = parts.get(name, {})
        (directory / f"{name}.s").write_text(source_of(symbols))
        (directory / f"{name}.map").write_text(versions_of(symbols))
        stub = directory / (soname if name == "c" else f"lib{name}.so")
        subprocess.run([compiler, "-nostdlib", "-shared", "-o", stub, f"-Wl,-soname,{soname}", f"-Wl,--version-script,{directory / name}.map",
                        directory / f"{name}.s"], check=True)
    # As glibc's own script: thread-local variables need a symbol of the loader, whose old version is the newest.
    loader = re.search(r"AS_NEEDED *\( *(\S+) *\)", pathlib.Path(path_of("libc.so")).read_text())[1]
    (directory / "libc.so").write_text(
        f"GROUP({directory / LIBRARIES['c']} {path_of('libc_nonshared.a')} AS_NEEDED({loader}))\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

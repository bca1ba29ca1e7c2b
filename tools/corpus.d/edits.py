"""Random edits of a text or of a command. They do not know hipcache's rules: the compiler says what an edit changes.

An edit of a text takes a source of chance and the text's tokens. An edit of a command takes chance, the groups of
options and the tokens. It returns the new text or groups; None, or an equal one, if it does not apply. An "invisible" edit
mostly changes nothing that a compiler sees, a "neighbour" mostly does.
"""

import itertools
import re
import subprocess

import lists

TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?\*/"""
    r"""|(?:u8|[uUL])?R"([^()\\\s]{0,16})\(.*?\)\1" """
    r"""|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'"""
    r"""|\.?\d(?:'?[\w.]|[eEpP][+-])*|[A-Za-z_$]\w*|[^\S\n]+|\n"""
    r"""|\#\#|<<=|>>=|\.\.\.|[-+*/%&|^=!<>:]=|->|::|&&|\|\||<<|>>|\+\+|--|.""",
    re.DOTALL | re.VERBOSE,
)
DIGRAPHS = {"{": "<%", "}": "%>", "#": "%:", "[": "<:"}
STYLES = ("LLVM", "Google", "GNU", "Mozilla")
MACRO = "HC_CORPUS"


def tokens_of(text):
    return [match.group() for match in TOKEN.finditer(text)]


def is_blank(token):
    return token.isspace()


def is_comment(token):
    return token.startswith(("//", "/*"))


def is_name(token):
    return token[:1].isalpha() or token[:1] == "_"


def is_number(token):
    return token[:1].isdigit()


def _places(tokens, kind):
    return [place for place, token in enumerate(tokens) if kind(token)]


def _chosen(rng, tokens, kind):
    places = _places(tokens, kind)
    return rng.choice(places) if places else None


def _with(tokens, place, text, instead=0):
    return "".join([*tokens[:place], text, *tokens[place + instead :]])


def _lines(tokens):
    return "".join(tokens).split("\n")


def inserted(*texts):
    """One of the texts at a token boundary; %s in it is words, %d a number."""

    def edit(rng, tokens):
        text = rng.choice(texts).replace("%s", rng.choice(lists.COMMENTS)).replace("%d", str(rng.randrange(1000)))
        return _with(tokens, rng.randrange(len(tokens) + 1), text)

    return edit


def _filled(rng, line, name):
    """A line of lists.LINES with this name."""
    cut = rng.randrange(len(name))
    parts = {"%n": name, "%h": name[:cut], "%t": name[cut:], "%w": rng.choice(lists.WARNINGS), "%d": str(rng.randrange(9))}
    return re.sub("%[nhtwd]", lambda found: parts[found.group()], line)


def line_inserted(*texts):
    """One of the texts as a line, filled with a name of the file."""

    def edit(rng, tokens):
        names = [token for token in tokens if is_name(token)] or [MACRO]
        text = _filled(rng, rng.choice(texts), rng.choice(names))
        lines = _lines(tokens)
        lines.insert(rng.choice((0, rng.randrange(len(lines)), rng.randrange(len(lines)))), text)
        return "\n".join(lines)

    return edit


def replaced(kind, make):
    """One token of the kind becomes another text."""

    def edit(rng, tokens):
        place = _chosen(rng, tokens, kind)
        return None if place is None else _with(tokens, place, make(rng, tokens[place], tokens), 1)

    return edit


def each_line(share, make):
    def edit(rng, tokens):
        return "\n".join(make(rng, line) if rng.random() < share else line for line in _lines(tokens))

    return edit


def formatted(style):
    def edit(_, tokens):
        style_word = f"--style={{BasedOnStyle: {style}, SortIncludes: false}}"
        words = ["clang-format-19", "--assume-filename=a.cpp", style_word]
        text = "".join(tokens).encode("latin-1")
        ended = subprocess.run(words, input=text, capture_output=True, check=False)
        return ended.stdout.decode("latin-1") if ended.returncode == 0 else None

    return edit


def without_comments(_, tokens):
    return "".join(" " if is_comment(token) else token for token in tokens)


def joined_lines(by):
    """A line joined with the next one, neither a directive."""

    def edit(rng, tokens):
        lines = _lines(tokens)
        places = [place for place in range(len(lines) - 1) if "//" not in lines[place] and lines[place].strip()
                  and not any(line.lstrip().startswith("#") for line in lines[place : place + 2])]
        if not places:
            return None
        place = rng.choice(places)
        return "\n".join([*lines[:place], lines[place] + by + lines[place + 1].lstrip(), *lines[place + 2 :]])

    return edit


def split_lines(rng, tokens):
    depth, made = 0, []
    for token in tokens:
        depth = 1 if token == "#" else 0 if token == "\n" else depth
        made.append(token)
        if not depth and token in (",", ";", "{", "(", "=") and rng.random() < 0.3:
            made.append("\n  ")
    return "".join(made)


def _in_directive(tokens, name=""):
    """The places within directives of that name."""
    found, within = [], False
    for place, token in enumerate(tokens):
        if token == "\n" and tokens[place - 1] != "\\":
            within = False
        elif token == "#" and not within:
            within = not name or name in tokens[place + 1 : place + 3]
        elif within:
            found.append(place)
    return found


def blank_in_macro(rng, tokens):
    places = _in_directive(tokens, "define")
    return _flipped_blank(tokens, rng.choice(places)) if places else None


def blank_in_argument(rng, tokens):
    places, depth = [], 0
    for place, token in enumerate(tokens):
        depth = max(0, depth + (token == "(") - (token == ")"))
        places += [place] if depth else []
    return _flipped_blank(tokens, rng.choice(places)) if places else None


def _flipped_blank(tokens, place):
    """The blank is removed, or one is added."""
    return _with(tokens, place, "", 1) if is_blank(tokens[place]) else _with(tokens, place, " ")


def line_moved(rng, tokens):
    """What stands after the place, __LINE__ if the file has it, goes to the next line."""
    place = _chosen(rng, tokens, lambda token: token in ("__LINE__", "assert", "(", ")"))
    return None if place is None else _with(tokens, place, "\n")


def swapped(rng, tokens):
    places = _places(tokens, lambda token: not is_blank(token) and not is_comment(token))
    if len(places) < 2:
        return None
    place = rng.randrange(len(places) - 1)
    one, other = places[place : place + 2]
    return "".join([*tokens[:one], tokens[other], *tokens[one + 1 : other], tokens[one], *tokens[other + 1 :]])


def _in_string(rng, token, _):
    place = rng.randrange(1, len(token))
    return token[:place] + rng.choice(("/* x */", " ", "// ", "x", "%d")) + token[place:]


def _other_name(rng, token, tokens):
    return rng.choice((token + "x", token[:-1] or "x", rng.choice([one for one in tokens if is_name(one)])))


def _other_comment(rng, token, _):
    return f"// {rng.choice(lists.COMMENTS)}" if token.startswith("//") else f"/* {rng.choice(lists.COMMENTS)} */"


TEXT = {
    "comment": inserted("/* %s */", "/**/", "/* %s\n   more */", "/*\n\n*/", "/* %d */"),
    "line comment": inserted("// %s\n", "//\n", "// %s \\\nmore\n", "/// %s\n"),
    "blank line": inserted("\n", "\n\n", "\n  "),
    "blank": inserted(" ", "  ", "\t"),
    "line of a comment": line_inserted("// words %d", "/* words %d */", "", "/* one\n   two */", "  // \xc3\xa9"),
    "other comment": replaced(is_comment, _other_comment),
    "no comments": without_comments,
    "other indentation": each_line(0.3, lambda rng, line: " " * rng.randrange(6) + line.lstrip(" \t")),
    "joined lines": joined_lines(" "),
    "split lines": split_lines,
    "backslash": inserted("\\\n", " \\\n"),
    "aligned backslashes": lambda rng, tokens: re.sub(r"[ \t]*\\\n", " " * rng.randrange(4) + "\\\\\n", "".join(tokens)),
    "CRLF": lambda _, tokens: "".join(tokens).replace("\r", "").replace("\n", "\r\n"),
    "blanks at line ends": each_line(0.2, lambda rng, line: line + rng.choice((" ", "  ", "\t"))),
    "tabs": each_line(0.5, lambda rng, line: rng.choice((line.replace("  ", "\t"), line.expandtabs()))),
    "end of file": lambda rng, tokens: "".join(tokens).rstrip("\n") + rng.choice(("", "\n\n", "\n \n", "\n//")),
    "macro more": line_inserted(f"#define {MACRO}%d a  + b", f"#define {MACRO}%d(a) #a", f"#undef {MACRO}%d"),
    "digraphs": lambda _, tokens: "".join(DIGRAPHS.get(token, token) for token in tokens),
    **{f"format {style}": formatted(style) for style in STYLES},
}
NEIGHBOURS = {
    "number": replaced(is_number, lambda rng, token, _: rng.choice((token[:-1] + "7", token + "1", "0", "42"))),
    "name": replaced(is_name, _other_name),
    "token": replaced(lambda token: token != "\n", lambda *_: ""),
    "swapped tokens": swapped,
    "blank in a macro": blank_in_macro,
    "blank in an argument": blank_in_argument,
    "other line": line_moved,
    "glued lines": joined_lines(""),
    "string": replaced(lambda token: token.endswith('"') and len(token) > 1, _in_string),
    "odd character": inserted(*lists.CHARACTERS),
    "odd line": line_inserted(*lists.LINES),
}


def _more(rng, groups, *group):
    place = rng.randrange(len(groups) + 1)
    return [*groups[:place], group, *groups[place:]]


def _pasted_name(rng, tokens):
    """Of two to four pieces that the file has, none of them alone."""
    pieces = [token for token in tokens if re.fullmatch(r"\w+", token)] or [MACRO]
    name = rng.choice(("", "_", "__")) + "".join(rng.choice(pieces) for _ in range(rng.randrange(2, 5)))
    return name if is_name(name) else f"_{name}"


def unused_define(rng, groups, _):
    value = rng.choice(("", "1", "2", "x", "a b", "-3", "(x", "#"))
    return _more(rng, groups, f"-D{MACRO}{rng.randrange(3)}={value}")


def pasted_define(rng, groups, tokens):
    return _more(rng, groups, f"-D{_pasted_name(rng, tokens)}={rng.randrange(9)}")


def changed_define(rng, groups, _):
    """Another value for a macro of the command."""
    places = [place for place, group in enumerate(groups) if group[0].startswith("-D") and len(group[0]) > 2]
    if not places:
        return None
    place = rng.choice(places)
    name = groups[place][0].partition("=")[0]
    return [*groups[:place], (f"{name}={rng.choice(('7', '', 'x', '1'))}",), *groups[place + 1 :]]


def undef(rng, groups, tokens):
    return _more(rng, groups, f"-U{rng.choice((MACRO, MACRO + '1', _pasted_name(rng, tokens)))}")


def other_order(rng, groups, _):
    return rng.sample(groups, len(groups)) if len(groups) > 1 else None


COMMAND = {
    "unused -D": unused_define,
    "pasted -D": pasted_define,
    "changed -D": changed_define,
    "-U": undef,
    "other order": other_order,
}
PREDEFINED = ("__LINE__", "__FILE__", "__clang__", "__GNUC__", "__STDC__", "__cplusplus", "NULL", "unix", "int",
              "defined", "__OPTIMIZE__")


def named_define(rng, groups, tokens):
    """Of a name that the file has, of a keyword or of what compilers define."""
    names = [token for token in tokens if is_name(token)] or [MACRO]
    name = rng.choice((rng.choice(names), rng.choice(names), rng.choice(PREDEFINED)))
    words = (f"-D{name}={rng.randrange(9)}", f"-D{name}", f"-U{name}", f"-D{name}={rng.choice(names)}",
             f"-D{name}(x)=x", f"-D{name}={name}")
    return _more(rng, groups, rng.choice(words))


def doubled_define(rng, groups, tokens):
    name = rng.choice((MACRO, _pasted_name(rng, tokens)))
    values = rng.choice((("1", "2"), ("1", "1"), ("", "1"), ("a b", "a  b")))
    for value in values:
        groups = [*groups, (f"-D{name}={value}",)]
    return groups


def line_with_macro(rng, groups, tokens):
    """Groups and a text with a line that has a macro of the command."""
    line = _filled(rng, rng.choice([line for line in lists.LINES if "%n" in line or "%h" in line]), MACRO)
    more = [("-O2",)] if rng.random() < 0.5 else []
    return [*_more(rng, groups, f"-D{MACRO}=4"), *more], line_inserted(line)(rng, tokens)


COMMAND_NEIGHBOURS = {
    "-D of a name": named_define,
    "doubled -D": doubled_define,
    "warning option": lambda rng, groups, _: _more(rng, groups, rng.choice(lists.WARNINGS)),
    "other option": lambda rng, groups, _: _more(rng, groups, rng.choice(lists.OPTIONS)),
}
BOTH_NEIGHBOURS = {"line with a -D": line_with_macro}
INVISIBLE, VISIBLE = {**TEXT, **COMMAND}, {**NEIGHBOURS, **COMMAND_NEIGHBOURS, **BOTH_NEIGHBOURS}
WITH_DEFINE = ("-D of a name", "doubled -D", "line with a -D")


def words_of(groups):
    return list(itertools.chain.from_iterable(groups))

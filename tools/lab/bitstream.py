"""Reads and permutes one record of a precompiled header of clang: the declarations that are read at once.

A precompiled header is a bitstream of LLVM: blocks of records whose numbers have a variable number of bits. The
operands of the record are permuted where they stand. Their sum of bits stays, so nothing else moves.
"""

from process import Failed

AST_BLOCK = 8
EAGERLY_DESERIALIZED_DECLS = 6
END, ENTER, DEFINE_ABBREVIATION, UNABBREVIATED = range(4)
FIXED, VBR, ARRAY, CHAR6, BLOB = range(1, 6)


class Reader:
    def __init__(self, data, position):
        self.data, self.position = data, position

    def fixed(self, bits):
        first, last = self.position // 8, (self.position + bits + 7) // 8
        value = int.from_bytes(self.data[first:last], "little") >> self.position % 8
        self.position += bits
        return value & ((1 << bits) - 1)

    def vbr(self, bits):
        value, shift = 0, 0
        while True:
            part = self.fixed(bits)
            value |= (part & ((1 << bits - 1) - 1)) << shift
            if not part >> bits - 1:
                return value
            shift += bits - 1

    def align(self):
        self.position = (self.position + 31) // 32 * 32

    def abbreviation(self):
        operands = []
        for _ in range(self.vbr(5)):
            if self.fixed(1):
                operands.append((0, self.vbr(8)))
                continue
            encoding = self.fixed(3)
            operands.append((encoding, self.vbr(5) if encoding in (FIXED, VBR) else None))
        return operands

    def skip_by(self, operands):
        """Skips a record. The last operand of an abbreviation with an array is its element."""
        for index, (encoding, size) in enumerate(operands):
            if encoding == ARRAY:
                for _ in range(self.vbr(6)):
                    self._skip(*operands[index + 1])
                return
            self._skip(encoding, size)

    def _skip(self, encoding, size):
        if encoding == FIXED:
            self.position += size
        elif encoding == VBR and size:
            self.vbr(size)
        elif encoding == CHAR6:
            self.position += 6
        elif encoding == BLOB:
            length = self.vbr(6)
            self.align()
            self.position += length * 8
            self.align()


def _enter(reader):
    """The block that begins here: its number, the width of its codes, and the position of its end."""
    number, width = reader.vbr(8), reader.vbr(4)
    reader.align()
    words = reader.fixed(32)
    return number, width, reader.position + words * 32


def eager_declarations(data):
    """The record's operands, each as its first and last bit, in order; empty if the header has no such record."""
    if data[:4] != b"CPCH":
        raise Failed("not a precompiled header of clang")
    reader, found = Reader(data, 32), []
    while reader.position + 64 < len(data) * 8:
        if reader.fixed(2) != ENTER:
            raise Failed("the precompiled header has something between its blocks")
        number, width, end = _enter(reader)
        if number == AST_BLOCK:
            found += _in_block(reader, width, end)
        reader.position = end
    return found


def _in_block(reader, width, end):
    abbreviations, found = [], []
    while reader.position < end:
        code = reader.fixed(width)
        if code == END:
            break
        if code == ENTER:
            reader.position = _enter(reader)[2]
        elif code == DEFINE_ABBREVIATION:
            abbreviations.append(reader.abbreviation())
        elif code == UNABBREVIATED:
            record, spans = reader.vbr(6), []
            for _ in range(reader.vbr(6)):
                first = reader.position
                reader.vbr(6)
                spans.append((first, reader.position))
            found += spans if record == EAGERLY_DESERIALIZED_DECLS else []
        else:
            reader.skip_by(abbreviations[code - 4])
    return found


def permuted(data, spans, order):
    """The header with the record's operands in another order."""
    whole = int.from_bytes(data, "little")
    first, last = spans[0][0], spans[-1][1]
    operands = [(whole >> begin & ((1 << end - begin) - 1), end - begin) for begin, end in spans]
    text, at = 0, 0
    for index in order:
        value, bits = operands[index]
        text |= value << at
        at += bits
    mask = ((1 << last - first) - 1) << first
    return (whole & ~mask | text << first).to_bytes(len(data), "little")

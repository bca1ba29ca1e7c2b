"""Answers that a server could give, and did not: of HTTP, and of Redis."""

import re

STATUSES = (400, 401, 403, 404, 405, 409, 413, 429, 500, 502, 503, 504, 507)
REDIS_ERRORS = ("ERR unknown", "OOM command not allowed", "LOADING data", "BUSY script", "READONLY replica",
                "NOAUTH required", "MISCONF disk", "EXECABORT discarded")


def made(fault, speaks, data, rng):
    """A `status`, an `empty` answer, or a `short` one: well-formed, and with less than the server's. None if there is
    none: of what is neither HTTP nor Redis, only a web proxy in between answers by itself."""
    if fault == "short":
        return _short_redis(data, rng) if speaks == "redis" else _short_http(data, rng)
    if speaks == "redis":
        return b"$0\r\n\r\n" if fault == "empty" else f"-{rng.choice(REDIS_ERRORS)}\r\n".encode()
    if fault == "empty":
        return b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    later = rng.choice(("", "Retry-After: 1\r\n"))
    return f"HTTP/1.1 {rng.choice(STATUSES)} Fault\r\nContent-Length: 0\r\n{later}\r\n".encode()


def _short_redis(data, rng):
    head = re.match(rb"\$([1-9]\d*)\r\n", data)
    if not head or len(data) != head.end() + int(head[1]) + 2:
        return None
    size = rng.randrange(int(head[1]))
    return b"$%d\r\n" % size + data[head.end() :][:size] + b"\r\n"


def _short_http(data, rng):
    head, divider, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    if not divider or not length or not body or int(length[1]) != len(body):
        return None
    size = rng.randrange(len(body))
    return head[: length.start(1)] + b"%d" % size + head[length.end(1) :] + divider + body[:size]

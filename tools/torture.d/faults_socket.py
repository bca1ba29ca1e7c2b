"""Peers that break the protocol. What clients make of daemons that do is tests/client's."""

import contextlib
import socket
import time

import patience
import processes
from table_of_faults import fault


def _connect(case, seconds=5):
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(seconds)
    peer.connect(str(case.cache.home / "daemon.sock"))
    return peer


def _request(case, command):
    """The first frame that a client sends, received by a fake daemon."""
    recorder = case.new_cache("recorder")
    place = recorder.home
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place / "daemon.sock"))
        listener.listen(16)
        listener.settimeout(5)
        client = case.start(command, cache=recorder)
        frame = b""
        with contextlib.suppress(OSError):
            peer, _ = listener.accept()
            peer.settimeout(5)
            while len(frame) < 12 or len(frame) < 12 + int.from_bytes(frame[4:8], "little"):
                got = peer.recv(1 << 20)
                if not got:
                    break
                frame += got
            peer.close()
        processes.end_all(client.tree())
        client.wait(5)
    recorder.kill()
    (place / "daemon.sock").unlink(missing_ok=True)
    case.project.clean()
    return frame


def _say(case, text, listen=0.2):
    """Sends bytes, and reads answers for a while."""
    with contextlib.suppress(OSError), _connect(case, listen) as peer:
        peer.sendall(text)
        if case.rng.random() < 0.5:
            peer.shutdown(socket.SHUT_WR)
        while peer.recv(1 << 16):
            pass


@fault("socket", "garbage", "garbage came to the socket")
def garbage(case):
    case.warm(case.project.any())
    for _ in range(case.rng.randrange(5, 20)):
        length = case.rng.randrange(0, 200)
        text = case.rng.choice((
            case.rng.randbytes(length),
            b"HCC1" + case.rng.randbytes(length),
            b"HCC1" + length.to_bytes(4, "little") + bytes(4) + case.rng.randbytes(length),
            b"HCC1" + b"\xff\xff\xff\x7f" + bytes(4),
            b"GET / HTTP/1.1\r\n\r\n",
        ))
        _say(case, text)


@fault("socket", "messages that are almost right", "messages came that were almost right", harmless=True)
def mutated(case):
    command = case.project.slow()
    case.warm(command)
    frame = _request(case, command)
    if len(frame) < 20:
        case.finding("a client sends no request")
        return []
    for _ in range(case.rng.randrange(10, 30)):
        text = bytearray(frame)
        for _ in range(case.rng.choice((1, 2, 8))):
            text[case.rng.randrange(len(text))] = case.rng.randrange(256)
        if case.rng.random() < 0.3:
            del text[case.rng.randrange(len(text)):]
        _say(case, bytes(text), 0.05)
    case.project.clean()
    return [command]


@fault("socket", "client that takes a step and says nothing", "clients were mute")
def mute(case):
    command = case.project.slow()
    case.cache.serve()
    frame = _request(case, command)
    case.expected(command)
    case.project.clean()
    peers = []
    with contextlib.suppress(OSError):
        for _ in range(case.rng.choice((1, 1, 2))):
            peer = _connect(case)
            peer.sendall(frame)
            with contextlib.suppress(OSError):
                peer.recv(1 << 16)  # usually a step to run
            peers.append(peer)
    case.note(f"{len(peers)} mute clients")
    # Each of them may take a step of its own.
    case.compile_each(command, command, seconds=patience.MUTE * max(1, len(peers)))
    for peer in peers:
        peer.close()
    return [command]


@fault("socket", "many connections that say nothing", "many connections said nothing")
def crowd(case):
    command, other = case.project.some(2)
    case.warm(command)
    peers = []
    with contextlib.suppress(OSError):
        for _ in range(case.rng.choice((10, 100, 500, 1100))):
            peers.append(_connect(case, 0.5))
    case.note(f"{len(peers)} silent connections")
    case.compile_each(command, other)
    case.control("--show-stats")
    for peer in peers:
        peer.close()
    return [other]


@fault("socket", "clients that hang up in the middle", "clients hung up")
def hang_up(case):
    command = case.project.slow()
    case.cache.serve()
    frame = _request(case, command)
    case.expected(command)
    case.project.clean()
    for _ in range(case.rng.randrange(3, 10)):
        with contextlib.suppress(OSError), _connect(case) as peer:
            peer.sendall(frame)
            time.sleep(case.rng.uniform(0, 0.3))
    case.compile(command)
    return [command]

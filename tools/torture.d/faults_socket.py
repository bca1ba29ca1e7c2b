"""Peers that break the protocol."""

import contextlib
import re
import socket
import threading
import time

import machine
import patience
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
        machine.end_all(client.tree())
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


@fault("socket", "garbage")
def garbage(case):
    command = case.project.any()
    case.warm(command)
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
    case.expect_owed("garbage came to the socket")


@fault("socket", "messages that are almost right")
def mutated(case):
    command = case.project.slow()
    case.warm(command)
    frame = _request(case, command)
    if len(frame) < 20:
        case.finding("a client sends no request")
        return
    for _ in range(case.rng.randrange(10, 30)):
        text = bytearray(frame)
        for _ in range(case.rng.choice((1, 2, 8))):
            text[case.rng.randrange(len(text))] = case.rng.randrange(256)
        if case.rng.random() < 0.3:
            del text[case.rng.randrange(len(text)):]
        _say(case, bytes(text), 0.05)
    case.project.clean()
    case.expect_owed("messages came that were almost right")
    case.expect_recovery("messages came that were almost right", command)


@fault("socket", "client that takes a step and says nothing")
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
    for _ in range(2):  # each of them may take a step of its own
        case.compile(command, patience.MUTE * max(1, len(peers)))
    for peer in peers:
        peer.close()
    case.expect_recovery("clients were mute", command)


@fault("socket", "many connections that say nothing")
def crowd(case):
    command, other = case.project.some(2)
    case.warm(command)
    peers = []
    with contextlib.suppress(OSError):
        for _ in range(case.rng.choice((10, 100, 500, 1100))):
            peers.append(_connect(case, 0.5))
    case.note(f"{len(peers)} silent connections")
    case.compile(command)
    case.compile(other)
    case.control("--show-stats")
    for peer in peers:
        peer.close()
    case.expect_recovery("many connections said nothing", other)
    case.expect_owed("many connections said nothing")


@fault("socket", "client of another version")
def version(case):
    command, other = case.project.some(2)
    case.warm(command)
    frame = _request(case, command)
    build = re.search(rb"\d+\.\d+\.\d+/\d", frame)
    if build is None:
        case.finding("a request names no version")
        return
    text = bytearray(frame)
    text[build.end() - 1] = ord("9")
    for _ in range(case.rng.randrange(1, 4)):
        _say(case, bytes(text))
    case.compile(other)
    case.expect_owed("a client of another version came")


@fault("socket", "daemon that answers with garbage, or not at all")
def impostor(case):
    """Another program of the user's behind the socket: whatever it sends, the result is the compiler's."""
    commands = case.project.some(2)
    place = case.cache.home
    case.cache.directory.mkdir(mode=0o700, exist_ok=True)
    place.mkdir(mode=0o700, exist_ok=True)
    case.cache.stop()
    (place / "daemon.sock").unlink(missing_ok=True)
    how = case.rng.choice(("silence", "closes", "garbage", "frame", "endless"))
    case.note(f"an impostor: {how}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(place / "daemon.sock"))
    listener.listen(64)
    done = threading.Event()
    peers = []

    def answer():
        listener.settimeout(0.1)
        while not done.is_set():
            with contextlib.suppress(OSError):
                peer, _ = listener.accept()
                peers.append(peer)
                if how == "closes":
                    peer.close()
                elif how == "garbage":
                    peer.sendall(case.rng.randbytes(300))
                elif how == "frame":
                    peer.sendall(b"HCC1" + (64).to_bytes(4, "little") + bytes(4) + case.rng.randbytes(64))
                elif how == "endless":
                    peer.sendall(b"HCC1" + (1 << 23).to_bytes(4, "little") + bytes(4) + bytes(1000))

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        for command in commands:
            case.compile(command)
    finally:
        done.set()
        thread.join()
        listener.close()
        for peer in peers:
            peer.close()
    (place / "daemon.sock").unlink(missing_ok=True)
    case.expect_recovery("an impostor stood behind the socket", *commands)


@fault("socket", "clients that hang up in the middle")
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
    case.expect_recovery("clients hung up", command)

"""A mounted directory whose file system answers its first questions and then nothing, like a server that is gone.

Spoken to the kernel directly, so no library is needed. Needs root and /dev/fuse.
"""

import ctypes
import os
import struct
import threading

HEADER = struct.Struct("<IIQQIIII")  # length, opcode, unique, node, user, group, process, padding
INIT, GETATTR = 26, 3
ROOT = 1
LIBC = ctypes.CDLL(None, use_errno=True)
FORCE, DETACH = 1, 2


def attributes():
    """fuse_attr_out of a directory that everybody may use."""
    times = (0,) * 3
    attr = struct.pack("<QQQQQQIIIIIIIIII", ROOT, 0, 0, *times, 0, 0, 0, 0o40777, 2, os.getuid(), os.getgid(), 0, 512, 0)
    return struct.pack("<QII", 3600, 0, 0) + attr


class HangingMount:
    """Mounted from the start on. `asked`: set when a question came that gets no answer."""

    def __init__(self, directory):
        self.directory = str(directory)
        self.asked = threading.Event()
        self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self._device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
        if LIBC.mount(b"hanging", self.directory.encode(), b"fuse", 0, options.encode()) != 0:
            number = ctypes.get_errno()
            os.close(self._device)
            raise OSError(number, os.strerror(number), self.directory)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                request = os.read(self._device, 1 << 20)
            except OSError:
                return
            _, opcode, unique, node, *_ = HEADER.unpack_from(request)
            if opcode == INIT:
                self._reply(unique, struct.pack("<IIIIHHIIHHI", 7, 31, 1 << 16, 0, 8, 6, 1 << 16, 1, 0, 0, 0) + bytes(28))
            elif opcode == GETATTR and node == ROOT:
                self._reply(unique, attributes())
            else:
                self.asked.set()

    def _reply(self, unique, body):
        os.write(self._device, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)

    def end(self):
        """Unmounts it. Questions that wait end with an error."""
        LIBC.umount2(self.directory.encode(), FORCE)  # ends the questions; the mount may be busy until then
        LIBC.umount2(self.directory.encode(), DETACH)
        os.close(self._device)

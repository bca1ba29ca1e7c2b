"""BuildGrid with its database and a worker, for tests: a scheduler with queues, which buildbox-casd has not.

Everything lies in DIRECTORY, and ends with this process and its group. The worker speaks the Remote Workers API, because
BuildGrid's package has none, and has buildbox-run execute an action: with this machine's /usr, in a sandbox.

usage: buildgrid_engine.py DIRECTORY PORT BUILDBOX_RUN        (with the Python of BuildGrid's own directory)
"""

import ctypes
import glob
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as wire
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2, bots_pb2_grpc

WORKERS = 4
POLL = 10  # seconds; BuildGrid gives no work to a session that waits less than about 4
KEEPALIVE = 10  # seconds of silence after which a worker counts as lost
PATIENCE = 400  # seconds, for what a loaded machine starts
PR_SET_PDEATHSIG = 1

CONFIGURATION = """
server:
  - !channel
    address: "127.0.0.1:{port}"
    insecure-mode: true
authorization:
  method: none
connections:
  - !sql-connection &sql
    connection-string: "{database}"
storages:
  - !disk-storage &storage
    path: "{directory}/cas"
caches:
  - !lru-action-cache &cache
    storage: *storage
    max-cached-refs: 1000
    allow-updates: true
schedulers:
  - !sql-scheduler &scheduler
    storage: *storage
    sql: *sql
    action-cache: *cache
    property-set: !dynamic-property-set
      match-property-keys: [pool, toolchain]
    bot-session-keepalive-timeout: {keepalive}
    session-expiry-timer-interval: 1
    poll-interval: 0.1
    bot-poll-interval: 0.1
    assigners:
      - !priority-age-assigner
        count: 1
        interval: 0.1
        priority-assignment-percentage: 100
instances:
  - name: ""
    services:
      - !execution
        scheduler: *scheduler
      - !bots
        scheduler: *scheduler
      - !cas
        storage: *storage
      - !bytestream
        storage: *storage
      - !action-cache
        cache: *cache
thread-pool-size: 64
"""


def start(command, user=None):
    """A process that ends with this one."""

    def prepare():
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    return subprocess.Popen(command, preexec_fn=None if user else prepare, **who)


def start_database(directory):
    """PostgreSQL over a unix socket in the directory. It refuses to run as root."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        sys.exit("buildgrid_engine.py: PostgreSQL is not installed: tools/setup installs it")
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    home = directory / "database"
    home.mkdir(mode=0o700)
    if user:
        os.chown(home, user.pw_uid, user.pw_gid)
        for above in (directory, directory.parent):
            above.chmod(0o711)
    data = home / "data"
    who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    subprocess.run([f"{programs[-1]}/initdb", "--no-sync", "--auth=trust", "--username=tests", "--encoding=UTF8", "--no-locale",
                    "-D", data], check=True, cwd=home, **who)
    start([f"{programs[-1]}/postgres", "-D", data, "-k", home, "-h", "", "-c", "fsync=off", "-c", "max_connections=100"], user)
    wait_for((home / ".s.PGSQL.5432").exists, "the database")
    return f"postgresql+psycopg2://tests@/postgres?host={home}"


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"buildgrid_engine.py: {what} does not start")
        time.sleep(0.02)


def run_action(payload, port, buildbox_run, directory):
    """The result of the action, or nothing if buildbox-run could not make one."""
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        action, result = pathlib.Path(scratch, "action"), pathlib.Path(scratch, "result")
        action.write_bytes(payload)
        subprocess.run([buildbox_run, f"--remote=http://127.0.0.1:{port}", "--disable-localcas", f"--action={action}",
                        f"--action-result={result}", f"--workspace-path={scratch}", "--ro-bind-mount=/usr:/usr"],
                       check=False)
        return wire.ActionResult.FromString(result.read_bytes()) if result.exists() else None


class Worker:
    """One session: takes an action, runs it, says what came of it."""

    def __init__(self, name, port, buildbox_run, directory):
        self.port, self.buildbox_run, self.directory = port, buildbox_run, directory
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.stub = bots_pb2_grpc.BotsStub(self.channel)
        self.session = bots_pb2.BotSession(bot_id=name, status=bots_pb2.OK)
        device = self.session.worker.devices.add(handle=name)
        device.properties.add(key="pool", value="tests")

    def serve(self):
        grpc.channel_ready_future(self.channel).result(PATIENCE)
        self.session = self.stub.CreateBotSession(
            bots_pb2.CreateBotSessionRequest(parent="", bot_session=self.session), timeout=POLL)
        while True:
            for lease in self.session.leases:
                self.work_on(lease)
            self.update()

    def work_on(self, lease):
        lease.state = bots_pb2.ACTIVE
        result = []
        action = wire.Action()
        lease.payload.Unpack(action)
        thread = threading.Thread(
            target=lambda: result.append(run_action(action.SerializeToString(), self.port, self.buildbox_run, self.directory)))
        thread.start()
        name = lease.id
        while thread.is_alive():
            self.update()
            if not any(one.id == name and one.state == bots_pb2.ACTIVE for one in self.session.leases):
                return  # cancelled; what runs ends when it ends
            thread.join(1)
        lease = next(one for one in self.session.leases if one.id == name)
        lease.state = bots_pb2.COMPLETED
        if result[0] is None:
            lease.status.code = grpc.StatusCode.INTERNAL.value[0]
        else:
            lease.result.Pack(result[0])

    def update(self):
        try:
            self.session = self.stub.UpdateBotSession(
                bots_pb2.UpdateBotSessionRequest(name=self.session.name, bot_session=self.session), timeout=POLL)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


def main():
    directory, port, buildbox_run = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3]
    database = start_database(directory)
    bgd = pathlib.Path(sys.executable).parent / "bgd"
    subprocess.run([bgd, "migrate", "apply", database], check=True)
    configuration = directory / "buildgrid.yml"
    configuration.write_text(CONFIGURATION.format(port=port, directory=directory, database=database, keepalive=KEEPALIVE))
    server = start([bgd, "server", "start", configuration])
    for number in range(WORKERS):
        worker = Worker(f"worker-{number}", port, buildbox_run, directory)
        threading.Thread(target=worker.serve, daemon=True).start()
    sys.exit(server.wait())


main()

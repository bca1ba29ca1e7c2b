"""Real servers on loopback, for tests and tools: each a process with its files in a directory that the caller owns."""

import functools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import urllib.request

import processes

PATIENCE = 120  # seconds; longer than anything takes on a loaded machine
NOBODY = 65534
S3_KEYS = {"AWS_ACCESS_KEY_ID": "testkey", "AWS_SECRET_ACCESS_KEY": "testsecret"}
# Azurite's account and key, which are the same everywhere, and a signature by that key which permits all.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEYS = {"AZURE_STORAGE_KEY": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="}
AZURE_SAS = (
    "sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01T00%3A00%3A00Z&sig=tznf%2BUguWwNe%2B7oTyobyNUc7TDthIuY2m9EdDOYdBvE%3D"
)
KEYS = {**S3_KEYS, **AZURE_KEYS}


def comes_true(holds):
    """Waits until the condition holds; whether it did."""
    return processes.wait_until(holds, PATIENCE)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A real server on loopback. `url`: of the tier, with those options alone that name the server."""

    def __init__(self, url, command):
        self.url, self.command, self.process = url, command, None
        self.port = int(url.rsplit(":", 1)[1].split("/")[0])
        self.start()

    def url_with(self, options):
        return self.url + ("&" if "?" in self.url else "?") + options

    def start(self):
        assert self.process is None, f"{self.command} runs"
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert comes_true(lambda: listens(self.port)), self.command

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def pause(self):
        """Accepts connections, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)


class GroupServer(Server):
    """One that consists of several processes."""

    def start(self):
        assert self.process is None, f"{self.command} runs"
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        assert comes_true(lambda: listens(self.port)), self.command

    def stop(self):
        if self.process:
            processes.end_all(processes.of_session(self.process.pid))
            self.process.wait()
            self.process = None


def started(makers, directory):
    """Starts what is installed, each with an empty directory below that one. Returns the servers by name, and the names
    of those that are missing."""
    found, missing = {}, []
    for name, make in makers.items():
        place = pathlib.Path(directory) / f"server-{name.split()[0]}"
        place.mkdir(parents=True)
        try:
            server = make(place)
        except BaseException:
            for other in found.values():
                other.stop()
            raise
        if server:
            found[name] = server
        else:
            missing.append(name)
    return found, missing


def installed(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def built(name):
    """The path of a server that tools/test-servers builds, or None."""
    servers = os.environ.get("HIPCACHE_TEST_SERVERS") or os.path.expanduser("~/.cache/hipcache-test-servers")
    return shutil.which(name, path=servers)


def by(find, name):
    """Makes a function of a directory, which starts a server or returns None if its program is missing, of one that
    also gets the program and a port."""

    def decorate(make):
        @functools.wraps(make)
        def start(directory, *more, **named):
            program = find(name)
            return make(directory, program, free_port(), *more, **named) if program else None

        return start

    return decorate


@by(installed, "redis-server")
def redis(directory, program, port):
    words = f"--port {port} --bind 127.0.0.1 --appendonly no --dir {directory}".split()
    return Server(f"redis://127.0.0.1:{port}", [program, *words, "--save", ""])


@by(installed, "redis-server")
def redis_with_tls(directory, program, port):
    """With a certificate that has signed itself. None without OpenSSL, too."""
    openssl = shutil.which("openssl")
    if not openssl:
        return None
    certificate, key = directory / "server.pem", directory / "server.key"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=server"
    made = [openssl, *words.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run(made, check=True, capture_output=True)
    words = f"--port 0 --tls-port {port} --bind 127.0.0.1 --appendonly no --dir {directory}".split()
    words += ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate]
    command = [program, *words, "--tls-auth-clients", "no", "--save", ""]
    return Server(f"rediss://127.0.0.1:{port}/0?ca_file={certificate}", command)


@by(installed, "nginx")
def nginx(directory, program, port, location=""):
    """One worker and no master, so that a signal reaches what serves."""
    root = directory / "root"
    root.mkdir()
    scratch = "".join(
        f"{kind}_temp_path {directory}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (directory / "nginx.conf").write_text(
        f"""daemon off; master_process off; pid {directory}/pid; error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {directory}/access.log;
  client_max_body_size 0;
  {scratch}
  server {{
    listen 127.0.0.1:{port};
    location / {{ root {root}; dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on; {location} }}
  }}
}}
"""
    )
    command = [program, "-c", str(directory / "nginx.conf"), "-e", str(directory / "error.log")]
    return Server(f"http://127.0.0.1:{port}/cache", command)


@by(installed, "apache2")
def apache(directory, program, port):
    """With WebDAV for all paths. If root starts it, it works as another user."""
    root, locks = directory / "root", directory / "locks"
    root.mkdir()
    locks.mkdir()
    if os.geteuid() == 0:
        directory.parent.chmod(0o711)
        for path in root, locks:
            os.chown(path, NOBODY, NOBODY)
    modules = "".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
        for name in ("mpm_event", "authz_core", "dav", "dav_fs")
    )
    (directory / "apache.conf").write_text(
        f"""ServerName 127.0.0.1
ServerRoot {directory}
DefaultRuntimeDir {directory}
PidFile {directory}/pid
ErrorLog {directory}/error.log
Mutex pthread
Listen 127.0.0.1:{port}
User "#{NOBODY}"
Group "#{NOBODY}"
{modules}
StartServers 1
MinSpareThreads 1
DavLockDB {locks}/lock
DocumentRoot {root}
<Directory {root}>
  Dav On
  Require all granted
</Directory>
"""
    )
    return Server(f"http://127.0.0.1:{port}/cache", [program, "-DFOREGROUND", "-f", str(directory / "apache.conf")])


@by(built, "bazel-remote")
def bazel_remote(directory, program, port):
    words = f"--dir {directory}/cache --max_size 1 --http_address unix://{directory}/http --grpc_address 127.0.0.1:{port}"
    return Server(f"grpc://127.0.0.1:{port}", [program, *words.split()])


@by(built, "buildbox-casd")
def buildbox_casd(directory, program, port, mounts=(), before=(), jobs=2):
    """An engine of remote execution, with its worker. `mounts`: what the worker has in the place of files of /usr, as
    SOURCE:PATH. `before`: words in front of the command. `jobs`: how many actions run at once."""
    runner = [f"--runner-arg=--ro-bind-mount={mount}" for mount in ("/usr:/usr", *mounts)]
    words = [f"--bind=127.0.0.1:{port}", f"--buildbox-run={_buildbox_run(program)}", f"--jobs={jobs}", *runner, str(directory)]
    return Server(f"grpc://127.0.0.1:{port}/", [*before, program, *words])


def _buildbox_run(casd):
    return pathlib.Path(casd).resolve().parent / "buildbox-run"


def engine_mend():
    """What to do before buildbox_casd() can start; empty: nothing."""
    if not installed("bwrap"):
        return "bwrap is not installed: tools/setup installs bubblewrap"
    return "" if built("buildbox-casd") else "buildbox-casd is not installed: tools/test-servers installs it"


@by(built, "buildgrid")
def buildgrid(directory, program, port):
    """REAPI in another dialect: no compression, and results in memory."""
    template = pathlib.Path(__file__).resolve().parents[2] / "tests/remote/reapi/buildgrid.yml"
    text = template.read_text().replace('"ADDRESS"', f'"127.0.0.1:{port}"').replace('"DIRECTORY"', f'"{directory}/cas"')
    (directory / "buildgrid.yml").write_text(text)
    return Server(f"grpc://127.0.0.1:{port}", [program, "server", "start", str(directory / "buildgrid.yml")])


@by(built, "buildgrid")
def buildgrid_engine(directory, program, port):
    """An engine with a queue, and workers of the pool "tests"; None without buildbox, too."""
    casd = built("buildbox-casd")
    python = pathlib.Path(program).resolve().parent / "python"
    script = pathlib.Path(__file__).resolve().parents[2] / "tests/remote/execution/buildgrid_engine.py"
    command = [str(python), str(script), str(directory), str(port), str(casd and _buildbox_run(casd))]
    return GroupServer(f"grpc://127.0.0.1:{port}/", command) if casd else None


@by(built, "versitygw")
def versitygw(directory, program, port):
    """S3 with one bucket and S3_KEYS."""
    (directory / "root/bucket").mkdir(parents=True)
    keys = ["--access", S3_KEYS["AWS_ACCESS_KEY_ID"], "--secret", S3_KEYS["AWS_SECRET_ACCESS_KEY"]]
    command = [program, "--quiet", *keys, "--port", f"127.0.0.1:{port}", "posix", str(directory / "root")]
    return Server(f"s3://bucket/cache?endpoint=http://127.0.0.1:{port}", command)


@by(built, "fake-gcs-server")
def fake_gcs_server(directory, program, port):
    """Google Cloud Storage with one bucket."""
    (directory / "root/bucket").mkdir(parents=True)
    words = f"-scheme http -host 127.0.0.1 -port {port} -filesystem-root {directory}/root -log-level error"
    return Server(f"gs://bucket/cache?credentials=none&endpoint=http://127.0.0.1:{port}", [program, *words.split()])


@by(built, "azurite")
def azurite(directory, program, port):
    """Azure Blob with one container, AZURE_ACCOUNT and AZURE_KEYS."""
    words = f"--silent --disableTelemetry --blobHost 127.0.0.1 --blobPort {port} --location {directory}"
    server = f"http://127.0.0.1:{port}"
    made = Server(f"azblob://{AZURE_ACCOUNT}/bucket/cache?endpoint={server}", [program, *words.split()])
    place = f"{server}/{AZURE_ACCOUNT}/bucket?restype=container&{AZURE_SAS}"
    urllib.request.urlopen(urllib.request.Request(place, method="PUT", data=b""), timeout=PATIENCE).close()
    return made

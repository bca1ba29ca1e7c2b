"""Whom machines trust that share results through real servers.

usage: machines_trust_test.py SOURCE_DIRECTORY BIN_DIRECTORY FORGER [unittest arguments]
"""

import base64
import pathlib
import shutil
import subprocess
import sys
import unittest

from trust_case import ARCHS, BIN, STEPS, TrustTest, run_tests
import machines
import servers

FORGER = pathlib.Path(sys.argv.pop(1)).resolve()
PATIENT = "timeout=30s&connect_timeout=30s"  # a loaded machine is no failure here


class Trust(TrustTest):
    def url(self, kind):
        if kind == "file":
            return f"file://{self.directory}/shared"
        place = self.directory / kind
        place.mkdir()
        server = {"redis": servers.redis, "http": servers.nginx, "grpc": servers.bazel_remote}[kind](place)
        if server is None and kind == "grpc":
            self.skipTest("bazel-remote is not installed: tools/test-servers builds it, with Go")
        self.assertIsNotNone(server, f"tools/setup installs the server of {kind}")
        self.addCleanup(server.stop)
        return f"{server.url}?{PATIENT}"

    def forge(self, directory):
        forged = subprocess.run([FORGER, directory], check=True, capture_output=True, text=True)
        self.assertGreater(int(forged.stdout), 1, "the result of the request, and of a step")


class Signing(Trust):
    """For each kind of tier; the tests are made below."""

    def serves_those_who_trust_the_signer(self, kind):
        url = self.url(kind)
        made = self.fill("signer", url, signs=self.ours)
        second = self.machine("second", url, trusted=[self.theirs, self.ours])
        self.assertEqual(self.compile(second), made)
        self.assertEqual(second.steps_run(), {})
        self.assertEqual((self.tier(second)["unsigned"], self.tier(second)["untrusted"]), (0, 0))
        # Whoever trusts nobody in particular, and whoever trusts somebody else.
        plain = self.machine("plain", url)
        self.assertEqual(self.compile(plain), made)
        self.assertEqual(plain.steps_run(), {})
        other = self.machine("other", url, trusted=[self.theirs])
        self.assertEqual(self.compile(other), made)
        self.assertEqual(self.steps(other), STEPS)
        tier = self.tier(other)
        self.assertGreater(tier["untrusted"], 0)
        self.assertEqual((tier["unsigned"], tier["errors"]), (0, 0))
        self.assertEqual(other.log.read_text().count("is not signed by a key of trusted_keys"), 1, "logged once")
        self.assertIn("signed by no trusted key", other.option("--show-stats", "--verbose"))

    def has_misses_without_signatures_until_somebody_signs(self, kind):
        url = self.url(kind)
        made = self.fill("unsigned", url)
        signer = self.machine("signer", url, trusted=[self.ours], signs=self.ours)
        self.assertEqual(self.compile(signer), made)
        self.assertEqual(self.steps(signer), STEPS)
        self.assertGreater(self.tier(signer)["unsigned"], 0)
        self.assertEqual(signer.log.read_text().count("a result is not signed"), 1)
        self.assertEqual(signer.flush().returncode, 0)
        second = self.machine("second", url, trusted=[self.ours])
        self.assertEqual(self.compile(second), made)
        self.assertEqual(second.steps_run(), {})


for each in [name for name in vars(Signing) if name.split("_")[0] in ("serves", "has")]:
    for tier in ("file", "http", "redis", "grpc"):
        setattr(Signing, f"test_{tier}_{each}", lambda self, each=each, tier=tier: getattr(self, each)(tier))


class Attacks(Trust):
    def test_a_forged_result_is_served_without_trusted_keys_and_a_miss_with_them(self):
        shared = self.directory / "shared"
        made = self.fill("signer", f"file://{shared}", signs=self.ours)
        self.forge(shared)
        careless = self.machine("careless", f"file://{shared}")
        self.assertEqual(self.compile(careless), made + b"forged", "digests do not stop who may write")
        careful = self.machine("careful", f"file://{shared}", trusted=[self.ours])
        self.assertEqual(self.compile(careful), made)
        self.assertEqual(self.steps(careful)["host"], 1)
        self.assertGreater(self.tier(careful)["untrusted"], 0)

    def test_nobody_signs_what_came_without_a_signature(self):
        """The store has a forged result from before the keys were set. A new key must not vouch for it."""
        shared, clean = self.directory / "shared", self.directory / "clean"
        made = self.fill("first", f"file://{shared}")
        self.forge(shared)
        machine = self.machine("machine", f"file://{shared}")
        self.assertEqual(self.compile(machine), made + b"forged")
        machine.stop()
        machine.variables.update(
            HIPCACHE_REMOTE=f"file://{clean}", HIPCACHE_SIGNING_KEY=str(self.ours.path), HIPCACHE_TRUSTED_KEYS=self.ours.public
        )
        self.assertEqual(self.compile(machine), made)
        self.assertEqual(machine.flush().returncode, 0)
        second = self.machine("second", f"file://{clean}", trusted=[self.ours])
        self.assertEqual(self.compile(second), made)
        self.assertEqual(second.steps_run(), {})

    def test_a_key_that_is_no_longer_trusted_vouches_for_nothing_in_the_store_either(self):
        url = self.url("file")
        self.fill("signer", url, signs=self.ours)
        machine = self.machine("machine", url, trusted=[self.ours])
        self.compile(machine)
        self.assertEqual(machine.steps_run(), {})
        machine.stop()
        machine.variables["HIPCACHE_TRUSTED_KEYS"] = self.theirs.public
        self.compile(machine)
        self.assertEqual(self.steps(machine), STEPS)

    def test_a_signer_takes_nothing_from_other_stores(self):
        seed = self.machine("seed", "")
        self.compile(seed)
        seed.stop()
        settings = {"seed": seed.directory / "cache"}
        plain = self.machine("plain", "", **settings)
        self.compile(plain)
        self.assertEqual(plain.steps_run(), {})
        signer = self.machine("signer", self.url("file"), trusted=[self.ours], signs=self.ours, **settings)
        self.compile(signer)
        self.assertEqual(self.steps(signer), STEPS)

    def test_a_signer_without_trusted_keys_takes_nothing(self):
        url = self.url("file")
        made = self.fill("first", url)
        signer = self.machine("signer", url, signs=self.ours)
        self.assertEqual(self.compile(signer), made)
        self.assertEqual(self.steps(signer), STEPS)
        self.assertIn("not read: signing_key is set and trusted_keys is empty", self.tier(signer)["state"])
        self.assertEqual(signer.flush().returncode, 0)

    def test_a_back_filled_result_keeps_its_signature(self):
        near, far = (f"file://{self.directory / name}" for name in ("near", "far"))
        made = self.fill("signer", far, signs=self.ours)
        reader = self.machine("reader", f"{near},{far}", trusted=[self.ours])
        self.assertEqual(self.compile(reader), made)
        self.assertEqual(reader.steps_run(), {})
        self.assertTrue(servers.comes_true(lambda: list(pathlib.Path(near[7:]).rglob("v1/r/*/*"))))
        self.assertTrue(servers.comes_true(lambda: machines.lists_in(near[7:])))
        second = self.machine("second", near, trusted=[self.ours])
        self.assertEqual(self.compile(second), made)
        self.assertEqual(second.steps_run(), {})

    def test_without_a_signing_key_nothing_new_is_written(self):
        shared = self.directory / "shared"
        shared.mkdir()
        machine = self.machine("machine", f"file://{shared}", trusted=[self.ours])
        self.compile(machine)
        flushed = machine.flush()
        self.assertEqual(flushed.returncode, 0, flushed.stderr)
        self.assertEqual(list(shared.iterdir()), [])
        self.assertIn("not written", self.tier(machine)["state"])


class Keys(Trust):
    def test_a_key_that_cannot_be_used_ends_writing_and_fails_no_compile(self):
        readable = self.directory / "readable.pem"
        shutil.copy(self.ours.path, readable)
        readable.chmod(0o644)
        rsa = self.directory / "rsa.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", rsa], check=True, capture_output=True)
        rsa.chmod(0o600)
        locked = self.directory / "locked.pem"
        words = ["openssl", "pkey", "-in", self.ours.path, "-aes-128-cbc", "-passout", "pass:secret", "-out", locked]
        subprocess.run(words, check=True)
        locked.chmod(0o600)
        shared = self.directory / "shared"
        shared.mkdir()
        cases = [
            (self.directory / "missing.pem", "cannot read"),
            (readable, "chmod 600 its file"),
            (rsa, "is no ed25519 key"),
            (locked, "with a passphrase"),
        ]
        for path, message in cases:
            with self.subTest(message):
                machine = self.machine(path.stem, f"file://{shared}", trusted=[self.ours])
                machine.variables["HIPCACHE_SIGNING_KEY"] = str(path)
                self.compile(machine)
                self.assertEqual(self.steps(machine), STEPS)
                flushed = machine.flush()
                self.assertEqual(flushed.returncode, 1)
                for said in (flushed.stderr, self.tier(machine)["state"], machine.log.read_text()):
                    self.assertIn(message, said)
                    self.assertIn("signing_key: ", said)
        self.assertEqual(list(shared.iterdir()), [])

    def test_a_trusted_key_that_is_none_is_an_error_of_one_line(self):
        for text in ("ci", "ci:", "ci:AAAA", ":" + self.ours.public.split(":")[1], "ci:" + "!" * 43 + "="):
            machine = self.machine(f"machine{len(text)}", "")
            machine.variables["HIPCACHE_TRUSTED_KEYS"] = text
            shown = machine.run(["--show-config"])
            self.assertNotEqual(shown.returncode, 0, text)
            self.assertEqual(shown.stderr.count("\n"), 1)
            self.assertIn("HIPCACHE_TRUSTED_KEYS: a part of the value is no public key", shown.stderr)
            machine.variables["HIPCACHE_QUIET"] = "1"
            self.compile(machine)

    def test_openssl_shows_the_same_public_key(self):
        der = subprocess.run(
            ["openssl", "pkey", "-in", self.ours.path, "-pubout", "-outform", "DER"], check=True, capture_output=True
        )
        self.assertEqual(self.ours.public, "ours:" + base64.b64encode(der.stdout[-32:]).decode())

    def test_no_setting_comes_from_a_checkout(self):
        stolen = self.directory / "stolen"
        stolen.mkdir()
        text = f'remote = ["file://{stolen}"]\ntrusted_keys = ["{self.theirs.public}"]\nsigning_key = "{self.theirs.path}"\n'
        names = ("config.toml", "hipcache.toml", ".hipcache.toml", "hipcache.conf", ".hipcache/config.toml")
        names += (".config/hipcache/config.toml", "hipcache/config.toml", ".env")
        for name in names:
            path = self.project.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        machine = self.machine("machine", "")
        machine.variables.pop("HIPCACHE_CONFIG")
        machine.variables["HOME"] = str(self.directory / "home")
        (self.directory / "home").mkdir()
        machine.variables.pop("XDG_CONFIG_HOME", None)
        shown = machine.run(["--show-config"], cwd=self.project.directory)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertNotIn("stolen", shown.stdout)
        self.assertNotIn(self.theirs.public, shown.stdout)
        self.compile(machine)
        self.assertEqual(machine.flush().returncode, 0)
        self.assertEqual(list(stolen.iterdir()), [])


def nginx_with_two_users(directory):
    """`ci` may write everything but the untrusted prefix, `fork` that alone; everybody may read."""
    for user in ("ci", "fork"):
        (directory / user).write_text(f"{user}:{{PLAIN}}{user}-password\n")
    writers = "limit_except GET HEAD {{ auth_basic cache; auth_basic_user_file {}; }}"
    location = writers.format(directory / "ci")
    location += f" location /cache/untrusted/ {{ {writers.format(directory / 'fork')} }}"
    return servers.nginx(directory, location)


def redis_with_two_users(directory):
    program = shutil.which("redis-server")
    if not program:
        return None
    port = servers.free_port()
    config = directory / "redis.conf"
    config.write_text(
        f"""port {port}
bind 127.0.0.1
dir {directory}
appendonly no
save ""
user default off
user ci on >ci-password ~hipcache/* +@all
user fork on >fork-password ~hipcache/untrusted/* %R~hipcache/v1/* -@all +@read +@write +@transaction +@connection
"""
    )
    return servers.Server(f"redis://127.0.0.1:{port}", [program, str(config)])


class Prefix(Trust):
    """Untrusted builds read what trusted ones wrote, and write to a prefix of their own (docs/remote.md)."""

    def check(self, make):
        place = self.directory / "server"
        place.mkdir()
        server = make(place)
        self.assertIsNotNone(server, "tools/setup installs the server")
        self.addCleanup(server.stop)
        ci, fork = (server.url.replace("://", f"://{user}:{user}-password@") + f"?{PATIENT}" for user in ("ci", "fork"))
        forks = f"{fork}&mode=ro,{fork}&prefix=untrusted"

        made = self.fill("trusted", ci)
        first = self.machine("first-fork", forks)
        self.assertEqual(self.compile(first), made)
        self.assertEqual(first.steps_run(), {}, "forks read what trusted builds wrote")

        flags = ("-O1", "-fwrapv")
        of_fork = self.compile(first, flags)
        flushed = first.flush()
        self.assertEqual(flushed.returncode, 0, flushed.stderr)
        second = self.machine("second-fork", forks)
        self.assertEqual(self.compile(second, flags), of_fork)
        self.assertEqual(second.steps_run(), {}, "forks share among themselves")

        again = self.machine("again-trusted", ci)
        self.assertEqual(self.compile(again, flags), of_fork)
        self.assertEqual(self.steps(again), STEPS, "trusted builds read nothing that forks wrote")

        # Settings are hygiene. The boundary is the server, which does not let a fork write elsewhere.
        flags = ("-O1", "-fno-builtin")
        intruder = self.machine("intruder", fork)
        self.compile(intruder, flags)
        self.assertEqual(intruder.flush().returncode, 1)
        last = self.machine("last-trusted", ci)
        self.compile(last, flags)
        self.assertEqual(self.steps(last), STEPS)

    def test_http_keeps_untrusted_builds_apart(self):
        self.check(nginx_with_two_users)

    def test_redis_keeps_untrusted_builds_apart(self):
        self.check(redis_with_two_users)


if __name__ == "__main__":
    run_tests()

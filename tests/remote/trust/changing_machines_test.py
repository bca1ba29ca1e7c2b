"""Machines whose settings and stores change: what a machine took unsigned is never signed, in whatever order that happens.

Each test lets a machine take results that are forged, and shows that it does: it trusts the owner of its other stores.
Then the machine gets a signing key. What it publishes and exports must be what the compiler makes, and others must still
be able to take it.

usage: changing_machines_test.py SOURCE_DIRECTORY BIN_DIRECTORY STORE_FORGER [unittest arguments]
"""

import os
import pathlib
import shutil
import subprocess
import sys

from trust_case import ARCHS, STEPS, TrustTest, run_tests

STORE_FORGER = pathlib.Path(sys.argv.pop(1)).resolve()
ONE = ARCHS[:1]  # a request of its own, made of steps of the other one
FLAGS = ("-O1",)
LATER = ("-O1", "-fwrapv")


class Changes(TrustTest):
    def setUp(self):
        super().setUp()
        self.shared = self.directory / "shared"
        self.shared.mkdir()
        self.made = {}

    def expected(self, archs, flags):
        """What the compiler makes."""
        if (archs, flags) not in self.made:
            plain = self.machine(f"plain{len(self.made)}", "")
            self.made[archs, flags] = self.project.expected(plain, archs, flags)
        return self.made[archs, flags]

    def set(self, machine, trusted=(), signs=None, seed=None, remote=True):
        """The machine's daemon begins anew with these settings."""
        machine.stop()
        machine.variables.update(
            HIPCACHE_TRUSTED_KEYS=",".join(key.public for key in trusted),
            HIPCACHE_SIGNING_KEY=str(signs.path) if signs else "",
            HIPCACHE_SEED=str(seed) if seed else "",
            HIPCACHE_REMOTE=f"file://{self.shared}" if remote else "",
        )

    def forged_store(self, name, trusted=(), signs=None, flags=FLAGS):
        """A cache directory with forged results of the project, under those settings."""
        owner = self.machine(name, "", trusted=trusted, signs=signs)
        self.compile(owner, flags)
        owner.stop()
        self.forge(owner)
        return owner.directory / "cache"

    def forge(self, machine):
        machine.stop()
        done = subprocess.run([STORE_FORGER, machine.directory / "cache"], check=True, capture_output=True, text=True)
        self.assertGreater(int(done.stdout), 3, "the request, two devices and the host")

    def takes_forged(self, machine, flags=FLAGS):
        before = machine.steps_run()
        self.assertEqual(self.compile(machine, flags), self.expected(ARCHS, flags) + b"forged", "it may take it unsigned")
        self.assertEqual(machine.steps_run(), before)

    def signs_only_its_own(self, machine, reader_name="reader", flags=FLAGS, trusted=None, imported=False):
        """REQUIRES: the machine signs, and `shared` is its shared cache. What was imported is not published there."""
        trusted = trusted or [self.ours]
        archive = self.directory / f"{reader_name}.tar.zst"
        early = machine.run(["--export", str(archive)])
        self.assertEqual(early.returncode, 0, early.stderr)
        importer = self.machine(f"early-{reader_name}", "", trusted=trusted)
        importer.option("--import", str(archive))
        # A request of forged steps would be published, so first one that shares only steps.
        for archs in (ONE, ARCHS):
            self.assertEqual(self.project.compile(machine, archs, flags), self.expected(archs, flags))
        flushed = machine.flush()
        self.assertEqual(flushed.returncode, 0, flushed.stderr)
        machine.option("--export", str(archive))
        late = self.machine(f"late-{reader_name}", "", trusted=trusted)
        late.option("--import", str(archive))
        taker = self.machine(reader_name, f"file://{self.shared}", trusted=trusted)
        for other in (importer, late, taker):
            for archs in (ONE, ARCHS):
                self.assertEqual(self.project.compile(other, archs, flags), self.expected(archs, flags))
        if not imported:
            self.assertEqual(taker.steps_run(), {}, "what the machine compiled is signed")
        self.assertEqual(late.steps_run(), {}, "and exported")

    def published(self):
        return [path for path in self.shared.rglob("v1/r/*/*") if path.is_file()]

    def test_keys_then_a_seed_then_signing(self):
        seed = self.forged_store("seed", trusted=[self.ours])
        machine = self.machine("machine", "")
        self.set(machine, [self.ours])
        self.compile(machine, LATER)
        self.set(machine, [self.ours], seed=seed)
        self.takes_forged(machine)
        self.assertEqual(self.published(), [], "nothing unsigned is published")
        self.set(machine, [self.ours], self.ours, seed)
        self.signs_only_its_own(machine)

    def test_a_seed_then_keys_then_signing(self):
        seeds = [self.forged_store("plain-seed"), self.forged_store("seed", trusted=[self.ours])]
        machine = self.machine("machine", "")
        self.set(machine, seed=seeds[0], remote=False)
        self.takes_forged(machine)
        self.set(machine, [self.ours], seed=f"{seeds[0]},{seeds[1]}")
        self.takes_forged(machine)
        self.set(machine, [self.ours], self.ours)
        self.signs_only_its_own(machine)

    def test_signing_then_a_seed_without_the_key_then_signing_again(self):
        machine = self.machine("machine", "")
        self.set(machine, [self.ours], self.ours)
        own = self.compile(machine, LATER)
        seed = self.forged_store("seed", trusted=[self.ours])
        self.set(machine, [self.ours], seed=seed)
        self.takes_forged(machine)
        self.assertEqual(self.compile(machine, LATER), own, "what was compiled with the key is of use without it")
        before = machine.steps_run()
        self.set(machine, [self.ours], self.ours, seed)
        self.assertEqual(self.compile(machine, LATER), own)
        self.assertEqual(machine.steps_run(), before, "and again with it")
        self.signs_only_its_own(machine)

    def test_a_seed_of_a_signer_is_no_better(self):
        seed = self.forged_store("seed", trusted=[self.ours], signs=self.theirs)
        machine = self.machine("machine", "")
        self.set(machine, [self.ours], self.ours, seed)
        self.compile(machine, LATER)
        self.set(machine, [self.ours], seed=seed)
        self.takes_forged(machine)
        self.set(machine, [self.ours], self.ours, seed)
        self.signs_only_its_own(machine)

    def test_another_store_of_the_machine(self):
        """Of another container or of a member of the group."""
        theirs = self.forged_store("other", trusted=[self.ours])
        machine = self.machine("machine", "")
        self.set(machine, [self.ours])
        self.compile(machine, LATER)
        shutil.copytree(theirs / "store", machine.directory / "cache" / f"store-{os.geteuid()}-7")
        self.takes_forged(machine)
        self.set(machine, [self.ours], self.ours)
        self.signs_only_its_own(machine)

    def test_a_key_that_is_replaced(self):
        """The signing key is another one from day to day. What was trusted under both keys stays apart from a seed's."""
        both = [self.theirs, self.ours]
        seed = self.forged_store("seed", trusted=both)
        machine = self.machine("machine", "")
        self.set(machine, both, self.theirs)
        own = self.compile(machine, LATER)
        self.assertEqual(machine.flush().returncode, 0)
        self.set(machine, both, seed=seed)
        self.takes_forged(machine)
        self.set(machine, both, self.ours)
        self.assertEqual(self.compile(machine, LATER), own)
        self.signs_only_its_own(machine, "first-reader")
        # The old key is no longer trusted. What it signed is made again, and signed by the new one.
        self.set(machine, [self.ours], self.ours)
        self.signs_only_its_own(machine, "second-reader")
        self.signs_only_its_own(machine, "third-reader", LATER)

    def test_an_unsigned_import_then_signing(self):
        archive = self.directory / "unsigned.tar.zst"
        exporter = self.machine("exporter", "")
        self.compile(exporter)
        self.forge(exporter)
        exporter.option("--export", str(archive))
        machine = self.machine("machine", "")
        machine.option("--import", str(archive))
        self.takes_forged(machine)
        for signs in (None, self.ours):
            self.set(machine, [self.ours], signs)
            self.assertRegex(machine.option("--import", str(archive)), r"^Imported 0 results; .* are not signed")
        self.signs_only_its_own(machine)

    def test_a_signed_import_is_taken_again_once_the_machine_signs(self):
        archive = self.directory / "signed.tar.zst"
        exporter = self.machine("exporter", "", trusted=[self.ours], signs=self.ours)
        made = self.compile(exporter)
        exporter.option("--export", str(archive))
        machine = self.machine("machine", "")
        seed = self.forged_store("seed", trusted=[self.ours], flags=LATER)
        self.set(machine, [self.ours], seed=seed)
        machine.option("--import", str(archive))
        self.assertEqual(self.compile(machine), made)
        self.assertEqual(machine.steps_run(), {})
        self.takes_forged(machine, LATER)
        self.set(machine, [self.ours], self.ours)
        self.assertRegex(machine.option("--import", str(archive)), r"^Imported [1-9]\d* results; 0 were there already")
        self.assertEqual(self.compile(machine), made)
        self.assertEqual({step: n for step, n in machine.steps_run().items() if step in STEPS}, {})
        self.signs_only_its_own(machine, imported=True)
        self.signs_only_its_own(machine, "later-reader", LATER)

    def test_a_seed_of_a_signer_serves_those_who_trust_the_same(self):
        filler = self.machine("filler", "", trusted=[self.ours], signs=self.ours)
        made = self.compile(filler)
        filler.stop()
        reader = self.machine("reader", "", trusted=[self.ours], seed=filler.directory / "cache")
        self.assertEqual(self.compile(reader), made)
        self.assertEqual(reader.steps_run(), {})

    def test_back_fills_and_takes_of_a_machine_with_a_seed(self):
        """A far shared cache has signed results, the near one is back-filled. The seed's results go to neither."""
        far = self.directory / "far"
        self.fill("signer", f"file://{far}", signs=self.ours)
        seed = self.forged_store("seed", trusted=[self.ours], flags=LATER)
        machine = self.machine("machine", "")
        self.set(machine, [self.ours], seed=seed)
        machine.variables["HIPCACHE_REMOTE"] = f"file://{self.shared},file://{far}"
        self.assertEqual(self.compile(machine), self.expected(ARCHS, FLAGS))
        self.takes_forged(machine, LATER)
        self.set(machine, [self.ours], self.ours, seed)
        self.signs_only_its_own(machine, "reader", LATER)
        self.signs_only_its_own(machine, "other-reader", FLAGS)


if __name__ == "__main__":
    run_tests()

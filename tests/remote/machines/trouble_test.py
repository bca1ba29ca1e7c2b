"""Machines whose servers or values are broken: no failed compile, no wrong object, and a miss that is published again.

usage: trouble_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import threading
import time

import machines
import servers
from machines import Project
from machines_test import CLANG, PATIENT, RUNTIME, TWO, Machines


class Trouble(Machines):
    def test_a_server_that_is_not_there_costs_a_bounded_time(self):
        url = f"http://127.0.0.1:{servers.free_port()}/cache"
        machine = self.machine("first", url)
        self.assert_compiles(machine)
        flushed = machine.flush()
        self.assertEqual(flushed.returncode, 1)
        self.assertIn("could not be written", flushed.stderr)
        self.assertNotEqual(machine.stats()["remote"]["tiers"][0]["state"], "ok")
        self.assertEqual(machine.stats()["errors"], 0)

    def test_a_server_that_answers_nothing_is_left_behind(self):
        server = self.server("http")
        made = self.fill(server.url + "?" + PATIENT)
        server.pause()
        self.addCleanup(server.go_on)
        machine = self.machine("second", server.url)
        start = time.monotonic()
        self.assertEqual(self.project.compile(machine, TWO), made)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(machine.steps_run()["host"], 1)
        self.assertGreater(machine.stats()["remote"]["tiers"][0]["errors"], 0)

    def test_hipcache_remote_may_die_at_any_time(self):
        url = f"file://{self.make_directory('shared')}"
        machine = self.machine("first", url)
        self.assert_compiles(machine)
        for flags in (("-O1", "-fwrapv"), ("-O1", "-fno-inline"), ("-O1", "-fno-builtin")):
            self.assertTrue(servers.comes_true(lambda: machines.kill_remote_of(machine)))
            self.assert_compiles(machine, flags=flags)
        self.assertTrue(servers.comes_true(lambda: machine.flush().returncode == 0))

    def test_a_server_that_takes_no_writes_is_read(self):
        server = self.server("http")
        made = self.fill(server.url + "?" + PATIENT)
        port = server.port
        server.stop()
        config = self.directory / "http/nginx.conf"
        config.write_text(config.read_text().replace("create_full_put_path on;", "limit_except GET HEAD { deny all; }"))
        server.start()
        self.assertEqual(port, server.port)
        second = self.machine("second", server.url + "?" + PATIENT)
        self.assert_served(second, made)
        self.assert_compiles(second, flags=("-O1", "-fwrapv"))
        self.assertEqual(second.flush().returncode, 1)
        self.assertEqual(self.project.compile(second, TWO), made)

    def test_damaged_values_are_misses(self):
        shared = self.make_directory("shared")
        made = self.fill(f"file://{shared}")
        for number, path in enumerate(sorted(shared.rglob("v1/*/*/*"))):
            bytes_ = bytearray(path.read_bytes())
            if not bytes_:
                continue
            if number % 3 == 0:
                bytes_[len(bytes_) // 2] ^= 1
            path.write_bytes(bytes_[: len(bytes_) // 2] if number % 3 == 1 else b"" if number % 3 == 2 else bytes_)
        second = self.machine("second", f"file://{shared}")
        self.assertEqual(self.project.compile(second, TWO), made)

    def test_evicted_values_are_misses_that_are_published_again(self):
        shared = self.make_directory("shared")
        made = self.fill(f"file://{shared}")
        for path in shared.rglob("v1/r/*/*"):
            path.unlink()
        second = self.machine("second", f"file://{shared}")
        self.assertEqual(self.project.compile(second, TWO), made)
        self.assertEqual(second.flush().returncode, 0)
        self.assert_served(self.machine("third", f"file://{shared}"), made)

    def test_two_machines_that_write_at_once_lose_no_path_set_for_good(self):
        server = self.server("redis")
        url = server.url + "?" + PATIENT
        pair = [self.machine(name, url) for name in ("one", "other")]
        other = Project(self.directory / "elsewhere", RUNTIME, CLANG)
        threads = [
            threading.Thread(target=project.compile, args=(machine, TWO))
            for project, machine in zip((self.project, other), pair)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for machine in pair:
            self.assertEqual(machine.flush().returncode, 0)
        for number, project in enumerate((self.project, other)):
            reader = self.machine(f"reader{number}", url)
            project.compile(reader, TWO)
            self.assertEqual(reader.steps_run(), {})


if __name__ == "__main__":
    machines.run_tests(CLANG)

"""Machines whose networks fail: what that costs, and that no object is wrong.

usage: faults_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import time

import machines
from fault_proxy import FaultProxy
from machines_test import BRIEF, CLANG, PATIENT, TWO, Machines

STALL = "timeout=3s&connect_timeout=3s"  # what a lost connection costs, and a loaded machine does not reach
PAUSE, PAUSES = 2, 12  # seconds between compiles, while which the circuit may be open; far less than TCP's quarter of an hour


class FaultsOf:
    """Faults at points of the conversation that a seed chooses."""

    kind, seeds = "", ()

    def test_no_fault_makes_a_wrong_object_or_a_failed_compile(self):
        server = self.server(self.kind)
        url = server.url_with(PATIENT)
        first = self.machine("first", url)
        expected = {}
        flags = [("-O1", f"-fconstexpr-depth={100 + number}") for number in range(3)]
        for one in flags:
            expected[one] = self.assert_compiles(first, flags=one)
        self.assertEqual(first.flush().returncode, 0)
        for seed in self.seeds:
            proxy = FaultProxy(server.port, seed, speaks=self.kind)
            self.addCleanup(proxy.stop)
            url = server.url_with(BRIEF).replace(str(server.port), str(proxy.port))
            machine = self.machine(f"seed{seed}", url)
            for one in flags:
                self.assertEqual(self.project.compile(machine, TWO, one), expected[one], f"seed {seed}")
            self.assertEqual(machine.stats()["requests"]["passthrough"], 0, f"seed {seed}")
            self.assertEqual(machine.stats()["errors"], 0, f"seed {seed}")
            machine.stop()
            proxy.stop()

    def test_a_connection_that_is_lost_without_a_word_is_not_asked_again(self):
        server = self.server(self.kind)
        numbers = range(40)
        publisher = self.machine("publisher", server.url_with(PATIENT))
        for number in numbers:
            self.compile_c(publisher, number)
        self.assertEqual(publisher.flush().returncode, 0)
        proxy = FaultProxy(server.port, self.seeds[0], faults=("stall",), speaks=self.kind, most=1)
        self.addCleanup(proxy.stop)
        machine = self.machine("reader", server.url_with(STALL).replace(str(server.port), str(proxy.port)) + "&mode=ro")
        left = iter(numbers)
        while proxy.counts["stall"] == 0:
            self.compile_c(machine, next(left))
        before = machine.stats()["requests"]["hit"]

        def hits():
            self.compile_c(machine, next(left))
            return machine.stats()["requests"]["hit"] > before

        self.assertTrue(any(hits() or time.sleep(PAUSE) for _ in range(PAUSES)))

    def compile_c(self, machine, number):
        (self.project.directory / "a.c").write_text("int number = NUMBER;\n")
        done = machine.run(["gcc", f"-DNUMBER={number}", "-c", "a.c", "-o", "c.o"], cwd=self.project.directory)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


class FaultsOfHttp(FaultsOf, Machines):
    kind, seeds = "http", range(1, 7)


class FaultsOfRedis(FaultsOf, Machines):
    kind, seeds = "redis", range(101, 107)


class FaultsOfGrpc(FaultsOf, Machines):
    kind, seeds = "grpc", range(201, 207)


class FaultsOfBuildGrid(FaultsOf, Machines):
    kind, seeds = "buildgrid", range(211, 214)


class FaultsOfS3(FaultsOf, Machines):
    kind, seeds = "s3", range(301, 307)


class FaultsOfGoogle(FaultsOf, Machines):
    kind, seeds = "google", range(311, 314)


class FaultsOfAzure(FaultsOf, Machines):
    kind, seeds = "azure", range(321, 324)


if __name__ == "__main__":
    machines.run_tests(CLANG)

"""Commands under mpirun that never outlive their caller."""

import os
import signal
import subprocess
import threading


class Job:
    """`launcher`: its command line; `patience`: seconds, after which the command hangs."""

    def __init__(self, launcher, patience, command, ranks, settings, for_launcher=False):
        environment = dict(os.environ)
        given = [f"{name}={value}" for name, value in settings.items()]
        if for_launcher:  # spawned processes have its environment
            environment |= settings
            given = []
        self.hangs = False
        self.patience = patience
        self.process = subprocess.Popen(
            [*launcher, "-n", str(ranks), "env", *given, *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self):
        """Launchers end their ranks when they receive the signal to end."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)

    def _give_up(self):
        self.hangs = True
        self.end()

    def outcome(self):
        """The completed process; its code is 0 only where it did not hang."""
        clock = threading.Timer(self.patience, self._give_up)
        clock.start()
        out, error = self.process.communicate()
        clock.cancel()
        if self.hangs:
            error = f"hangs\n{error}"
        return subprocess.CompletedProcess([], self.process.returncode or self.hangs, out, error)

    def hear(self, wanted):
        """Its lines on standard error up to the first wanted one (included); ends the job."""
        clock = threading.Timer(self.patience, self.end)
        clock.start()
        heard = []
        for line in self.process.stderr:
            heard.append(line)
            if wanted(line):
                break
        clock.cancel()
        self.end()
        self.process.stdout.close()
        self.process.stderr.close()
        return heard

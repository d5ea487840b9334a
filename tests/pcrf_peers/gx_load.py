#!/usr/bin/env python3
"""The load of `strowger pcrf bench`, sent by freeDiameter instead: the same sessions at the same times, from a client
that shares no line with the server (gx_load.c beside this file). What both clients measured is printed side by side.

Server and client get a processor each, as in `strowger pcrf bench`. Needed: freeDiameterd with its extensions and
headers (Debian: freediameterd freediameter-extensions libfreediameter-dev), gcc, openssl.

Exit codes: 0 all requests were answered with 2001; 1 some were not; 2 wrong usage; 3 a program fails; 77 one is missing.
"""

import argparse
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXTENSIONS = ("/usr/lib/freeDiameter", "/usr/lib/x86_64-linux-gnu/freeDiameter", "/usr/local/lib/freeDiameter")
HOST, REALM = "load.pcef.example", "example"
# The rules of `strowger pcrf bench` for the highest rate: milliseconds, and the share of requests that are sent late.
WORST, LATE = 50.0, 0.01
PATIENCE = 60
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A program does not do what it should."""


class Missing(Exception):
    """A program is not there."""


def run(*command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Missing(f"{command[0]} is missing") from error
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


class Talk:
    """A program whose lines are read as they come."""

    def __init__(self, command, log):
        self.lines = queue.SimpleQueue()
        self.log = log
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "wb"), text=True
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def hear(self, *beginnings, patience=PATIENCE):
        """The next line that begins with one of these."""
        others = []
        until = time.monotonic() + patience
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                errors = Path(self.log).read_text(errors="replace")
                raise Failed(f"`{beginnings[0]}` is waited for: " + "\n".join(others[-20:]) + errors[-2000:])
            if line.startswith(beginnings):
                return line
            others.append(line)

    def say(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def usage(self):
        """Seconds of a processor, bytes in memory."""
        proc = Path(f"/proc/{self.child.pid}")
        try:
            fields = (proc / "stat").read_text().rpartition(") ")[2].split()
            resident = int((proc / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / TICKS, resident

    def end(self):
        try:
            self.child.stdin.close()
            self.child.wait(timeout=8)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()


def pinned(processor, args):
    return [] if args.unpinned else ["taskset", "-c", str(processor)]


class Server:
    """`strowger pcrf serve` as `strowger pcrf bench` starts it."""

    def __init__(self, args, folder):
        self.policy = folder / "gx.conf"
        self.control = folder / "pcrf.sock"
        source = Path(args.policy)
        shutil.copy(source, self.policy)
        for name in ("rules.conf", "monitoring.conf"):
            shutil.copy(source.parent / name, folder / name)
        csv = folder / "subscribers.csv"
        run(args.strowger, "pcrf", "bench", "--write-subscribers", csv, "--subscribers", str(args.subscribers))
        store = "mem" if args.durability == "mem" else f"redb:{folder / 'store.redb'}"
        # freeDiameter drops an answer without a Result-Code.
        command = [args.strowger, "pcrf", "serve", "--listen", "127.0.0.1:0", "--policy", self.policy]
        command += ["--subscribers", csv, "--store", store, "--durability", args.durability]
        command += ["--control", self.control, "--set", "log=warning", "--set", "experimental=result-only"]
        self.talk = Talk(pinned(0, args) + command, folder / "server.log")
        self.port = int(self.talk.hear("listening on ").split()[2].rpartition(":")[2])

    def ask(self, command):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.settimeout(30)
            stream.connect(str(self.control))
            stream.sendall(json.dumps({"command": command}).encode() + b"\n")
            answer = json.loads(stream.makefile().readline())
        if not answer["ok"]:
            raise Failed(f"{command}: {answer['error']}")
        return answer["value"]

    def change(self, change, times, seconds):
        """Puts another text into the policy and has the server read it, then the first again, evenly in that time."""
        old, _, new = change.partition("=>")
        text = self.policy.read_text()
        if old not in text:
            raise Failed(f"the policy has no `{old}`")
        for turn in range(times):
            time.sleep(seconds / (times + 1))
            self.policy.write_text(text if turn % 2 else text.replace(old, new))
            self.ask("reload")

    def end(self):
        try:
            self.ask("stop")
        except (OSError, ValueError, Failed):
            self.talk.child.terminate()
        self.talk.end()


class Client:
    """freeDiameterd with the extension beside this file."""

    def __init__(self, args, folder, port):
        found = [path for path in EXTENSIONS if Path(path, "dict_dcca_3gpp.fdx").exists()]
        if not found:
            raise Missing("freediameter-extensions are not installed")
        run("freeDiameterd", "--version")
        extension, key, certificate = folder / "gx_load.fdx", folder / "key.pem", folder / "cert.pem"
        run("gcc", "-shared", "-fPIC", "-Wall", "-O2", "-o", extension, HERE / "gx_load.c")
        # It wants a certificate with its name, though it uses none.
        run(
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", f"/CN={HOST}", "-keyout", key, "-out", certificate),
        )
        parameter = ",".join([str(args.subscribers), str(args.roaming), args.apns])
        lines = [f'Identity = "{HOST}"', f'Realm = "{REALM}"', "Port = 0", "SecPort = 0", "No_SCTP", "No_IPv6", "NoRelay"]
        lines += ['ListenOn = "127.0.0.1"', f'TLS_Cred = "{certificate}", "{key}"', f'TLS_CA = "{certificate}"']
        lines += [f'LoadExtension = "{found[0]}/{name}.fdx"' for name in ("dict_nasreq", "dict_dcca", "dict_dcca_3gpp")]
        lines += [f'LoadExtension = "{extension}" : "{parameter}"']
        lines += [f'ConnectPeer = "{args.server_host}" {{ No_TLS; ConnectTo = "127.0.0.1"; Port = {port}; }}']
        configuration = folder / "freeDiameter.conf"
        configuration.write_text("".join(f"{line};\n" for line in lines))
        command = pinned(1, args) + ["freeDiameterd", "-c", configuration]
        self.talk = Talk(command, folder / "client.log")
        self.talk.hear("GX ready")

    def run(self, args, server, rate, distance=None, warm_up=None, seconds=None, limit=None, change=None):
        """One run: its figures, with those of the processes."""
        distance = -(-rate // 3) if distance is None else distance
        warm_up = args.warm_up if warm_up is None else warm_up
        seconds = args.seconds if seconds is None else seconds
        limit = (warm_up + seconds) * 2 if limit is None else limit
        patience = limit + PATIENCE
        self.talk.say(f"run {rate} {distance} {warm_up} {seconds} {limit} {args.window}")
        marks = []
        for edge in ("begins", "ends"):
            line = self.talk.hear(f"GX window {edge}", "GX failed", patience=patience)
            if line.startswith("GX failed"):
                raise Failed(line)
            marks.append(self._mark(server))
            if change and edge == "begins":
                server.change(change, args.changes, seconds)
        self.talk.say("end")
        line = self.talk.hear("GX {", "GX failed", patience=patience)
        if line.startswith("GX failed"):
            raise Failed(line)
        figures = json.loads(line[3:])
        begin, end = marks
        passed = end["at"] - begin["at"]
        for name in ("server", "client"):
            if begin[name] and end[name]:
                figures[f"{name}_cpu"] = (end[name][0] - begin[name][0]) * 100 / passed
        if end["server"]:
            figures["resident"] = end["server"][1]
        figures["counters"] = {name: count - begin["counters"].get(name, 0) for name, count in end["counters"].items()}
        return figures

    def _mark(self, server):
        mark = {"at": time.monotonic(), "client": self.talk.usage(), "server": None, "counters": {}}
        if server:
            mark.update(server=server.talk.usage(), counters=server.ask("counters"))
        return mark


def keeps_up(figures):
    late = figures["late"] / max(1, figures["sent"] + figures["left"])
    return figures["p99_ms"] <= WORST and late <= LATE and figures["unanswered"] == 0


def maximum(args, client, server):
    """The last rate that both keep up with, raised by a tenth each time, as in `strowger pcrf bench --maximum`."""
    saturated = client.run(args, server, 1_000_000, distance=100, warm_up=0, seconds=2, limit=2)
    rate, best, runs = max(args.tps, int(saturated["per_second"] * 0.55)), None, []
    while True:
        figures = client.run(args, server, rate)
        runs.append(figures)
        if keeps_up(figures):
            best, rate = figures, rate + -(-rate // 10)
        elif best or rate < 100:
            return best, runs
        else:
            rate = rate * 3 // 4


def bench(args):
    """The same by our own client, with a server of its own."""
    command = [args.strowger, "pcrf", "bench", "--json", "--tps", args.tps, "--subscribers", args.subscribers]
    command += ["--apns", args.apns, "--roaming", args.roaming, "--window", args.window, "--seconds", args.seconds]
    command += ["--warm-up", args.warm_up, "--policy", args.policy, "--durability", args.durability]
    command += ["--maximum"] * args.maximum + ["--unpinned"] * args.unpinned
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if not done.stdout:
        raise Failed(f"strowger pcrf bench: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rows(figures):
    if not figures:
        return {"rate": "it kept up with none"}
    share = lambda name: f"{figures[name]:.1f} %" if figures.get(name) is not None else "?"
    per_second = lambda name: f"{figures['counters'].get(name, 0) / figures['seconds']:.1f}/s" if figures["counters"] else "?"
    late = figures["late"] * 100 / max(1, figures["sent"] + figures["left"])
    pushes = str(figures["pushes"])
    if "pushes_answered" in figures:
        pushes += f", {figures['pushes_answered']} answered"
    return {
        "rate": f"{figures['rate']} requests/s",
        "sent": str(figures["sent"]),
        "answered": f"{figures['per_second']:.0f}/s over {figures['seconds']:.1f} s",
        "answers": ", ".join(f"{code}: {count}" for code, count in figures["answers"].items()),
        "unanswered": str(figures["unanswered"]),
        "late sends": f"{figures['late']} ({late:.3f} %)",
        "p50": f"{figures['p50_ms']:.3f} ms",
        "p99": f"{figures['p99_ms']:.3f} ms",
        "p99.9": f"{figures['p999_ms']:.3f} ms",
        "longest": f"{figures['longest_ms']:.3f} ms",
        "pushed": pushes,
        "server": share("server_cpu") + " of a core",
        "client": share("client_cpu") + " of a core",
        "server memory": f"{figures['resident'] / 1e6:.1f} MB" if figures.get("resident") else "?",
        "dialplan runs": per_second("dialplan-runs"),
        "memo hits": per_second("memo-hits"),
        "store reads": per_second("store-reads"),
        "AVPs decoded": per_second("avps-decoded"),
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strowger", default=str(ROOT / "target/release/strowger"), help="the program")
    parser.add_argument("--tps", type=int, default=3000, help="requests per second: a third of each kind")
    parser.add_argument("--subscribers", type=int, default=100_000)
    parser.add_argument("--apns", default="internet,ims,iot.meter", help="70 %% of the sessions have the first")
    parser.add_argument("--roaming", type=int, default=5, help="per cent of the sessions in a foreign network")
    parser.add_argument("--window", type=int, default=256, help="requests that may be unanswered")
    parser.add_argument("--seconds", type=int, default=60, help="what is counted")
    parser.add_argument("--warm-up", type=int, default=10, help="what is not counted, at the beginning")
    parser.add_argument("--maximum", action="store_true", help="look for the highest rate")
    parser.add_argument("--policy", default=str(ROOT / "dialplans/gx.conf"), help="rules.conf and so on beside it")
    parser.add_argument("--durability", choices=("mem", "relaxed", "strict"), default="mem")
    parser.add_argument("--unpinned", action="store_true", help="no processor of its own for server and client")
    parser.add_argument(
        "--change", metavar="OLD=>NEW", help="half way, put a text into the policy and reload it: RAR are sent"
    )
    parser.add_argument("--changes", type=int, default=1, help="do that and undo it so many times, evenly in the window")
    parser.add_argument("--alone", action="store_true", help="without `strowger pcrf bench`")
    parser.add_argument("--connect", type=int, metavar="PORT", help="a running server that knows the subscribers")
    parser.add_argument("--server-host", default="pcrf.localdomain", help="Origin-Host of the server")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.change and (args.connect or args.maximum or "=>" not in args.change):
        parser.error("--change OLD=>NEW is for one run on a server that is started here")
    if args.tps < 3 or args.subscribers < 1 or args.window < 1 or args.seconds < 1 or args.warm_up < 0:
        parser.error("a number is too small")
    args.unpinned = args.unpinned or os.cpu_count() < 2 or not shutil.which("taskset")
    return args


def measure(args, folder):
    server = client = None
    runs = []
    try:
        server = None if args.connect else Server(args, folder)
        client = Client(args, folder, args.connect or server.port)
        if args.maximum:
            figures, runs = maximum(args, client, server)
        else:
            figures = client.run(args, server, args.tps, change=args.change)
        if server:
            # Whatever was still on its way at the end of the window.
            total = server.ask("counters")
    finally:
        if client:
            client.talk.end()
        if server:
            server.end()
    value = {"free_diameter": figures, "runs": runs, "server_total": total if server else None}
    if not args.alone and not args.connect:
        value["own"] = bench(args)["figures"]
    return value


def show(args, value):
    both = [rows(value["free_diameter"])] + ([rows(value["own"])] if "own" in value else [])
    where = "not pinned" if args.unpinned else "server on processor 0, client on 1"
    print(f"durability {args.durability}; {where}; {args.subscribers} subscribers; window {args.window}")
    print(f"{'':16}{'freeDiameter':34}{'strowger pcrf bench' if len(both) > 1 else ''}".rstrip())
    for name in max(both, key=len):
        print(f"{name:16}" + "".join(f"{column.get(name, ''):34}" for column in both).rstrip())


def main():
    args = arguments()
    try:
        with tempfile.TemporaryDirectory(prefix="strowger-gx-load-") as folder:
            value = measure(args, Path(folder))
    except (Failed, Missing, OSError) as error:
        # An OSError: the control socket of a server that is gone, or a folder that cannot be written.
        print(error, file=sys.stderr)
        return 77 if isinstance(error, Missing) else 3
    if args.json:
        print(json.dumps(value))
    else:
        show(args, value)
    figures = value["free_diameter"]
    return 0 if figures and figures["answers"] == {"2001": figures["sent"]} else 1


if __name__ == "__main__":
    sys.exit(main())

"""Hosts on one machine: network namespaces on a bridge, whose links can be cut."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_NETWORK = "10.77.0"
TRUSTED = f"{_NETWORK}.0/24"


@dataclass(frozen=True)
class Host:
    """A namespace: its name, its address, and the name of its port on the hub's bridge, "" for the hub itself."""

    name: str
    address: str
    port: str = ""

    @property
    def inside(self) -> tuple[str, ...]:
        """Return what goes before a command that is to run on this host."""
        return ("ip", "netns", "exec", self.name)


@dataclass(frozen=True)
class Network:
    """A hub, which holds the bridge, and further hosts."""

    hub: Host
    others: tuple[Host, ...]

    def cut(self, host: Host) -> None:
        """Let nothing pass to or from the host; what is sent is lost, and nobody is told."""
        _ip("-n", self.hub.name, "link", "set", host.port, "down")

    def mend(self, host: Host) -> None:
        """Let everything pass again."""
        _ip("-n", self.hub.name, "link", "set", host.port, "up")


def why_not() -> str:
    """Return why no namespaces can be made here, "" where they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip"):
        return "there is no `ip`; on Debian: apt-get install iproute2"
    name = f"chaos-{os.getpid()}-probe"
    try:
        _ip("netns", "add", name)
        _ip("-n", name, "link", "add", "bridge", "type", "bridge")
        _ip("netns", "exec", name, "true")
    except RuntimeError as error:
        return f"network namespaces are not allowed here ({error})"
    finally:
        _remove(name)
    return ""


@contextmanager
def network(n_hosts: int) -> Iterator[Network]:
    """Make a hub and `n_hosts` further hosts; whatever happens, none of them is left behind."""
    base = f"chaos-{os.getpid()}"
    hub = Host(f"{base}-hub", f"{_NETWORK}.1")
    others = tuple(Host(f"{base}-{n}", f"{_NETWORK}.{1 + n}", f"port{n}") for n in range(1, n_hosts + 1))
    try:
        _make_hub(hub)
        for host in others:
            _join(hub, host)
        yield Network(hub, others)
    finally:
        for host in (*others, hub):
            _remove(host.name)


def _make_hub(hub: Host) -> None:
    _ip("netns", "add", hub.name)
    _ip("-n", hub.name, "link", "set", "lo", "up")
    _ip("-n", hub.name, "link", "add", "bridge", "type", "bridge")
    _ip("-n", hub.name, "addr", "add", f"{hub.address}/24", "dev", "bridge")
    _ip("-n", hub.name, "link", "set", "bridge", "up")


def _join(hub: Host, host: Host) -> None:
    _ip("netns", "add", host.name)
    _ip("-n", host.name, "link", "set", "lo", "up")
    _ip("-n", hub.name, "link", "add", host.port, "type", "veth", "peer", "name", "eth0", "netns", host.name)
    _ip("-n", hub.name, "link", "set", host.port, "master", "bridge", "up")
    _ip("-n", host.name, "addr", "add", f"{host.address}/24", "dev", "eth0")
    _ip("-n", host.name, "link", "set", "eth0", "up")


def _remove(name: str) -> None:
    subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)  # noqa: S603, S607


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

"""acic-nfsmount when another node, or a fault, comes between two of its calls: forced by a proxy before the server."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from tests.native.nfs import Mounted, Place, failing, opened, told, until
from tests.native.proxy import CREATE, LINK, LISTENING, RENAME, between, cut, with_a_long_name, with_another_handle

MIB = 1 << 20
THROUGH = f"async,port={LISTENING}"


def hidden(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".nfs")]


def test_a_file_that_another_node_has_just_created_is_opened_as_any_other(place: Place) -> None:
    """Its permissions were not checked, and O_TRUNC emptied what was another user's."""
    there = place.mount()
    os.chmod(there.path, 0o777)

    def alter(procedure: int, record: bytes) -> bytes:
        if procedure == CREATE:  # it was not there when the kernel looked
            for name in ("theirs", "ours"):
                (there / name).write_bytes(b"other node's")
            (there / "theirs").chmod(0o600)
        return record

    with between(place, alter):
        here = place.mount(THROUGH)
        user = ("setpriv", "--reuid=4321", "--regid=4321", "--clear-groups")
        refused = place.run(*user, "sh", "-c", f"echo x >{here.inside}/theirs", check=False)
        assert refused.returncode != 0
        assert "Permission denied" in refused.stderr
        assert (place.store / "theirs").read_bytes() == b"other node's"
        for flags, found in ((0, b"other node's"), (os.O_TRUNC, b"")):
            (there / "ours").unlink()
            with opened(here / "ours", os.O_CREAT | os.O_RDWR | flags) as file:
                assert os.pread(file, 100, 0) == found
        (there / "ours").unlink()
        assert failing(lambda: os.open(here / "ours", os.O_CREAT | os.O_EXCL | os.O_RDWR)) == errno.EEXIST


def replace_open(place: Place, here: Mounted, error: int) -> None:
    """Rename `g` onto `f`, which is open: it stays as it was for who has it open, and if that fails for all."""
    (here / "f").write_bytes(b"old")
    (here / "g").write_bytes(b"new")
    with opened(here / "f", os.O_RDWR) as file:
        if error:
            assert failing(lambda: (here / "g").rename(here / "f")) == error
            assert (here / "f").read_bytes() == b"old"
        else:
            (here / "g").rename(here / "f")
            assert (here / "f").read_bytes() == b"new"
        assert os.pread(file, 10, 0) == b"old"
    until(lambda: not hidden(place.store), "a hidden name is left")
    assert (here / "f").read_bytes() == (b"old" if error else b"new")


def test_a_rename_that_fails_leaves_the_open_file_that_it_would_have_replaced(place: Place) -> None:
    there: list[bool] = []

    def alter(procedure: int, record: bytes) -> bytes:
        if procedure == RENAME:
            there.append((place.store / "f").exists())
            if len(there) == 2:
                (place.store / "g").unlink()  # another node was faster
        return record

    with between(place, alter):
        here = place.mount(THROUGH)
        replace_open(place, here, 0)
        replace_open(place, here, errno.ENOENT)
    assert there == [True, True]  # the name never goes


def test_an_open_file_is_replaced_where_the_server_makes_no_links(place: Place) -> None:
    renames: list[int] = []

    def alter(procedure: int, record: bytes) -> bytes:
        renames.extend([procedure] if procedure == RENAME else [])
        if procedure == LINK:
            return with_another_handle(record)
        return with_a_long_name(record) if procedure == RENAME and len(renames) == 4 else record

    with between(place, alter):
        here = place.mount(THROUGH)
        replace_open(place, here, 0)
        assert len(renames) == 2
        replace_open(place, here, errno.ENAMETOOLONG)
        assert len(renames) == 5  # away, onto it, back


def test_data_go_where_there_is_a_connection(place: Place) -> None:
    """One that is down has nothing under way: all that was new was given to it, and ended with EIO."""
    with between(place) as proxy:
        here = place.mount(f"{THROUGH},nconnect=2")
        proxy.refuse()
        cut(proxy.connections[1])  # the first is for short calls
        until(lambda: told(place, here)["up"] == "2", "it is not missed")
        data = os.urandom(8 * MIB)
        (here / "f").write_bytes(data)
        assert (here / "f").read_bytes() == data
        assert (place.store / "f").read_bytes() == data


def test_two_mounts_hide_under_names_of_their_own(place: Place) -> None:
    names = []
    for mounted in (place.mount(), place.mount()):
        with opened(mounted / "f", os.O_CREAT | os.O_RDWR):
            (mounted / "f").unlink()
            (name,) = hidden(place.store)
            assert re.fullmatch(r"\.nfs-[0-9a-f]{16}-0", name)
            names.append(name)
        until(lambda: not hidden(place.store), "it is not removed")
    assert names[0] != names[1]

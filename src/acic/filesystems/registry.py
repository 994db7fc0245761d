"""All file systems, by their value of the parameter `file_system`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from acic.filesystems.ceph import Ceph
from acic.filesystems.deployment import FileSystem
from acic.filesystems.gluster import Gluster
from acic.filesystems.nfs import Nfs
from acic.filesystems.orangefs import OrangeFs

_ALL: tuple[FileSystem, ...] = (Nfs(), Gluster(), Ceph(), OrangeFs())

FILE_SYSTEMS: Mapping[str, FileSystem] = MappingProxyType({each.name: each for each in _ALL})

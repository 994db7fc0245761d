#!/bin/sh
set -eu
cat >/acic/state/pvfs2tab <<'ACIC_END'
tcp://10.0.0.1:3334/orangefs /acic/mnt pvfs2 defaults 0 0
ACIC_END
chmod 644 /acic/state/pvfs2tab
waited=0
until env PVFS2TAB_FILE=/acic/state/pvfs2tab pvfs2-ping -m /acic/mnt | grep -Eq 'appears to be correctly configured'; do
  waited=$((waited + 1)); [ "$waited" -lt 20 ] || exit 1; sleep 1
done
PVFS2TAB_FILE=/acic/state/pvfs2tab pvfs2fuse -f -o subtype=pvfs2fuse /acic/mnt >/var/log/pvfs2fuse.log 2>&1 & echo $! >/run/pvfs2fuse.pid
waited=0
until findmnt --noheadings --output FSTYPE --mountpoint /acic/mnt | grep -Eq '^fuse.pvfs2fuse$'; do
  waited=$((waited + 1)); [ "$waited" -lt 20 ] || exit 1; sleep 1
done
timeout 30 mkdir -p /acic/mnt/files

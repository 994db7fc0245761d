#!/bin/sh
set -eu
mkdir -p /acic/store/data
mkdir -p /acic/store/metadata
cat >/acic/state/orangefs.conf <<'ACIC_END'
<Defaults>
	BMIModules bmi_tcp
	FlowModules flowproto_multiqueue
	EventLogging none
	LogType file
	LogFile /dev/stderr
	LogStamp datetime
	ServerJobBMITimeoutSecs 30
	ServerJobFlowTimeoutSecs 30
	ClientJobBMITimeoutSecs 60
	ClientJobFlowTimeoutSecs 60
	ClientRetryLimit 25
	ClientRetryDelayMilliSecs 200
	PrecreateBatchSize 0,64,64,64,32,64,0
	PrecreateLowThreshold 0,32,32,32,16,32,0
	DataStorageSpace /acic/store/data
	MetadataStorageSpace /acic/store/metadata
	TroveMaxConcurrentIO 16
	UnexpectedRequests 50
	<Security>
		TurnOffTimeouts yes
	</Security>
</Defaults>
<Aliases>
	Alias s0 tcp://10.0.0.1:3334
	Alias s1 tcp://10.0.0.2:3334
	Alias s2 tcp://10.0.0.3:3334
	Alias s3 tcp://10.0.0.4:3334
</Aliases>
<FileSystem>
	Name orangefs
	ID 1162037587
	RootHandle 1048576
	DefaultNumDFiles 4
	FileStuffing no
	DistrDirServersInitial 1
	DistrDirServersMax 1
	DistrDirSplitSize 100
	FlowBufferSizeBytes 262144
	FlowBuffersPerFlow 8
	<MetaHandleRanges>
		Range s0 3-1844674407370955162
	</MetaHandleRanges>
	<DataHandleRanges>
		Range s0 1844674407370955163-3689348814741910322
		Range s1 3689348814741910323-5534023222112865482
		Range s2 5534023222112865483-7378697629483820642
		Range s3 7378697629483820643-9223372036854775802
	</DataHandleRanges>
	<StorageHints>
		TroveSyncMeta yes
		TroveSyncData no
		TroveMethod alt-aio
		CoalescingHighWatermark 8
		CoalescingLowWatermark 1
		DBMaxSize 268435456
	</StorageHints>
	<Distribution>
		Name simple_stripe
		Param strip_size
		Value 65536
	</Distribution>
</FileSystem>
ACIC_END
chmod 644 /acic/state/orangefs.conf
timeout 30 pvfs2-server --mkfs --alias s0 /acic/state/orangefs.conf
pvfs2-server --foreground --alias s0 /acic/state/orangefs.conf >/var/log/pvfs2-server.log 2>&1 & echo $! >/run/pvfs2-server.pid

# tests/support/slurm.bash - a Slurm cluster of this host alone, for one test
#
# slurm_start FOLDER NODES: munged, slurmctld and slurmd, with configuration,
# ports, keys and spool folders of their own below FOLDER; false if they do not
# come up.  slurm_stop FOLDER ends them by their process ids.

slurm_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

slurm_configure() {
	local dir=$1 nodes=$2 host i

	host=$(hostname -s)
	cat >"$dir/slurm.conf" <<-END
	ClusterName=test
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$(slurm_port)
	SlurmUser=$(id -un)
	SlurmdUser=$(id -un)
	AuthType=auth/munge
	AuthInfo=socket=$dir/munge.socket
	CredType=cred/munge
	StateSaveLocation=$dir/state
	SlurmdSpoolDir=$dir/spool.%n
	SlurmctldPidFile=$dir/slurmctld.pid
	SlurmdPidFile=$dir/slurmd.%n.pid
	SlurmctldLogFile=$dir/slurmctld.log
	SlurmdLogFile=$dir/slurmd.%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerType=sched/builtin
	SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	ReturnToService=2
	KillWait=2
	MinJobAge=300
	SlurmdTimeout=30
	InactiveLimit=0
	END
	for ((i = 1; i <= nodes; i++)); do
		echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1" \
		    "Port=$(slurm_port) CPUs=1 State=UNKNOWN"
	done >>"$dir/slurm.conf"
	echo "PartitionName=all Nodes=n[1-$nodes] Default=YES" \
	    "MaxTime=INFINITE State=UP" >>"$dir/slurm.conf"
}

slurm_start() {
	local dir=$1 nodes=$2 i

	mkdir -p "$dir/state" "$dir/munge"
	chmod 700 "$dir/munge" "$dir/state"
	dd if=/dev/urandom of="$dir/munge/key" bs=1024 count=1 2>/dev/null
	chmod 400 "$dir/munge/key"
	munged --force --key-file="$dir/munge/key" --socket="$dir/munge.socket" \
	    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" \
	    --seed-file="$dir/munge/seed" || return
	slurm_configure "$dir" "$nodes"
	export SLURM_CONF=$dir/slurm.conf
	slurmctld -i || return
	for ((i = 1; i <= nodes; i++)); do
		mkdir -p "$dir/spool.n$i"
		slurmd -N "n$i" || return
	done
	for ((i = 0; i < 100; i++)); do
		[ "$(sinfo -h -t idle -o %D 2>/dev/null)" != "$nodes" ] ||
		    return 0
		sleep .2
	done
	return 1
}

slurm_stop() {
	local file

	for file in "$1"/slurmd.*.pid "$1/slurmctld.pid" "$1/munge/pid"; do
		[ ! -s "$file" ] || kill "$(cat "$file")" || :
	done
}

# Waits for a job, however it ends.
slurm_wait() {
	local i

	for ((i = 0; i < 300; i++)); do
		[ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
		sleep .2
	done
	return 1
}

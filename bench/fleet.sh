#!/bin/bash
# fleet.sh ENGINE DIR LIST SHARDS [DELAY]: merges the files of a list by a recipe
# of share/fleet, parallel or slurm, in a new folder, and compares the result with
# the flat merge.  First tries fail: the task of shard 3 is killed after DELAY
# seconds, that of shard 5 runs twice at once, that of shard 7 has a full disk;
# with Slurm, shard 9 requeues itself, and the node of shard 11 is killed.  Prints
# CPU, wall and memory of the steps.  Needs GNU time; our programs are in PATH.
set -u
export LC_ALL=C FETCH=
[ $# -ge 4 ] || {
	sed -n '2s/^# /usage: /p' "$0" >&2
	exit 2
}
engine=$1 dir=$2 list=$(realpath "$3") shards=$4
export DELAY=${5:-0.1}
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir "$dir" && cd "$dir" || exit 2
dir=$PWD

# step LABEL COMMAND: its figures; status 1 is that of bad inputs.
step() {
	/usr/bin/time -q -o figures -f "$1: CPU %U + %S s, wall %e s, %M KB" \
	    "${@:2}" 2>"$1.err" || [ $? -eq 1 ] || tail -n 3 "$1.err"
	cat figures
}

# The recipes, with a `shard` that fails at first.
cp -r "$source/share/fleet" recipes
mv recipes/shard recipes/real
mkdir tried
cat >recipes/shard <<'END'
#!/bin/bash
here=$(dirname "$0") dir=$(dirname "$(dirname "$0")")
measured() {
	/usr/bin/time -q -a -o "$dir/tasks" -f '%e %U %S %M' "$here/real" "$@"
}
if mkdir "$dir/tried/$3" 2>/dev/null; then
	case $3 in
	3)
		"$here/real" "$@" &
		sleep "$DELAY"
		pkill -9 -P $!
		kill -9 $!
		exit 137
		;;
	5)
		measured "$@" &
		measured "$@"
		wait
		exit
		;;
	7) (ulimit -f 0; "$here/real" "$@") || exit ;;
	9)
		[ -z "${SLURM_JOB_ID-}" ] || {
			scontrol requeue "$SLURM_JOB_ID"
			sleep 30
		}
		;;
	11)
		[ -z "${SLURM_JOB_ID-}" ] || {
			echo "$SLURMD_NODENAME" >"$dir/node"
			sleep 120
		}
		;;
	esac
fi
measured "$@"
END
chmod +x recipes/shard

slurm_run() {
	local job

	job=$(recipes/slurm run.plan parts all.ndjson --time 60) || return
	while squeue -h -j "$job" | grep -q .; do
		[ ! -e node ] || lose_node
		sleep 1
	done
	grep -v ': 0x' all.ndjson.log
}

# Kills the node of shard 11, and what Slurm runs on it.
lose_node() {
	local name pid

	name=$(cat node)
	rm node
	kill -9 "$(cat "slurm/slurmd.$name.pid")"
	for pid in $(pgrep slurmstepd); do
		readlink "/proc/$pid/cwd" | grep -q "slurm/spool.$name" || continue
		pkill -9 -P "$pid"
		kill -9 "$pid"
	done
	echo "node $name is lost"
}

step plan prof-plan create --shards "$shards" -o run.plan \
    --files-from "$list"
case $engine in
parallel) step parallel recipes/parallel run.plan parts all.ndjson --jobs 2 ;;
slurm)
	. "$source/tests/support/slurm.bash"
	trap 'slurm_stop "$dir/slurm" 2>/dev/null' EXIT
	slurm_start "$dir/slurm" 4 || exit
	slurm_run
	[ -e all.ndjson ] || slurm_run
	;;
esac
awk '{ u += $2; s += $3; if ($4 > m) m = $4 } END {
	printf "tasks: %d, CPU %.1f + %.1f s, %d KB\n", NR, u, s, m }' tasks
echo "parts: $(du -sb parts | cut -f 1) bytes"
step merge prof-plan merge run.plan -o again.ndjson parts
cmp all.ndjson again.ndjson || exit
step flat prof-merge -q --keep-going -o flat.ndjson --files-from "$list"
grep -v -e '"record":"part"' -e '"record":"bad"' all.ndjson |
    cmp - flat.ndjson || exit
sed -n 2p all.ndjson | jq -ce '[.inputs, .used, .bad],
    .used + .bad == .inputs'

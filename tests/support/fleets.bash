#!/bin/bash
# fleets.bash FIRST LAST: fleets of random plans, tasks that fail, and trees of
# merges, one for each seed.  Whatever happens, a merge that succeeds has the sum
# of all good inputs, and the recipe of proftools-fleet(7) comes to it.  A fleet
# that does not is left behind in the folder fleet.SEED.
set -u
export LC_ALL=C

one_of() {
	local words=("$@")

	echo "${words[RANDOM % $#]}"
}

# fleet_input FILE N: a stream of one of two functions, or what is none.
fleet_input() {
	local name

	name=$(one_of f g)
	printf '{"record":"profile","stream":1,"kind":"instr","level":"ir"}\n'
	printf '{"record":"function","name":"%s","hash":"0x%016x",' "$name" 1
	printf '"counts":[%d,%d]}\n' "$1" $((RANDOM % 100))
	printf '{"record":"trace","weight":1,"functions":["f%d","%s"]}\n' \
	    $((RANDOM % 6)) "$(one_of f g h)"
	[ $((RANDOM % 8)) -eq 0 ] ||
	    printf '{"record":"end","last":true}\n'
}

fleet_plan() {
	local i inputs=$((2 + RANDOM % 12)) limits

	limits=$(one_of '' "--max-traces $((RANDOM % 5))")
	mkdir runs parts
	for ((i = 0; i < inputs; i++)); do
		fleet_input $((1 + i)) >runs/$i
	done
	shards=$((1 + RANDOM % (inputs < 6 ? inputs : 6)))
	prof-plan create --shards $shards $limits -o plan runs || return
	prof-plan create --per-shard $((1 + RANDOM % 3)) -o other runs
	good=yes
	prof-merge -q --keep-going $limits runs -o flat 2>err || [ $? -eq 1 ] ||
	    good=
}

# fleet_shard PLAN NUMBER NAME: parts/NAME.part; status 1 is that of bad inputs.
fleet_shard() {
	prof-plan part -q --keep-going "$1" --shard "$2" \
	    -o "parts/$3.part" 2>err || [ $? -eq 1 ]
}

# What a task can come to: its part may be missing, old, cut or changed.
fleet_task() {
	local part size

	case $((RANDOM % 10)) in
	0) return ;;
	1)
		fleet_shard other 1 "$1"
		return
		;;
	2)
		fleet_shard plan "$1" "$1" &
		fleet_shard plan "$1" "$1" && wait $!
		return
		;;
	esac
	fleet_shard plan "$1" "$1" || return
	part=parts/$1.part
	size=$(stat -c %s "$part")
	case $((RANDOM % 8)) in
	0) truncate -s $((RANDOM % size)) "$part" ;;
	1)
		printf '\377' | dd of="$part" bs=1 conv=notrunc \
		    seek=$((RANDOM % size)) status=none
		;;
	2) cp "$part" "parts/again-$1" ;;
	esac
}

# Some merges of some of the parts, of which any may be refused.
fleet_tree() {
	local i file some

	for ((i = RANDOM % 4; i > 0; i--)); do
		some=()
		for file in parts/*; do
			[ $((RANDOM % 2)) -eq 0 ] || some+=("$file")
		done
		[ ${#some[@]} -eq 0 ] || prof-plan merge -q --partial plan \
		    -o "parts/tree-$i" "${some[@]}" 2>err || [ $? -le 2 ] ||
		    return
	done
}

# Whether a merge that succeeds has the right sum; its status.
fleet_result() {
	local status=0

	rm -f all
	prof-plan merge -q plan -o all parts 2>err || status=$?
	[ $status -le 1 ] || return 2
	if ! grep -v -e '"record":"part"' -e '"record":"bad"' all |
	    cmp - flat; then
		echo 'another sum' >&2
		return 3
	fi
	jq -es '.[1] | .used + .bad == .inputs' all >/dev/null || return 3
}

# As the page says: what is damaged is removed, what is missing is run, and that
# again: if the other plan is the same one, a file may have had another shard.
fleet_repair() {
	local file k

	rm -f parts/tree-* parts/again-*
	for file in parts/*; do
		prof-plan merge -q --partial plan "$file" >one 2>err ||
		    [ $? -eq 1 ] || rm -f "$file"
	done
	for k in $(prof-plan status --missing plan parts); do
		fleet_shard plan "$k" "$k" || return
	done
	for k in $(prof-plan status --missing plan parts); do
		fleet_shard plan "$k" "$k" || return
	done
	fleet_result
}

fleet() {
	local k status shards good

	RANDOM=$1
	fleet_plan || return
	for ((k = 1; k <= shards; k++)); do
		fleet_task $k
	done
	fleet_tree || return
	fleet_result
	status=$?
	[ $status -le 2 ] || return
	fleet_repair
	status=$?
	# Without a good input there is no sum, and a message.
	if [ -z "$good" ]; then
		[ $status -eq 2 ] && grep -q 'input of the plan is good' err
	else
		return $status
	fi
}

for ((seed = $1; seed <= $2; seed++)); do
	folder=fleet.$seed
	mkdir "$folder"
	(cd "$folder" && fleet "$seed") || {
		echo "seed $seed: see $folder/err"
		exit 1
	}
	rm -r "$folder"
done
echo "$(($2 - $1 + 1)) fleets"

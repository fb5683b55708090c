# Completion of command lines: what the shells offer is what programs take.

load ../support/helper

# What is installed for people to run.
programs() {
	sed -n '/^bin_PROGRAMS/,/[^\\]$/s/.*cmd\/\([a-z-]*\).*/\1/p' \
	    "$top_srcdir/Makefile.am" | sort
}

setup() {
	scripts=$top_srcdir/completions
	cd "$BATS_TEST_TMPDIR"
	mkdir folder
	: >file
}

# offers WORD...: what bash completes the last word to, a line each.
offers() {
	bash --norc -c '
	. "$1"
	shift
	# As readline splits a command line.
	words=()
	for word; do
		case $word in
		--*=*) words+=("${word%%=*}" = "${word#*=}") ;;
		*) words+=("$word") ;;
		esac
	done
	[ -n "${words[-1]}" ] || case $# in 1) ;; *)
		[[ ${*: -1} != *= ]] || unset "words[-1]" ;;
	esac
	COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
	compopt() { :; }
	_proftools "$1" "${COMP_WORDS[COMP_CWORD]}"
	printf "%s\n" "${COMPREPLY[@]}"
	' bash "$scripts/proftools.bash" "$@" | tr '\n' ' '
}

# All options of a program, as its --help has them.
options() {
	"$1" --help | grep -oE -- '--[a-z-]+' | sort -u
}

@test 'the scripts are for all programs' {
	programs | tr '\n' ' ' >want
	sed -n 's/^#compdef llvm-cov llvm-profdata //p' "$scripts/_proftools" |
	    tr '\n' ' ' | same want -
	sed -n '/^complete/,$p' "$scripts/proftools.bash" |
	    grep -oE 'prof(raw)?-[a-z]+' | tr '\n' ' ' | same want -
}

@test 'bash: options' {
	local program

	for program in $(programs); do
		echo "$program"
		"$program" --help >/dev/null
		offers "$program" -- | tr ' ' '\n' | sed '/^$/d' | sort -u |
		    same <(options "$program") -
	done
	[ "$(offers prof-merge --su)" = '--subtract ' ]
	[ "$(offers prof-merge a --keep)" = '--keep-going ' ]
	[ "$(offers prof-merge -)" != ' ' ]
}

@test 'bash: arguments of options' {
	[ "$(offers prof-merge --to '')" = \
	    'stream indexed text yaml lprf ' ]
	[ "$(offers prof-merge --to ind)" = 'indexed ' ]
	[ "$(offers prof-merge --to=ind)" = 'indexed ' ]
	[ "$(offers prof-merge --to= | wc -w)" -eq 5 ]
	[ "$(offers prof-index --for clang-2)" = \
	    'clang-20 clang-21 clang-22 ' ]
	[ "$(offers prof-merge --group-by '')" = 'binary-id ' ]
	[ "$(offers prof-filter --names '')" = 'hash ' ]
	[ "$(offers prof-bundle --directory fo)" = 'folder ' ]
	[ "$(offers prof-bundle --directory fi)" = ' ' ]
	[ "$(offers prof-merge -w 1,fi)" = '1,file ' ]
	# Readline completes names of files where nothing is offered.
	[ "$(offers prof-merge -o f)" = ' ' ]
	[ "$(offers prof-merge f)" = ' ' ]
	# These have no argument.
	[ "$(offers prof-merge --to indexed:no-vtables --su)" = '--subtract ' ]
	[ "$(offers prof-merge --sparse --su)" = '--subtract ' ]
	[ "$(offers prof-merge -q --su)" = '--subtract ' ]
}

@test 'bash: commands' {
	command -v prof-bundle >/dev/null || skip 'needs prof-bundle'
	[ "$(offers prof-bundle '')" = \
	    'create add list extract ' ]
	[ "$(offers prof-bundle e)" = 'extract ' ]
	[ "$(offers prof-bundle list --js)" = '--json ' ]
	[ "$(offers prof-plan '')" = \
	    'create show part status merge clean ' ]
}

# taken PROGRAM OPTION [ARGUMENT...]: all values of an option are good ones.
taken() {
	local value

	for value in $(offers "$1" "$2" ''); do
		run "$1" "$2" "$value" "${@:3}" </dev/null
		[[ $output != *--help* ]] || {
			echo "$1 $2 $value: $output"
			return 1
		}
	done
}

@test 'what is offered is taken' {
	local option

	taken prof-merge --to file
	taken prof-merge --group-by -o folder file
	taken prof-index --for file
	taken prof-show --sort file
	[ "$(offers prof-show --heap --sort '')" = \
	    'bytes count lifetime accesses ' ]
	[ "$(offers prof-show --sort '')" = 'count share name size ' ]
	taken prof-export --to file
	taken prof-order --to file
	taken prof-filter --names file
}

@test 'zsh: options and their arguments' {
	local program option others

	need zsh
	for program in $(programs); do
		echo "$program"
		"$program" --help >/dev/null
		# What _arguments of zsh is told.
		zsh -fc '
		_arguments() { shift 3; print -rl -- "$@" }
		words=($1)
		. $2' zsh "$program" "$scripts/_proftools" >specs
		option='\*(-[a-zA-Z0-9]\+?|--[a-z-]+=?)'
		others='1:command:\([a-z ]*\)|\*:file:_files'
		run -1 grep -vE \
		    "^($option\[[^]:]*\](:[^:]*:.*)?|$others)\$" specs
		grep -oE -- '^\*--[a-z-]+' specs | tr -d '*' | sort -u |
		    same <(options "$program") -
	done
	zsh -fc '
	_arguments() { shift 3; print -rl -- "$@" }
	words=(prof-merge)
	. $1' zsh "$scripts/_proftools" >specs
	grep -q '^\*--to=.*:(stream indexed text yaml lprf)$' \
	    specs
	grep -q '^\*-o+\[.*:FILE:_files$' specs
	grep -q '^\*--group-by=.*:(binary-id)$' specs
	grep -qx '\*--sparse\[[^]]*\]' specs
	grep -qx '\*--allow-empty\[[^]]*\]' specs
	zsh -fc '
	_arguments() { shift 3; print -rl -- "$@" }
	words=(prof-index)
	. $1' zsh "$scripts/_proftools" >specs
	grep -q '^\*--for=.*:(clang-3.5 .* clang-22)$' specs
	zsh -fc '
	_arguments() { shift 3; print -rl -- "$@" }
	words=(prof-bundle)
	. $1' zsh "$scripts/_proftools" >specs
	grep -q '^\*--directory=.*:DIR:_files -/$' specs
}

# fish WORDS: what fish offers for a command line, a word each.
in_fish() {
	HOME=$PWD fish --no-config -c '
	set -g fish_complete_path $argv[1] $fish_complete_path
	complete -C $argv[2]' "$PWD/scripts" "$1" | cut -f 1 | sort |
	    tr '\n' ' '
}

@test 'fish: options and their arguments' {
	local program

	need fish
	mkdir scripts
	for program in $(programs); do
		cp "$scripts/proftools.fish" "scripts/$program.fish"
	done
	for program in $(programs); do
		echo "$program"
		"$program" --help >/dev/null
		in_fish "$program --" | tr ' ' '\n' | sed '/^$/d; s/=$//' |
		    sort -u | same <(options "$program") -
	done
	[ "$(in_fish 'prof-merge --to ')" = \
	    'indexed lprf stream text yaml ' ]
	[ "$(in_fish 'prof-index --for clang-2')" = \
	    'clang-20 clang-21 clang-22 ' ]
	[ "$(in_fish 'prof-merge --group-by ')" = 'binary-id ' ]
	[ "$(in_fish 'prof-bundle --directory f')" = 'folder/ ' ]
	[ "$(in_fish 'prof-merge -o f')" = 'file folder/ ' ]
	[ "$(in_fish 'prof-merge --to indexed:no-vtables fi')" = 'file ' ]
}

@test 'llvm-profdata: commands and their options' {
	run -0 bash --norc -c '. "$1"
	COMP_WORDS=(llvm-profdata "${@:2}") COMP_CWORD=$(($# - 1))
	_proftools_llvm llvm-profdata
	printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/proftools.bash" ''
	[ "${output//$'\n'/ }" = 'merge order overlap show' ]
	run -0 bash --norc -c '. "$1"
	COMP_WORDS=(llvm-profdata "${@:2}") COMP_CWORD=$(($# - 1))
	_proftools_llvm llvm-profdata
	printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/proftools.bash" \
	    merge --num
	[ "$output" = --num-threads ]
	run -0 bash --norc -c '. "$1"
	COMP_WORDS=(llvm-cov "") COMP_CWORD=1
	_proftools_llvm llvm-cov
	printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/proftools.bash"
	[ "${output//$'\n'/ }" = 'export report show' ]
}

@test 'llvm-profdata: zsh and fish' {
	need zsh fish
	mkdir scripts
	cp "$scripts/proftools.fish" scripts/llvm-profdata.fish
	[ "$(in_fish 'llvm-profdata ')" = 'merge order overlap show ' ]
	[[ $(in_fish 'llvm-profdata merge --num') == --num-threads* ]]
	run -0 zsh -fc '
	compadd() { print -rl -- ${(P)2} }
	words=(llvm-profdata "") CURRENT=2
	. $1' zsh "$scripts/_proftools"
	[ "${output//$'\n'/ }" = 'merge order overlap show' ]
	run -0 zsh -fc '
	compadd() { print -rl -- ${(P)2} }
	words=(llvm-profdata merge --num) CURRENT=3 PREFIX=--num
	. $1' zsh "$scripts/_proftools"
	[[ $output == *--num-threads* ]]
}

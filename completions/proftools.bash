# Completion for bash of all programs of proftools: options are those that the
# program itself tells of.  It is installed under the name of each program.

# The values of an option.
_proftools_values() {
	case $1 in
	--to)
		case ${COMP_WORDS[0]##*/} in
		prof-cover)
			echo text markdown html lcov cobertura llvm-json ndjson ;;
		prof-export) echo folded pprof ;;
		prof-index) echo indexed: ;;
		prof-order) echo names symbols llvm ;;
		*) echo stream indexed text yaml lprf ;;
		esac
		;;
	--for)
		echo clang-{3.{5..9},{4..22}} ;;
	--fail-on) echo overflow mismatch overflow,mismatch ;;
	--instances) echo together apart ;;
	--sort)
		case " ${COMP_WORDS[*]} " in
		*prof-cover\ *) echo name covered missed ;;
		*prof-diff\ *) echo share count ratio ;;
		*' --heap '*) echo bytes count lifetime accesses ;;
		*) echo count share name size ;;
		esac
		;;
	--by) echo bytes count lifetime accesses ;;
	esac
}

# What stands behind an option in the text of --help: FILE, N, a word; or
# nothing, if it takes no argument.
_proftools_argument() {
	local option=$1 line

	while IFS= read -r line; do
		case $option in
		-?)
			[[ $line == "  $option, "* ]] || continue
			[[ $line =~ (--[a-z-]+) ]]
			option=${BASH_REMATCH[1]}
			;;
		esac
		[[ $line =~ (^ +|, )"$option"' '([^ ]+)( *) ]] || continue
		case ${BASH_REMATCH[2]} in
		[A-Z]*) printf '%s\n' "${BASH_REMATCH[2]%,}" ;;
		[a-z]*) [ "${#BASH_REMATCH[3]}" -lt 2 ] ||
			printf '%s\n' "${BASH_REMATCH[2]}" ;;
		esac
		return
	done <<<"$2"
}

# Completes the argument of an option, $2; false if it takes none.
_proftools_complete_argument() {
	local cur=$1 option=$2 what words

	what=$(_proftools_argument "$option" "$3")
	words=$(_proftools_values "$option")
	case $what in
	'') return 1 ;;
	*,FILE)
		[[ $cur == *,* ]] || return 0
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -P "${cur%%,*}," -- "${cur#*,}")
		return
		;;
	FILE | LIST | *=FILE | BUNDLE) return 0 ;;
	DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	[a-z]*) words=$what ;;
	esac
	compopt +o default 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

_proftools() {
	local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} at help words
	local prev=

	COMPREPLY=()
	help=$("$1" --help 2>/dev/null) || return
	# Words are split at the equals sign too.
	at=$((COMP_CWORD - 1))
	[ "$cur" != = ] || cur=
	[ -z "$cur" ] || [ "${COMP_WORDS[at]}" != = ] || at=$((at - 1))
	[ "$at" -lt 1 ] || prev=${COMP_WORDS[at]}
	[ "$prev" != = ] || prev=${COMP_WORDS[at - 1]}
	if [[ $prev == -* ]] &&
	    _proftools_complete_argument "$cur" "$prev" "$help"; then
		return
	fi
	if [[ $cur == -* ]]; then
		words=$(grep -oE -- '(^  -[a-zA-Z0-9],|--[a-z-]+)' <<<"$help" |
		    tr -d ' ,' | sort -u)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	elif [ "$COMP_CWORD" -eq 1 ]; then
		# Commands of a program that has some.
		words=$(sed -nE 's/^(usage:|      ) [a-z-]+ ([a-z]+) .*/\2/p' \
		    <<<"$help")
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

# The replacements of LLVM: commands, then the options that the command tells of.
_proftools_llvm() {
	local cur=${COMP_WORDS[COMP_CWORD]} words=

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$("$1" --help 2>/dev/null |
		    sed -nE 's/^  ([a-z]+)( +-|:) .*/\1/p')
	elif [[ $cur == -* ]]; then
		words=$("$1" "${COMP_WORDS[1]}" --help 2>/dev/null |
		    sed -nE 's/^  (--?[a-z][a-z-]*)[ =].*/\1/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -o default -F _proftools_llvm llvm-cov llvm-profdata
complete -o default -F _proftools prof-bundle prof-check prof-cover prof-diff \
    prof-export prof-filter prof-index prof-merge prof-order prof-plan \
    prof-report prof-show prof-symbolize profraw-cat

# bash completion of perdure(1). Everything is asked of perdure itself: perdure help --list (src/cli/list.h).

# _perdure_values WORDS...: candidates for the current word; FILE, DIR, KIND and ID stand for what they name.
_perdure_values() {
	local word
	for word in "$@"; do
		case $word in
		FILE) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
		DIR) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur") ;;
		KIND) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(sed -n 's/^kind\t\([^\t]*\)\t.*/\1/p' <<<"$list")" -- "$cur") ;;
		ID) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$("$perdure" help --ids 2>/dev/null | cut -f1)" -- "$cur") ;;
		*) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$word" -- "$cur") ;;
		esac
	done
}

_perdure() {
	local perdure=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local list word option short argument values arguments i
	COMPREPLY=()
	[[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	[[ $cur == '=' ]] && cur=
	if ((COMP_CWORD == 1)); then
		_perdure_values "$("$perdure" help --list 2>/dev/null | cut -f1) help"
		return
	fi
	if [[ $verb == help ]]; then
		((COMP_CWORD == 2)) && _perdure_values "$("$perdure" help --list 2>/dev/null | cut -f1)"
		return
	fi
	list=$("$perdure" help --list "$verb" 2>/dev/null) || return
	local -A takes=()
	# read takes several tabs for one, and some fields are empty.
	while IFS=$'\x1f' read -r word option short argument values _; do
		[[ $word == arguments ]] && arguments=$option
		[[ $word == option ]] || continue
		[[ $argument == \[* ]] && argument=
		takes[$option]=${argument:+$values }
		[[ -n $short ]] && takes[$short]=${argument:+$values }
	done < <(tr '\t' '\037' <<<"$list")
	# Behind the program everything is the program's.
	if [[ $arguments == PROGRAM* ]]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			word=${COMP_WORDS[i]}
			if [[ $word == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then continue; fi
			if [[ -n ${takes[${COMP_WORDS[i - 1]}]:-} && $word != -* ]]; then continue; fi
			if [[ $word != -* || $word == -- ]]; then
				_perdure_values FILE
				return
			fi
		done
	fi
	if [[ -n ${takes[$prev]:-} ]]; then
		read -ra values <<<"${takes[$prev]}"
		_perdure_values "${values[@]}"
	elif [[ $cur == -* ]]; then
		_perdure_values "${!takes[*]}"
	else
		case $arguments in
		*ID*) _perdure_values ID ;;
		*KIND*) _perdure_values KIND ;;
		PROGRAM*) mapfile -t COMPREPLY < <(compgen -c -f -- "$cur"); compopt -o filenames ;;
		?*) _perdure_values FILE ;;
		esac
	fi
}

complete -F _perdure perdure

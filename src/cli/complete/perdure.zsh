#compdef perdure
# zsh completion of perdure(1). Everything is asked of perdure itself: perdure help --list (src/cli/list.h).

# NAME:HELP for each line of `perdure help ...` that has two fields.
_perdure_pairs() {
	local -a pairs
	local name help
	while IFS=$'\t' read -r name help; do
		pairs+=("${name//:/\\:}:$help")
	done < <($perdure help "${@:2}" 2>/dev/null)
	_describe $1 pairs
}

_perdure() {
	local perdure=$words[1] verb=$words[2] line arguments
	local -a options kinds fields
	if ((CURRENT == 2)) || [[ $verb == help ]]; then
		_perdure_pairs verb --list
		return
	fi
	for line in ${(f)"$($perdure help --list $verb 2>/dev/null)"}; do
		fields=("${(@ps:\t:)line}")
		case $fields[1] in
		arguments) arguments=$fields[2] ;;
		kind) kinds+=($fields[2]) ;;
		option)
			local name=$fields[2] help=${${fields[6]//\[/\\[}//\]/\\]} value= optional=
			[[ $fields[4] == \[* ]] && optional=:
			if [[ -n $fields[4] ]]; then
				value="${optional}:${${${fields[4]//:/\\:}//\[/}//\]/}:"
				case $fields[5] in
				*FILE*) value+=_files ;;
				DIR) value+='_files -/' ;;
				KIND) value+='($kinds)' ;;
				?*) value+="($fields[5])" ;;
				*) value+=' ' ;;
				esac
				name+='='
			fi
			options+=("*${name}[${help//:/\\:}]$value")
			;;
		esac
	done
	options=("${(@)options//\$kinds/$kinds}")
	words=("${(@)words[2,-1]}")
	((CURRENT--))
	case $arguments in
	PROGRAM*) _arguments -s -S : $options '1:program:_command_names -e' '*::arguments:_files' || _files ;;
	*ID*) _arguments -s : $options '*:finding:{_perdure_pairs finding --ids}' ;;
	*KIND*) _arguments -s : $options "*:kind:($kinds)" ;;
	*) _arguments -s : $options '*:file:_files' ;;
	esac
}

_perdure "$@"

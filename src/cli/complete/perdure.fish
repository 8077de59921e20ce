# fish completion of perdure(1). Everything is asked of perdure itself: perdure help --list (src/cli/list.h).

function __perdure_words
	commandline -opc
end

function __perdure_verb
	set -l words (__perdure_words)
	test (count $words) -gt 1; and echo $words[2]
end

function __perdure_list
	set -l words (__perdure_words)
	$words[1] help --list $words[2] 2>/dev/null
end

# Options of the verb, with their help.
function __perdure_options
	__perdure_list | string match -rg '^option\t(\S+)\t[^\t]*\t([^\t]*)\t[^\t]*\t(.*)' | while read -l option
		read -l argument
		read -l help
		test -n "$argument"; and not string match -q '[*' -- $argument; and set option $option=
		printf '%s\t%s\n' $option $help
	end
end

# What can follow an option that takes a value: --model=
function __perdure_values
	set -l current (commandline -ct)
	string match -qr '^--[a-z-]+=' -- $current; or return
	set -l option (string replace -r '=.*' '' -- $current)
	for value in (__perdure_list | string match -rg "^option\t$option\t[^\t]*\t[^\t]*\t([^\t]*)\t" | string split ' ')
		switch $value
			case FILE DIR
				__fish_complete_path (string replace -r '^[^=]*=' '' -- $current) | string replace -r '^' $option=
			case KIND
				__perdure_list | string match -rg '^kind\t([^\t]*)\t' | string replace -r '^' $option=
			case '*'
				echo $option=$value
		end
	end
end

function __perdure_arguments
	__perdure_list | string match -rg '^arguments\t(.*)'
end

function __perdure_needs_verb
	test (count (__perdure_words)) -eq 1
end

complete -c perdure -n __perdure_needs_verb -f -a '(perdure help --list)'
complete -c perdure -n '__perdure_verb | string match -q help' -f -a '(perdure help --list)'
complete -c perdure -n 'not __perdure_needs_verb; and string match -q -- "-*" (commandline -ct); and not string match -q -- "*=*" (commandline -ct)' -f -a '(__perdure_options)'
complete -c perdure -n 'string match -qr -- "^--[a-z-]+=" (commandline -ct)' -f -a '(__perdure_values)'
complete -c perdure -n '__perdure_arguments | string match -q "*ID*"' -f -a '(perdure help --ids)'
complete -c perdure -n '__perdure_arguments | string match -q "*KIND*"' -f -a '(__perdure_list | string match -rg "^kind\t([^\t]*)\t")'

# tap.sh - TAP for shell scripts, and nothing else: sourced. Tests of programs source run.sh, which has this in it.
#
#	ok STATUS NAME [WHY...]     STATUS 0: well; WHY is text, or a file that has it
#	is WANTED GOT NAME
#	skip NAME WHY
#	take FILE                   the assertions of a program that speaks TAP, with our numbers; it must have a plan
#	finish                      the plan; exits with 1 if anything failed
tap_n=0
tap_failed=0

ok() {
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
		return 0
	fi
	tap_failed=1
	echo "not ok $tap_n - $2"
	shift 2
	for tap_why in "$@"; do
		if [ -f "$tap_why" ]; then sed 's/^/# /' "$tap_why"; else printf '%s\n' "$tap_why" | sed 's/^/# /'; fi
	done
}

is() {
	[ "$1" = "$2" ]
	ok $? "$3" "wanted: $1" "got:    $2"
}

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

take() {
	tap_want=$((tap_n + $(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$1" | tail -1)))
	while IFS= read -r tap_line; do
		case $tap_line in
		1..*) ;;
		'ok '* | 'not ok '*)
			tap_n=$((tap_n + 1))
			case $tap_line in not*) tap_failed=1 ;; esac
			printf '%s\n' "$tap_line" | sed "s/^\(\(not \)\{0,1\}ok\) [0-9]*/\1 $tap_n/"
			;;
		*) printf '%s\n' "$tap_line" ;;
		esac
	done <"$1"
	[ "$tap_n" = "$tap_want" ] || ok 1 "it has come to the end of its tests"
}

finish() {
	echo "1..$tap_n"
	exit $tap_failed
}

#!/bin/sh
# The mid-size structures of bugs/structures: right (BUG=0) they are clean, and every bug is found.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${PERDURE_BUILD:-$top/build}
perdure=${PERDURE:-$build/perdure}
dir=$build/tests/bugs/structures
. "$top/tests/lib/tap.sh"

# Runs check in a directory without PM files; the exit status must be as wanted.
check() { # wanted name command...
	want=$1 what=$2
	shift 2
	said=$("$perdure" check -q --out out --pm '*.pm' "$@" 2>&1)
	status=$?
	findings=$(jq '[.findings[] | select(.kind | startswith("crash/"))] | length' out/result.json)
	[ "$status" = "$want" ]
	ok $? "$what: check $*" "cd $PWD && $perdure check --pm '*.pm' $*
exit status $status, expected $want
$said"
	rm -rf out
}

# One bug, one finding: however many reads miss what was lost.
one() { # at most, name, command...
	most=$1
	shift
	check 1 "$@"
	[ "$findings" -le "$most" ]
	ok $? "$1: $findings findings, at most $most"
}

mkdir -p "$dir" && cd "$dir" || exit 1
"$perdure" help | grep -q '^  check ' && checks=1 || checks=0
if [ "$checks" = 0 ] && ! grep -qw clwb /proc/cpuinfo; then
	echo '1..0 # SKIP nothing to do without check and without clwb'
	exit 0
fi

for structure in clht:7 cceh:7 fastfair:8 radix:4; do
	name=${structure%:*}
	for bug in $(seq 0 "${structure#*:}"); do
		prog=./$name$bug
		if ! said=$("$perdure" cc -g -O1 -Wall -Wextra -pthread -DBUG="$bug" -o "$prog" \
			"$top/bugs/structures/$name.c" 2>&1) || [ -n "$said" ]; then
			ok 1 "$name BUG=$bug builds" "$said"
			continue
		fi
		if grep -qw clwb /proc/cpuinfo; then
			rm -f x.pm
			"$prog" x.pm 50 2 && "$prog" x.pm 100 2 && "$prog" x.pm 100 2
			ok $? "$name BUG=$bug runs by itself, three times" "cd $PWD && $prog x.pm 50 2"
			rm -f x.pm
		fi
		[ "$checks" = 1 ] || continue
		case $name$bug in
		*0)
			check 0 "$name, right" -- "$prog" x.pm 32 1
			check 0 "$name, right, two threads" -- "$prog" x.pm 12 2
			check 0 "$name, right, two crashes" --crashes 2 -- "$prog" x.pm 10 1
			;;
		radix4) one 1 "$name BUG=$bug" -- "$prog" x.pm 6 1 ;;
		fastfair2) one 1 "$name BUG=$bug" -- "$prog" x.pm 6 1 ;;
		fastfair8) one 2 "$name BUG=$bug" --crashes 2 -- "$prog" x.pm 8 1 ;;
		*) one 1 "$name BUG=$bug" -- "$prog" x.pm 12 1 ;;
		esac
	done
done
finish

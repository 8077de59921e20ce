#!/bin/sh
# The rules of the house that a machine can check.
cd "$(dirname "$0")/../.." || exit 1
build=${PERDURE_BUILD:-build}
n=0
failed=0

ok() { # status name details
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		failed=1
		echo "not ok $n - $2"
		[ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

# The core needs nothing from outside but the four mem functions and its own last words.
outside=$(nm -u "$build/core.a" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u |
	grep -vE '^(memcpy|memmove|memset|memcmp|pd_.*|_GLOBAL_OFFSET_TABLE_)$')
[ -z "$outside" ]
ok $? 'the core is freestanding' "$outside"

# It has no variables: what looks like one must be constant.
globals=$(objdump -t "$build/core.a" 2>/dev/null |
	awk '$4 == "O" || $3 == "O" { for (i = 1; i <= NF; i++) if ($i ~ /^\.(data|bss)$/) print $NF }')
[ -z "$globals" ]
ok $? 'the core has no globals' "$globals"

# Folders include only what docs/ARCHITECTURE.md lets them.
allowed() {
	case $1 in
	base) echo base ;;
	event) echo 'base event' ;;
	model) echo 'base event model' ;;
	finding) echo 'base event finding' ;;
	litmus) echo 'base event model litmus' ;;
	host) echo 'base event host' ;;
	drive) echo 'base event model finding engine protocol host report drive' ;;
	report) echo 'base event finding host report' ;;
	cc) echo 'base event host cc' ;;
	runtime) echo 'base event model finding engine protocol runtime' ;;
	valgrind) echo 'base event finding engine' ;;
	engine) echo 'base event model finding engine' ;;
	protocol) echo 'base event model finding engine protocol' ;;
	cli) echo 'base event model finding engine protocol litmus host report drive cli' ;;
	*) echo '' ;;
	esac
}
for dir in base event model finding engine protocol litmus host report drive cc runtime valgrind cli; do
	bad=
	for inc in $(grep -rhE '^#include "[a-z]+/' "src/$dir" | grep -v '"cc/wrap.def"' | sed 's/#include "//; s,/.*,,' | sort -u); do
		case " $(allowed $dir) " in *" $inc "*) ;; *) bad="$bad $inc" ;; esac
	done
	[ -z "$bad" ]
	ok $? "src/$dir includes only what it may" "includes:$bad"
done

# event.def makes the table in the docs.
want=$(sed -n 's/^PD_EVENT([A-Z_0-9]*, "\([^"]*\)", "[^"]*", "\(.*\)")$/| `\1` | \2 |/p' src/event/event.def)
have=$(grep '^| `' docs/events.md)
[ "$want" = "$have" ]
ok $? 'docs/events.md is as event.def says (tools/events makes it)'

# The tree is as clang-format leaves it; what is formatted, the Makefile says.
formatted=$(sed -n "s,^FORMATTED *:= ,,p" Makefile)
unformatted=$(git ls-files $formatted | grep "\.[ch]$" | xargs clang-format-19 --dry-run -Werror 2>&1 | grep error: | head -20)
[ -n "$formatted" ] && [ -z "$unformatted" ]
ok $? "the sources are formatted (make format)" "$unformatted"

missing=$(git ls-files '*.t' | while read -r f; do [ -x "$f" ] || echo "$f"; done)
[ -z "$missing" ]
ok $? 'every test can be executed' "$missing"

echo "1..$n"
exit $failed

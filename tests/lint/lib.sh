# lib.sh - sourced by the scripts here. $front is how a program gets watched: "instrumented" or "binary".
. "$(dirname "$0")/../lib/run.sh"

# make_case NAME SOURCE [FLAGS]: for the front end at hand
make_case() {
	out=$1 src=$2
	shift 2
	set -- -g -O1 -pthread -I"$top/include" -o "$out" "$src" "$@"
	case $front$src in
	instrumented*.cc) compile "$perdure" c++ "$@" ;;
	instrumented*) compile "$perdure" cc "$@" ;;
	*.cc) compile "${CXX:-c++}" "$@" ;;
	*) compile "${CC:-cc}" "$@" ;;
	esac
}

# The lines of a source with this mark, for jq: [12, 14]
mark() {
	echo "[$(grep -nE "//@ ($2)( |\$)" "$1" | cut -d: -f1 | paste -sd,)]"
}

# lint NAME STATUS JQ-TEST OPTIONS...: in the test, at("role"; lines) asks for a site, calls(lines) for who calls
# what only flushes.
defs='def at($r; $l): any(.sites[]; .role == $r and ([.line, .stack[]?.line] | any(. as $x | $l | index($x))));
def calls($l): any(.sites[]; .role == "caller" and (.line as $x | $l | index($x)));
def only($k): (.findings | length) == 1 and .findings[0].kind == $k;
def has($k): any(.findings[]; .kind == $k);'
lint() {
	name=$1 want=$2 test=$3
	shift 3
	rm -rf perdure.out result.json
	rm -f new.pm
	"$perdure" lint --json result.json "$@" >text 2>err
	status=$?
	[ $status = "$want" ]
	ok $? "$front: $name: status $want (was $status)" text
	jq -e "$defs $test" result.json >/dev/null 2>&1
	ok $? "$front: $name: $(echo "$test" | tr -s ' \t\n' '   ')" result.json
}

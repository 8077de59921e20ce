# tap.sh - sourced by the scripts here: that of tests/trace, and plain().
. "$(dirname "$0")/../trace/tap.sh"
here=$top/tests/valgrind

# plain NAME SOURCE... [FLAGS]: an ordinary program
plain() {
	out=$1
	shift
	case $1 in *.cc) compiler=g++ ;; *) compiler=gcc ;; esac
	"$compiler" -g -O1 -o "$out" "$@" || {
		echo "Bail out! cannot compile $*"
		exit 1
	}
}

# run.sh - for scripts that run programs: sourced. TAP, perdure, compilers, and a scratch directory, where one is then.
. "$(dirname "$0")/../lib/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
build=${PERDURE_BUILD:-$top/build}
perdure=${PERDURE:-$build/perdure}
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT

# compile COMMAND...: where it fails, all the test does
compile() {
	"$@" || {
		echo "Bail out! cannot compile: $*"
		exit 1
	}
}

# instrument NAME SOURCE... [FLAGS]: an instrumented program
instrument() {
	out=$1
	shift
	case $1 in *.cc) verb=c++ ;; *) verb=cc ;; esac
	compile "$perdure" "$verb" -g -O1 -o "$out" "$@"
}

# plain NAME SOURCE... [FLAGS]: an ordinary program
plain() {
	out=$1
	shift
	case $1 in *.cc) compiler=g++ ;; *) compiler=gcc ;; esac
	compile "$compiler" -g -O1 -o "$out" "$@"
}

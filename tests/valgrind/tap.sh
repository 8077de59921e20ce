# tap.sh - sourced by the scripts here: a scratch directory, perdure, and ok().
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${PERDURE_BUILD:-$top/build}
perdure=$build/perdure
here=$top/tests/valgrind
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
failed=0

ok() { # status name [file with details]
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
		return
	fi
	failed=1
	echo "not ok $n - $2"
	[ -z "${3:-}" ] || sed 's/^/# /' "$3"
}

# build NAME SOURCE... [FLAGS]: an ordinary program
plain() {
	out=$1
	shift
	case $1 in *.cc) compiler=g++ ;; *) compiler=gcc ;; esac
	"$compiler" -g -O1 -o "$out" "$@" || {
		echo "Bail out! cannot compile $*"
		exit 1
	}
}

finish() {
	echo "1..$n"
	exit $failed
}

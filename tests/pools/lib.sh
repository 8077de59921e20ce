# lib.sh - what the scripts here share: a directory with PM files, and a look at whether it changed.
. "$(dirname "$0")/../lib/tap.sh"

P=${PERDURE_BUILD:-build}/tests/pools
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# prepare NAME: a fresh directory $scratch/NAME/pm with old.pm (byte i is i % 251), link.pm and sub/.
prepare() {
	mkdir -p "$scratch/$1/pm/sub"
	perl -e 'print pack("C", $_ % 251) for 0 .. 65535' >"$scratch/$1/pm/old.pm"
	ln -s old.pm "$scratch/$1/pm/link.pm"
	chmod 644 "$scratch/$1/pm/old.pm"
	cd "$scratch/$1/pm" || exit 2
}

# Everything that can be seen of a directory: names, bytes, modes, owners, times.
fingerprint() {
	(cd "$1" && find . -printf '%p %y %m %U %G %s %n %i %T@ %C@ %l\n' | sort &&
		find . -type f -exec md5sum {} + | sort)
}

driven() {
	PERDURE_CONTROL=test PERDURE_PM=${GLOBS-"*.pm:$PWD/#*"} "$@"
}

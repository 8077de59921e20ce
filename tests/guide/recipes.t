#!/bin/sh
# The recipes of docs/guide/ci.md (CMake, Meson, automake, GitHub Actions, GitLab), taken from there word by word and run on a small project
# (store.c): green as it is, red with its bug.
#
# RECIPES_DEB=FILE: also what they install, with apt-get as root, in a root that has nothing yet (`make check-deb`).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
guide=${RECIPES_GUIDE:-$here/../../docs/guide/ci.md}
build=${PERDURE_BUILD:-$here/../../build}
[ -n "${RECIPES_DEB:-}" ] || PATH=$(cd "$build" && pwd):$PATH
unset PERDURE_OPTIONS PERDURE_PM PERDURE_AUDIT CC
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT

# The code of a section, without its four blanks.
block() { awk -v h="## $1" '/^## /{on = $0 == h; next} on && /^    /{print substr($0, 5)}' "$guide"; }
# A command that the text of a section names, which begins so.
named() { awk -v h="## $1" '/^## /{on = $0 == h; next} on' "$guide" | grep -o "\`$2[^\`]*\`" | tr -d '`' | head -1; }
# project NAME: a directory with the sources
project() {
	mkdir "$dir/$1" && cd "$dir/$1" || exit 1
	cp "$here/store.c" store_test.c
}
# green and red: the same commands, without the bug and with it. $bug is a flag of the compiler.
bug=

recipe_cmake() {
	cp "$here/store.c" . && mkdir -p perdure && {
		printf 'cmake_minimum_required(VERSION 3.20)\nproject(store C)\nenable_testing()\nadd_executable(store_test store_test.c)\n'
		block CMake
		[ -z "$bug" ] || echo 'target_compile_definitions(store_test PRIVATE BUG)'
	} >CMakeLists.txt
	echo '{"schema":1,"tool":"perdure","version":"0","verb":"lint","command":[],"complete":true,"findings":[],"stats":{},"losses":{}}' >perdure/lint.json
	cmake -S . -B b -DCMAKE_BUILD_TYPE=Debug -DPerdure_DIR="$(dirname "$here")/../src/cli/cmake" && cmake --build b && ctest --test-dir b -L perdure --output-on-failure
}

recipe_meson() {
	{
		printf "project('store', 'c')\nstore_test = executable('store_test', 'store_test.c', c_args: [%s])\n" "${bug:+'$bug'}"
		block Meson
	} >meson.build
	sh -c "$(named Meson 'CC=perdure-cc meson')" && meson test -C build-perdure --print-errorlogs
}

recipe_automake() {
	printf 'AC_INIT([store], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
	{
		printf 'check_PROGRAMS = store_test\nTESTS = store_test\nAM_CFLAGS = -g %s\n' "$bug"
		block automake
	} >Makefile.am
	autoreconf -i && ./configure && sh -c "$(named automake 'make check')" || {
		cat test-suite.log
		return 1
	}
}

# What a runner of GitHub or GitLab would do with the commands: one after the other until one fails, and those for the end in any case.
steps() {
	status=0
	while IFS= read -r step; do
		case $step in
		*apt-get*) [ -n "${RECIPES_DEB:-}" ] || continue ;;
		esac
		echo "+ $step"
		case $step in
		always:*) sh -c "${step#always:}" </dev/null || status=1 ;;
		*) [ $status != 0 ] || sh -ec "$step" </dev/null || status=$? ;;
		esac
	done
	return $status
}

prepare_runner() {
	printf 'store_test: store_test.c\n\t$(CC) -g %s -o $@ $<\n' "$bug" >Makefile
	echo '{"schema":1,"tool":"perdure","version":"0","verb":"check","command":[],"complete":true,"findings":[],"stats":{},"losses":{}}' >perdure-baseline.json
	[ -z "${RECIPES_DEB:-}" ] || cp "$RECIPES_DEB" ./perdure_0_amd64.deb
}

recipe_github() {
	prepare_runner
	block 'GitHub Actions' | sed -n 's/^ *- run: //p; /- if: always()/{n; s/^ *run: /always:/p}' | steps
}

recipe_gitlab() {
	prepare_runner
	block GitLab | sed -n '/^  script:/,/^  [a-z_]*:$/{s/^    - //p}; /^  after_script:/,/^  [a-z_]*:$/{s/^    - /always:/p}' | steps
}

# The files that the recipe hands on are what they are said to be.
made_github() { jq -e '.version == "2.1.0"' perdure.sarif >/dev/null; }
made_gitlab() { grep -q '<testsuite' junit.xml; }
made_cmake() { [ -e b/perdure/store_crash/result.json ]; }
made_meson() { [ -e build-perdure/crash/result.json ]; }
made_automake() { [ -e store_test.perdure/result.json ]; }

runs() { # NAME TOOL
	if ! command -v "$2" >/dev/null; then
		skip "$1" "$2 is not installed"
		return
	fi
	project "$1-green"
	recipe_"$1" >log 2>&1
	ok $? "$1: green" log
	made_"$1"
	ok $? "$1: its result is where the recipe says" log
	project "$1-red"
	bug=-DBUG
	recipe_"$1" >log 2>&1
	[ $? != 0 ] && made_"$1"
	ok $? "$1: red with the bug" log
	bug=
}

if [ -n "${RECIPES_DEB:-}" ]; then
	runs github apt-get
	runs gitlab apt-get
else
	runs cmake ctest
	runs meson meson
	runs automake automake
	runs github make
	runs gitlab make
fi
finish

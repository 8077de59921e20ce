#!/bin/bash
# Likely linearization points: all stores, what each way to infer them leaves, and the true ones, as Durinn's
# Figure 11 has it, on structures of bugs/; and what tests at them find. Usage: bench/linear_points.sh BUILD-DIR
#
# 200 operations (or OPS) on 100 keys, one schedule. Points and stores are of the fixed structures; found: what the
# tests of the broken one find, by kind, with the inferred points, the true ones (linear_points.list), all stores.
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
list=$top/bench/linear_points.list
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
missed=0

# run PROGRAM OPTIONS...: to r.json
run() {
	"$build/perdure" linear --pm '*.pm' --ops "${OPS:-200}" --keys 100 --schedules 1 --minimise 0 --json r.json -q "${@:2}" "./$1" >/dev/null 2>&1 || [ $? = 1 ]
}
stat() { jq ".stats.$1" r.json; }
found() { jq -r '[.findings[].kind | sub("linear/"; "")] | unique | join(", ") | if . == "" then "nothing" else . end' r.json; }

printf '| structure | stores | to memory that is known | guarded or atomic | inferred | true | tests: inferred | true | all stores | found: inferred | true | all stores |\n'
printf '|---|---|---|---|---|---|---|---|---|---|---|---|\n'
for case in $(sed '/^#/d' "$list" | cut -f1 | uniq); do
	source=$top/bugs/$case/case.c
	for fixed in 0 1; do
		"$build/perdure" cc -g -I"$top/bugs" -DFIXED=$fixed -o "case$fixed" "$source"
	done
	grep -P "^$case\t" "$list" | cut -f2 | while IFS= read -r text; do
		grep -nF -- "$text" "$source" | cut -d: -f1 | sed 's/^/case.c:/'
	done >points
	run case1
	stores=$(stat stores_in_operations) fresh=$(stat stores_to_new_memory) guarded=$(stat stores_guarded) inferred=$(stat likely_points) tests=$(stat tests)
	run case1 --points points
	true=$(stat likely_points) true_tests=$(stat tests)
	run case1 --points all
	all_tests=$(stat tests)
	run case0
	by_inferred=$(found)
	run case0 --points points
	by_true=$(found)
	run case0 --points all
	by_all=$(found)
	printf '| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s |\n' "${case#linear-}" "$stores" $((stores - fresh)) "$guarded" "$inferred" "$true" "$tests" "$true_tests" "$all_tests" \
		"$by_inferred" "$by_true" "$by_all"
	for kind in $(jq -r '.findings[].kind' r.json | sort -u); do
		case ", $by_inferred," in *", ${kind#linear/},"*) ;; *) missed=1 ;; esac
	done
done
[ $missed = 0 ] || echo '  EXCEEDED: tests at all stores find a kind that those at inferred points do not'
exit $missed

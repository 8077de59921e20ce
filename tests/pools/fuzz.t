#!/bin/sh
# Random mappings of files that exist and that do not: natively and driven, the program sees the same.
. "$(dirname "$0")/lib.sh"

for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10 11 12}; do
	for kind in native driven; do
		prepare $kind
		rm -f a.pm b.pm
		[ $((seed % 2)) = 0 ] && cp old.pm a.pm
	done
	fingerprint "$scratch/driven/pm" >"$scratch/before"
	(cd "$scratch/native/pm" && "$P/fuzz.native" $seed ${STEPS:-400}) >"$scratch/want"
	(cd "$scratch/driven/pm" && driven "$P/fuzz" $seed ${STEPS:-400}) >"$scratch/got" 2>&1
	diff "$scratch/want" "$scratch/got" | head -5
	cmp -s "$scratch/want" "$scratch/got"
	ok $? "seed $seed: the same"
	fingerprint "$scratch/driven/pm" | diff "$scratch/before" -
	ok $? "seed $seed: nothing changed"
	rm -rf "$scratch"/native "$scratch"/driven
done
finish

#!/bin/sh
# Fields of a file (--sym-file NAME:OFFSET+N): two of them are symbolic, the rest is as it is, however the file is read.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc --symbolic -g -O1 -o fields "$here/fields.c"
instrument plain "$here/fields.c"
printf 'name=abcd\ncount=07\nend\n' >some.txt
fields='--sym-file some.txt:16+2 --sym-file some.txt:7+2'

# Where a line or a number ends is a path of its own
while read -r how paths; do
	"$perdure" explore --pm '*.pm' $fields --out $how ./fields $how >out 2>err
	[ $? = 1 ] && grep -q '^explore/abort .*with some.txt+16 "42"' out
	ok $? "$how: found" out err
	jq -e --argjson n $paths '.complete and .stats.paths == $n and (.findings | length == 1 and all(.confirmed))' $how/result.json >/dev/null
	ok $? "$how: complete, $paths paths" out
done <<END
block 3
piece 3
byte 3
descriptor 3
mapping 3
line 13
scan 15
END
id=$(jq -r '.findings[0].id' block/result.json)
"$perdure" replay --out block "$id" --input kept >out 2>err
[ $? = 1 ] && grep -q '^replayed: the program aborts' out && [ "$(cat kept/files/some.txt)" = "$(printf 'name=abcd\ncount=42\nend\n')" ]
ok $? 'replayed; the input has the whole file' out
[ "$(cat some.txt)" = "$(printf 'name=abcd\ncount=07\nend\n')" ]
ok $? "the user's file is as it was" some.txt
"$perdure" lint -q --pm '*.pm' --input kept ./plain block >out 2>err
grep -q 'killed by signal 6' err
ok $? 'a plain build takes it, too' err

"$perdure" explore -q --pm '*.pm' $fields --json r.json ./fields copy >out 2>err
jq -e '(.complete | not) and .losses["symbolic-outside"].count == 1' r.json >/dev/null
ok $? 'a stream over another file that the fields were written to: a loss' r.json
finish

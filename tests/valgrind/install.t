#!/bin/sh
# Installed, and for a user without rights: perdure finds its Valgrind tool by itself, with nothing set in
# the environment.
. "$(dirname "$0")/../lib/run.sh"
make -s -C "$top" install B="$build" DESTDIR="$dir/root" PREFIX=/opt/perdure >log 2>&1
ok $? 'make install' log
plain notes "$top/examples/notes.c"
chmod 755 "$dir"
mkdir work && chmod 777 work
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
(cd work && $as_user env -i PATH=/usr/bin:/bin HOME="$PWD" "$dir/root/opt/perdure/bin/perdure" trace --stats \
	--pm '*.pm' ../notes x.pm hello) >stats 2>got
[ $? = 0 ] && [ "$(awk '$2 == "clflush" { print $1 }' stats)" = 2 ]
ok $? 'trace, installed, without rights' got
printf -- '--tool=nonsense\n--frobnicate\n' >work/.valgrindrc
(cd work && env HOME="$PWD" VALGRIND_OPTS=--nonsense "$dir/root/opt/perdure/bin/perdure" lint -q --pm '*.pm' \
	../notes x.pm hello) >text 2>&1
ok $? "the user's own settings of Valgrind are not read" text
[ -z "$(ls work | grep -v perdure.out)" ]
ok $? 'no file was made'
finish

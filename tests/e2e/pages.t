#!/bin/bash
# pages.t - manual pages and completion: what `make install` ships has what --help has, and leaves with `make uninstall`. TAP.
. "$(dirname "$0")/../lib/run.sh"
share=$dir/root/usr/share
unset MAKEFLAGS MAKELEVEL # of a make that runs the tests: it would speak of jobs
make -s -C "$top" install B="$build" DESTDIR="$dir/root" PREFIX=/usr >log 2>&1
ok $? 'make install' log
verbs=$("$perdure" help --list | cut -f1)

# ---- manual pages -------------------------------------------------------------------------------------

# Formatted, without any warning of groff; as one long text of single spaces.
shown() {
	groff -K utf8 -t -man -ww -T utf8 -P -c -rHY=0 "$1" 2>err | col -b | tr -s '[:space:]' ' ' | sed 's/‐ //g; s/‐/-/g; s/−/-/g'
}
for page in "$share"/man/man?/*; do
	shown "$page" >text
	[ -s text ] && [ ! -s err ]
	ok $? "$(basename "$page") is a page without a warning" err
done
for verb in $verbs; do
	shown "$share/man/man1/perdure-$verb.1" >text
	"$perdure" help --list "$verb" | awk -F '\t' '$1 == "option" { print $2 } $1 == "kind" { print $2 }' >want
	missing=$(while read -r word; do grep -qF -- "$word" text || echo "$word"; done <want)
	[ -s want ] && [ -z "$missing" ]
	ok $? "perdure-$verb.1 has every option and every kind" "$missing"
	"$perdure" help "$verb" >help
	missing=$(grep '^option' <<<"$("$perdure" help --list "$verb")" | cut -f2 | while read -r word; do grep -qF -- "$word" help || echo "$word"; done)
	[ -z "$missing" ]
	ok $? "--help of $verb has the same options" "$missing"
	extra=$(grep -o '^ \{2,6\}\(-[a-z], \)\?--[a-z-]*' help | grep -o -- '--[a-z-]*' | grep -vxFf <(cut -f2 <<<"$("$perdure" help --list "$verb")"))
	[ -z "$extra" ]
	ok $? "and no others" "$extra"
done
shown "$share/man/man1/perdure.1" >text
missing=$(for verb in $verbs; do grep -qF "perdure-$verb(1)" text || echo "$verb"; done)
[ -z "$missing" ]
ok $? 'perdure.1 names every verb' "$missing"

# ---- completion ---------------------------------------------------------------------------------------

instrument notes "$top/examples/notes.c" -DBUG
"$perdure" lint -q --pm '*.pm' ./notes a.pm hello >text 2>&1
ids=$("$perdure" help --ids | cut -f1 | sort | xargs)
[ -n "$ids" ]
ok $? 'the last run has findings' text
: >suppressions.txt
PATH=$(dirname "$perdure"):$PATH

# bash_offers WORD...: the last one is what is to be completed
bash_offers() {
	bash -c 'source "$0"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perdure; printf "%s\n" "${COMPREPLY[@]}"' \
		"$share/bash-completion/completions/perdure" "$@" 2>err | sort | xargs
	[ ! -s err ] || cat err
}
fish_offers() { fish --no-config -c "source $share/fish/vendor_completions.d/perdure.fish; complete -C '$*'" 2>&1 | cut -f1 | sort | xargs; }
zsh_offers() {
	rm -f offers
	PERDURE=$perdure zsh -f "$here/complete.zsh" "$share/zsh/site-functions" "$*" >err 2>&1
	[ -f offers ] && sort -u offers | xargs || cat err
}
options() { "$perdure" help --list "$1" | awk -F '\t' -v eq="$2" '$1 == "option" { print $2 ($4 != "" && $4 !~ /^\[/ ? eq : "") }' | sort | xargs; }

is "$(echo $verbs help | tr ' ' '\n' | sort | xargs)" "$(bash_offers perdure '')" 'bash: verbs'
for verb in $verbs; do
	is "$(options "$verb" '')" "$(bash_offers perdure "$verb" --)" "bash: options of $verb"
done
is 'adr eadr page' "$(bash_offers perdure check --model '')" 'bash: values'
is 'eadr' "$(bash_offers perdure check --model = e)" 'bash: values behind ='
is 'lint/missing-fence lint/missing-flush' "$(bash_offers perdure lint --only lint/missing)" 'bash: kinds'
is 'suppressions.txt' "$(bash_offers perdure check --suppress su)" 'bash: files'
is "$ids" "$(bash_offers perdure replay '')" 'bash: ids'
is 'notes' "$(bash_offers perdure check --pm x --explain ./notes no)" "bash: the program's arguments"
is '' "$(bash_offers perdure check --pm x ./notes --mod)" "bash: none of ours are among them"

if command -v fish >/dev/null; then
	is "$(echo $verbs | tr ' ' '\n' | sort | xargs)" "$(fish_offers 'perdure ')" 'fish: verbs'
	is "$(options check =)" "$(fish_offers 'perdure check --')" 'fish: options of check'
	is '--model=adr --model=eadr --model=page' "$(fish_offers 'perdure check --model=')" 'fish: values'
	is "$ids" "$(fish_offers 'perdure replay ')" 'fish: ids'
else
	skip 'fish' 'it is not installed'
fi
if command -v zsh >/dev/null; then
	is "$(echo $verbs | tr ' ' '\n' | sort | xargs)" "$(zsh_offers 'perdure ')" 'zsh: verbs'
	is "$(options lockset '')" "$(zsh_offers 'perdure lockset --')" 'zsh: options of lockset'
	is 'adr eadr page' "$(zsh_offers 'perdure check --model=')" 'zsh: values'
	is "$ids" "$(zsh_offers 'perdure replay ')" 'zsh: ids'
else
	skip 'zsh' 'it is not installed'
fi

# ---- and away -----------------------------------------------------------------------------------------

[ -e "$share/doc/perdure/docs/model.md" ] && [ -e "$share/doc/perdure/examples/notes.c" ]
ok $? 'docs and examples are installed'
readme=$share/doc/perdure/README.md
grep -q 'perdure check --pm' "$readme" && ! grep -n 'build/\|^    make\|tools/\|tests/' "$readme" >log
ok $? 'the README that is installed is about what is installed' log
[ -z "$(grep -o '([^():]*\.\(md\|png\))' "$readme" | tr -d '()' | while read -r f; do [ -e "$share/doc/perdure/$f" ] || echo "$f"; done)" ]
ok $? 'what it links to is there'
make -s -C "$top" uninstall B="$build" DESTDIR="$dir/root" PREFIX=/usr >log 2>&1
is '' "$(cat log; find "$dir/root" ! -type d)" 'make uninstall leaves nothing'
finish

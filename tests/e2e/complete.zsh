# complete.zsh DIRECTORY LINE: what zsh offers for LINE, a word a line, into the file `offers`. DIRECTORY has _perdure.
zmodload zsh/zpty
zpty shell zsh -f -i
cat >setup <<END
PS1= PS2= RPS1=
fpath=($1 \$fpath) path=(${PERDURE:h} \$path)
autoload -Uz compinit && compinit -D -u
zstyle ':completion:*' verbose no
END
cat >>setup <<'END'
# Candidates are written down on their way to the user.
compadd() {
	local -a hits
	if (( ${@[(I)-[OAD]]} )); then
		builtin compadd "$@"
		return
	fi
	builtin compadd -A hits "$@"
	(( $#hits )) && print -l -- $hits >>offers
	builtin compadd "$@"
}
# The line editor is there, and has done what was asked for.
zle-line-init() { print -r -- rea''dy }
offered() { print -r -- do''ne }
zle -N zle-line-init
zle -N offered
bindkey '^X' offered
END
zpty -w shell 'source ./setup'
zpty -r -m shell heard '*ready*'
zpty -w -n shell "$2"$'\t\C-x'
zpty -r -m shell heard '*done*'
print -r -- $heard

#!/usr/bin/perl
# Every form of instruction that touches PM, in an ordinary program: the events that insn.c names, one by
# one, and no other.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $tmp = tempdir(CLEANUP => 1);
my $avx2 = `grep -m1 ^flags /proc/cpuinfo` =~ /\bavx2\b/ ? '-DAVX2' : '';

sub lines {
	open my $f, '<', shift or die;
	return <$f>;
}

# line number -> the events that its comment asks for
sub expected {
	my %want;
	my $n = 0;
	for (lines("${dir}insn.c")) {
		$n++;
		$want{$n} = $1 =~ s/\s+$//r if m{//=\s*(.*)};
	}
	return \%want;
}

# One line of the listing as the comments write it.
sub event {
	my ($kind, $rest) = @_;
	return "$kind\@$1+$2" . (defined $3 ? "=$3" : '')
		if $rest =~ /^\S+\.pm\+0x([0-9a-f]+) (\d+)(?: = 0x([0-9a-f]+))?/;
	return $rest =~ /^0x/ ? "$kind\@out" : $kind;
}

sub seen {
	my ($exe) = @_;
	my %got;
	for (`$build/perdure trace --pm '*.pm' $exe $tmp/x.pm 2>$tmp/err`) {
		my ($kind, $rest) = /^T0\s+(\S+)\s+(.*)/ or next;
		my ($line) = /insn\.c:(\d+)/ or next;
		push @{$got{$line}}, event($kind, $rest);
	}
	return ($? >> 8, \%got);
}

my $want = expected();
my @source = lines("${dir}insn.c");
for my $options ('-O1', '-O2 -static', '-O1 -no-pie') {
	my $exe = "$tmp/insn";
	is(system("gcc -g -w $options $avx2 -o $exe ${dir}insn.c"), 0, "$options: compiles") or next;
	my ($status, $got) = seen($exe);
	is($status, 0, "$options: runs") or diag(lines("$tmp/err"));
	for my $line (sort { $a <=> $b } keys %$want) {
		next if !$avx2 && $source[$line - 1] =~ /"v/;
		my $have = join ' ', @{$got->{$line} // []};
		my ($text) = $source[$line - 1] =~ /"(.*?)"/;
		is($have, $want->{$line}, "$options line $line: $text");
		delete $got->{$line};
	}
	my @other = grep { ($source[$_ - 1] // '') =~ /^\s*[AXS]\(/ } keys %$got;
	is("@other", '', "$options: nothing from lines that say nothing");
}
done_testing();

#!/usr/bin/env perl
# files.pl SEED DIR - writes DIR/prog.c, random calls on up to three files and a recovery, for files.h. The seed decides
# all.
use strict;
use warnings;

my ($seed, $dir) = @ARGV;
die "usage: files.pl SEED DIR\n" unless defined $dir && $seed =~ /^\d+$/;

my $state = $seed;
sub below {
	my ($n) = @_;
	$state = ($state + 0x9e3779b9) & 0xffffffff;
	my $x = $state;
	for my $factor (0x21f0aaad, 0x735a2d97) {
		$x ^= $x >> 16;
		$x = ($x * $factor) & 0xffffffff;
	}
	return ($x ^ $x >> 15) % $n;
}
below(2) for 1 .. 3;
sub pick { return $_[below(scalar @_)] }

my $page = below(2);
my $level = pick(qw(-O0 -O1 -O2));
my @places = (0, 8, 56, 64, 100, 4088, 4096, 4100, 8192);
my @sizes = (0, 8, 60, 64, 128, 4096, 4100, 8192, 12288);
my $last = 0;
my @written;

sub file { return below(3) ? below(2) : below(3) }
sub bytes { my ($n) = @_; return '"' . join('', map { sprintf '\\x%02x', 1 + below(6) } 1 .. $n) . '"' }

sub call {
	my $k = below(100);
	$last = file() unless below(3);
	return "CREAT($last);" if $k < 8;
	return "OTRUNC($last);" if $k < 12;
	return "TRUNC($last, " . pick(@sizes) . ");" if $k < 24;
	if ($k < 54) {
		my $n = pick(1, 4, 8, 8, 12, 16);
		my ($at, $bytes) = (pick(@places), bytes($n));
		push @written, [$last, $at, $bytes =~ /x(..)/];
		return "PW($last, $at, $bytes, $n);" . (below(2) ? "\n\tFS($last);" : '');
	}
	return "FS($last);" if $k < 68;
	return "REN($last, " . below(3) . ");" if $k < 76;
	return "UNL($last);" if $k < 80;
	return "LNK($last, " . below(3) . ");" if $k < 84;
	return "XCH($last, " . below(3) . ");" if $k < 87;
	return "MST($last, " . pick(0, 8, 64, 4088, 4096) . ", " . (below(6) * 256 + 1 + below(6)) . ");" if $k < 95;
	return "MSY($last);";
}

sub atom {
	my $k = below(100);
	return 'SZ(' . file() . ') ' . pick('==', '<', '>') . ' ' . pick(-1, 0, 8, 64, 4096, 8192) if $k < 35;
	my $byte = 'BY(' . file() . ', ' . (pick(@places) + below(8)) . ')';
	return "$byte " . pick('==', '!=') . ' ' . pick(0, 0, -1, 1 .. 6) if $k < 80;
	return "$byte == BY(" . file() . ', ' . (pick(@places) + below(8)) . ')';
}

# One write is there, and an earlier one is not: what an order excludes.
sub lost_before {
	my $k = 1 + below($#written);
	my ($later, $earlier) = ($written[$k], $written[below($k)]);
	return "BY($later->[0], $later->[1]) == 0x$later->[2] && BY($earlier->[0], $earlier->[1]) != 0x$earlier->[2]";
}

# The first store makes the file one that is checked; before there is any, nothing is.
my @work = ('CREAT(0);', 'TRUNC(0, ' . pick(64, 4096, 8192) . ');', 'MST(0, ' . pick(0, 8) . ', ' . below(3) . ');');
push @work, call() for 1 .. 5 + below(9);
my @recover = 'if (SZ(0) < 0 && SZ(1) < 0 && SZ(2) < 0)' . "\n\t\treturn 0;";
for my $i (0 .. 2 + below(4)) {
	my $ordered = @written > 1 && ($i < 2 || below(2));
	push @recover, 'if (' . ($ordered ? lost_before() : join(' && ', map { atom() } 0 .. below(4))) . ")\n\t\treturn " . (1 + $i) . ';';
}

open my $c, '>', "$dir/prog.c" or die "files.pl: $dir/prog.c: $!\n";
print $c "/* seed $seed: model ", $page ? 'page' : 'adr', ", level $level, crashes 1 */\n";
print $c $page ? "#define PAGE\n" : '', "#define _GNU_SOURCE\n#include \"files.h\"\n\n";
print $c "static void work(void)\n{\n", map({ "\t$_\n" } @work), "}\n\n";
print $c "static int recover(void)\n{\n", map({ "\t$_\n" } @recover), "\treturn 0;\n}\n";
close $c;

#!/usr/bin/perl
# rep stos and rep movs that store much are a few events, not one for each step, and do what the processor
# does.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $tmp = tempdir(CLEANUP => 1);

is(system("gcc -g -O1 -w -o $tmp/repeat ${dir}repeat.c"), 0, 'compiles');
is(system("$tmp/repeat $tmp/y") >> 8, 0, 'runs alone');
my @lines = `$build/perdure trace --pm '*.pm' $tmp/repeat $tmp/x.pm 2>$tmp/err`;
is($? >> 8, 0, 'runs: the same bytes and registers as outside of PM') or diag(`cat $tmp/err`);

# The byte-wise steps are those over the end of the file, and the first one of each.
open my $f, '<', "${dir}repeat.c" or die;
my $line;
while (<$f>) {
	$line = $. if m{//\@ stosb};
}
my ($bytes, $events, $single) = (0, 0, 0);
for (@lines) {
	my ($n) = /^T0\s+store\s+x\.pm\+0x[0-9a-f]+ (\d+) .*repeat\.c:$line\b/ or next;
	$bytes += $n;
	$events++;
	$single++ if $n == 1;
}
is($bytes, 65536 + 5000 + 1 + 4096, 'all bytes are told');
cmp_ok($single, '<=', 4096 + 4, 'only the steps that may fault are told one by one');
cmp_ok($events - $single, '<=', 65 + 6, 'the others are pieces of a kilobyte');
done_testing();

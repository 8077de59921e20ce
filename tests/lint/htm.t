#!/usr/bin/perl
# Hardware transactions: done where nothing but the schedule matters, refused where they cannot be.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $tmp = tempdir(CLEANUP => 1);
my $line;

open my $f, '<', "${dir}htm.c" or die;
while (<$f>) {
	$line = $. if m{//\@ store};
}

# The status and what must be in the text.
sub runs {
	my ($verb, $exe, $mode, $status, $text) = @_;
	my $got = `$build/perdure $verb --out $tmp/out --pm '*.pm' $tmp/$exe $mode $tmp/x.pm 2>&1`;
	is($? >> 8, $status, "$verb $exe $mode") or diag($got);
	like($got, $text, '... says') if $text;
}

is(system("$build/perdure cc -g -O2 -mrtm -o $tmp/i ${dir}htm.c -pthread"), 0, 'perdure cc');
is(system("gcc -g -O2 -mrtm -o $tmp/n ${dir}htm.c -pthread"), 0, 'gcc');

runs("lint $_", 'i', 'tries', 0, qr/clean/) for '', '--schedule random';
runs('lint', 'i', 'forgets', 1, qr/missing-flush.*htm\.c:$line/);
runs('lint', 'i', 'gives-up', 3, qr/xabort/);
runs('check', 'i', 'tries', 2, qr/xbegin\) never succeeds/);
runs('check --no-torn --random 5', 'i', 'falls', 3, qr/no bug found/);

runs('lint', 'n', 'falls', 0, qr/clean/);
runs('lint', 'n', 'tries', 2, qr/xbegin\) never succeeds in Valgrind/);
done_testing();

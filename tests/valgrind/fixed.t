#!/usr/bin/perl
# The same bytes have the same address in events, wherever and however often they are mapped; and PM that is
# mapped outside of the window is seen.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $tmp = tempdir(CLEANUP => 1);
my (@want, @got);

open my $f, '<', "${dir}fixed.c" or die;
for (<$f>) {
	next unless m{store\(.*?, (\d+)\); //= (\S+)};
	push @want, $2 eq 'out' ? 'clwb out' : (sprintf('store %s = %x', $2, $1), 'clwb ' . sprintf('%x', hex($2) & ~63));
}
is(system("gcc -g -O1 -w -o $tmp/fixed ${dir}fixed.c"), 0, 'compiles');
for (`$build/perdure trace --pm '*.pm' $tmp/fixed $tmp/x.pm 2>$tmp/err`) {
	push @got, "store $1 = $2" if /^T0\s+store\s+x\.pm\+0x(\S+) 8 = 0x(\S+)/;
	push @got, "clwb $1" if /^T0\s+clwb\s+x\.pm\+0x(\S+) 64/;
	push @got, 'clwb out' if /^T0\s+clwb\s+0x/;
}
is($?, 0, 'runs') or diag(`cat $tmp/err`);
is_deeply(\@got, \@want, scalar(@want) . ' events') or diag("@got");
my $lint = `$build/perdure lint -q --pm '*.pm' $tmp/fixed $tmp/x.pm 2>&1`;
unlike($lint, qr/missing/, 'lint misses no flush');
ok(!-e "$tmp/x.pm", 'no file was made');
done_testing();

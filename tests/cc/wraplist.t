#!/usr/bin/perl
# Every hook of event.def and every wrapper of wrap.def is in the runtime, and no other wrapper is.
use strict;
use warnings;
use Test::More tests => 3;

my $root = $0 =~ s{tests/cc/[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';

sub list {
	my ($file, $pattern) = @_;
	open my $f, '<', "$root$file" or die "$file: $!";
	return map { $_ =~ $pattern ? $1 : () } <$f>;
}

my %have = map { (split)[2] => 1 }
	grep { / __pd_/ } `nm -D --defined-only $build/lib/perdure/libperdure_rt.so`;
my @hooks = map { "__pd_$_" } list('src/event/event.def', qr/^PD_HOOK\((\w+),/);
my @sized = list('src/event/event.def', qr/^PD_HOOKS_SIZED\((\w+),/);
my @wraps = map { "__pd_w_$_" } list('src/cc/wrap.def', qr/^PD_WRAP\((\w+),/);

for my $h (@sized) {
	push @hooks, map { "__pd_$h$_" } 1, 2, 4, 8, 16;
}
is_deeply([grep { !$have{$_} } @hooks], [], scalar(@hooks) . ' hooks');
is_deeply([grep { !$have{$_} } @wraps], [], scalar(@wraps) . ' wrappers');
my %wanted = map { $_ => 1 } @wraps;
is_deeply([grep { /^__pd_w_/ && !$wanted{$_} } sort keys %have], [], 'and no wrapper that is not listed');

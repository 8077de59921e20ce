#!/usr/bin/perl
# Every hook of event.def and every wrapper of wrap.def is in the runtime, and no other wrapper is; and every function of
# libc that is given addresses is wrapped, interposed, or known not to be (src/cc/crash/libc.list).
use strict;
use warnings;
use Test::More tests => 6;

my $root = $0 =~ s{tests/cc/[^/]*$}{}r || './';
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
my @wraps = map { "__pd_w_$_" } list('src/cc/crash/wrap.def', qr/^PD_WRAP\((\w+),/);

for my $h (@sized) {
	push @hooks, map { "__pd_$h$_" } 1, 2, 4, 8, 16;
}
is_deeply([grep { !$have{$_} } @hooks], [], scalar(@hooks) . ' hooks');
is_deeply([grep { !$have{$_} } @wraps], [], scalar(@wraps) . ' wrappers');
my %wanted = map { $_ => 1 } @wraps;
is_deeply([grep { /^__pd_w_/ && !$wanted{$_} } sort keys %have], [], 'and no wrapper that is not listed');

my %class;
my @twice;
my $class;
open my $file, '<', "${root}src/cc/crash/libc.list" or die "libc.list: $!";
while (<$file>) {
	next if /^#/;
	if (/^(\w+):$/) {
		$class = $1;
		next;
	}
	for my $name (split) {
		push @twice, $name if $class{$name} || $wanted{"__pd_w_$name"};
		$class{$name} = $class;
	}
}
is_deeply(\@twice, [], 'no function is in two lists');
my %interposed = map { (split)[2] => 1 } `nm -D --defined-only $build/lib/perdure/libperdure_rt.so`;
my @libc = map { (split /\t/)[0] } `${root}tools/libc-functions`;
cmp_ok(scalar(@libc), '>', 1000, 'functions of libc are found');
my @unknown = grep { !$wanted{"__pd_w_$_"} && !$interposed{$_} && !$class{$_} } @libc;
is_deeply(\@unknown, [], 'each is wrapped, interposed or in src/cc/crash/libc.list');

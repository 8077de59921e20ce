#!/usr/bin/perl
# The instruction programs: the same output as natively at every level, and the events that their
# comments name, one by one. A part that needs vector extensions is skipped where the machine has none.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $cc = "$build/tests/cc/perdure-cc";
my $tmp = tempdir(CLEANUP => 1);
open my $cpu, '<', '/proc/cpuinfo' or die;
my ($flags) = grep { /^flags/ } <$cpu>;

sub slurp {
	open my $f, '<', shift or return '';
	local $/;
	return <$f>;
}

# The events that the comments ask for, "LINE event" each.
sub expected {
	my $n = 0;
	my @want;
	for (split /\n/, slurp(shift), -1) {
		$n++;
		push @want, map { s/^\^// ? "0 $_" : "$n $_" } split ' ', $1 if m{//= (.*)};
	}
	return @want;
}

sub first_difference {
	my ($got, $want) = @_;
	for my $i (0 .. ($#$got > $#$want ? $#$got : $#$want)) {
		my ($g, $w) = ($got->[$i] // 'nothing', $want->[$i] // 'nothing');
		return "event $i: got '$g', expected '$w'" if $g ne $w;
	}
	return '';
}

sub check {
	my ($name, $options) = @_;
	my $src = "$dir$name.c";
	my @want = expected($src);

	system("clang-19 -w -DNATIVE $options -O2 $src -o $tmp/$name-native -latomic") == 0
		or return fail("$name compiles natively");
	my $native = `$tmp/$name-native`;
	is($?, 0, "$name runs natively");
	for my $level ('-O0', '-O1', '-O2', '-O3', '-Os') {
		my $exe = "$tmp/$name$level";
		my $trace = "$exe.trace";

		if (system("$cc -w $options $level $src -o $exe") != 0) {
			fail("$name $level compiles");
			next;
		}
		is(`PD_TRACE=$trace $exe`, $native, "$name $level prints the same");
		# From glibc 2.38 on strtol is one of two, by the standard that the source is compiled for.
		my @got = map { s/__isoc23_//r } split /\n/, slurp($trace);
		is(first_difference(\@got, \@want), '', "$name $level: " . @want . " events");
	}
	my $real = system("$build/perdure-cc -w $options -O2 $src -o $tmp/$name-alone");
	is($real, 0, "$name compiles with the real runtime");
	is(`$tmp/$name-alone`, $native, "$name prints the same on its own");
}

check('insn', '');
check('insn_asm', '');
SKIP: {
	skip 'no AVX2', 1 unless $flags =~ /\bavx2\b/;
	check('insn_avx2', '-mavx2 -msse4.1');
}
SKIP: {
	skip 'no AVX-512', 1 unless $flags =~ /\bavx512f\b/ && $flags =~ /\bavx512vl\b/;
	check('insn_avx512', '-mavx512f -mavx512vl');
}
done_testing();

#!/usr/bin/perl
# Loads that come again are told once, others each time: the counts that again.c has in its comments.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $src = abs_path($0) =~ s{[^/]*$}{}r;
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
require "$src/events.pl";

# Lines whose number of loads is not what is asked for.
sub wrong {
	my ($trace, $level, $cxx) = @_;
	my ($n, $checked, $only_cxx, %loads, @wrong) = (0, 0, 0);
	for (split /\n/, $trace) { $loads{$1}++ if /^(\d+) loadb?@/ }
	for (split /\n/, slurp("$src/again.c"), -1) {
		$n++;
		$only_cxx = 1 if /^#ifdef __cplusplus/;
		$only_cxx = 0 if /^#endif/;
		next if !m{/\*@(2?) (\d+)(?: of (\d+))? \*/} || ($only_cxx && !$cxx) || ($1 && $level =~ /1|s/);
		my $want = $level eq '-O0' ? $3 // $2 : $2;
		my $got = $loads{$n} // 0;
		push @wrong, "line $n loads $got times, not $want" if $got != $want;
		$checked++;
	}
	return $checked > 40 ? join '; ', @wrong : "only $checked lines";
}

for my $language (['C', 'perdure-cc', 'clang-19', ''], ['C++', 'perdure-c++', 'clang++-19', '-x c++']) {
	my ($name, $perdure, $clang, $options) = @$language;
	is(system("$clang -w $options -O2 $src/again.c -o native"), 0, "$name compiles natively");
	my ($native, $all) = scalar(`./native`);
	for my $level ('-O0', '-O1', '-O2', '-O3', '-Os') {
		is(system("$build/tests/cc/$perdure -w $options $level $src/again.c -o p"), 0, "$name $level");
		is(scalar(`PD_TRACE=trace ./p`), $native, "$name $level prints what it does natively");
		my $got = slurp('trace');
		$all //= $got;
		is(difference($got, $all), '', "$name $level: nothing is lost, nothing is new");
		is(wrong($got, $level, $name ne 'C'), '', "$name $level: each load as often as the source says");
	}
}

done_testing();

#!/usr/bin/perl
# Which reads are marked as deciding a branch (PD_SITE_GUARD): decide.c and decide.cpp say it line by line.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;

my $dir = abs_path($0 =~ s{[^/]*$}{}r || '.');
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my ($cc, $cxx) = ("$build/tests/cc/perdure-cc", "$build/tests/cc/perdure-c++");
my $tmp = tempdir(CLEANUP => 1);
chdir $tmp or die;

use constant GUARD => 4096;

sub lines {
	open my $f, '<', shift or die;
	chomp(my @l = <$f>);
	return @l;
}

# line -> guard, plain
sub expected {
	my ($file) = @_;
	my ($n, %want) = (0);
	for (lines($file)) {
		$n++;
		$want{$n} = $1 if m{//= (guard|plain)$};
	}
	return %want;
}

# line -> guard, plain; of what was inlined: guard where one copy is.
sub marked {
	my ($compiler, $options, $file) = @_;
	my %got;
	unlink 'modules';
	system("$compiler -w $options $file rest.o -o p && PD_TRACE_MODULES=modules ./p 0") == 0 or return ();
	for (lines('modules')) {
		my ($at, $flags) = /^site \Q$file\E:(\d+):\d+ .* flags (\d+)/ or next;
		$got{$at} = 'guard' if $flags & GUARD;
		$got{$at} //= 'plain';
	}
	return %got;
}

sub compare {
	my ($name, $compiler, $options, $file) = @_;
	my %want = expected($file);
	my %got = marked($compiler, $options, $file);
	my @wrong = map { "line $_: " . ($got{$_} // 'no site') . ", not $want{$_}" }
		grep { ($got{$_} // '') ne $want{$_} } sort { $a <=> $b } keys %want;
	ok(%got && !@wrong, "$name $options") or diag(join "\n", @wrong);
}

open my $rest, '>', 'rest.c' or die;
print $rest "long hash(long v) { return v; }\nint read_it(void *t, void *f) { return t == f; }\nvoid elsewhere(long v) { (void)v; }\n";
close $rest;
is(system('cc -c rest.c'), 0, 'what other files have');
compare('C', $cc, "$_ -latomic", "$dir/decide.c") for '-O0', '-O1', '-O2', '-Os';
compare('C++', $cxx, $_, "$dir/decide.cpp") for '-O0', '-O2';

done_testing();

#!/usr/bin/perl
# Both front ends say the same about the same program: programs of the corpus of bugs, with their bug
# and without, through perdure lint, instrumented and as ordinary binaries. Every fourth one; all with
# PERDURE_THOROUGH=1 (make check-all). Any other program:
#
#	tests/valgrind/both.t --pair PLAIN INSTRUMENTED [ARGS]
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename;
use File::Temp 'tempdir';
use JSON::PP;
use Test::More;

my $top = abs_path(dirname($0) . '/../..');
my $build = $ENV{PERDURE_BUILD} || "$top/build";
my $perdure = "$build/perdure";
my $tmp = tempdir(CLEANUP => 1);
# Those that are there for lint or lockset go through both front ends in tests/bugs. Drivers, which are there for linear, have
# no main without the runtime. What uses a library of somebody else's is linked by tests/bugs/run.
my @sources = @ARGV ? map { glob "$top/bugs/$_/case.c*" } @ARGV
	: grep { is_other($_) } sort glob("$top/bugs/*/case.c*");
@sources = @sources[grep { $_ % 4 == 0 } 0 .. $#sources] unless @ARGV || $ENV{PERDURE_THOROUGH};

sub is_other {
	open my $f, '<', dirname($_[0]) . '/expect' or return 0;
	return !grep { /^run: (lint|lockset|linear)|^uses:/ } <$f>;
}

# What was found, a line each: kind, and the sites with their lines. Columns and counts may differ: a
# compiler may turn one store of the source into two.
sub findings {
	my ($exe, @args) = @_;
	my $json = "$tmp/result.json";
	unlink $json, glob("$tmp/*.pm");
	system("cd $tmp && $perdure lint -q --json $json --pm '*.pm' $exe @args >$tmp/text 2>&1");
	open my $f, '<', $json or return "no result: " . `cat $tmp/text`;
	local $/;
	my $r = decode_json(<$f>);
	my %seen;
	for my $x (@{$r->{findings}}) {
		my @sites = map { "$_->{role} " . basename($_->{file} // '?') . ":" . ($_->{line} // 0) }
			grep { $_->{role} ne 'before' } @{$x->{sites}};
		$seen{"$x->{kind} @sites"} = 1;
	}
	return join("\n", sort(keys %seen), "complete: " . ($r->{complete} ? 1 : 0));
}

sub arguments {
	my ($source) = @_;
	open my $f, '<', dirname($source) . '/expect' or return 'x.pm';
	for (<$f>) {
		return $1 if m{^run:.*\./case\s*(.*?)\s*$};
	}
	return 'x.pm';
}

if (@ARGV && $ARGV[0] eq '--pair') {
	my (undef, $plain, $instrumented, @args) = @ARGV;
	is(findings(abs_path($instrumented), @args), findings(abs_path($plain), @args), 'the same findings');
	diag(findings(abs_path($plain), @args));
	done_testing;
	exit;
}

for my $source (@sources) {
	my $name = basename(dirname($source));
	my ($plain, $cc) = $source =~ /\.cc$/ ? ('g++', 'c++') : ('gcc', 'cc');
	my $args = arguments($source);
	for my $fixed (0, 1) {
		my $flags = "-g -O0 -w -pthread -I$top/include -DFIXED=$fixed";
		if (system("$plain $flags -o $tmp/plain $source") || system("$perdure $cc $flags -o $tmp/inst $source")) {
			fail("$name FIXED=$fixed compiles");
			next;
		}
		my $a = findings("$tmp/inst", $args);
		my $b = findings("$tmp/plain", $args);
		is($b, $a, "$name FIXED=$fixed: " . ($a =~ tr/\n//) . ' findings');
	}
}
done_testing();

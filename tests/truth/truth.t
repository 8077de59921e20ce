#!/usr/bin/env perl
# Programs with several bugs of known kinds and places (gen.pl): all of them are found, each with its own place and
# cause, each confirmed and replayed, and nothing else is reported; also with a part of them suppressed, with other
# numbers of jobs, and where a limit cuts the run short.
#
# TRUTH_FIRST and TRUTH_COUNT say which seeds. A failure prints the seed: gen.pl makes the same program again.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use Cwd qw(abs_path);

my $here = abs_path(dirname($0));
my $perdure = $ENV{PERDURE} // "$here/../../build/perdure";
my $first = $ENV{TRUTH_FIRST} // 1;
my $count = $ENV{TRUTH_COUNT} // 10;
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";

sub holds {
	my ($good, $name, @why) = @_;
	return ok($good, $name) || (diag(join "\n", @why), 0);
}

sub slurp {
	my ($file) = @_;
	local $/;
	open my $f, '<', $file or return '';
	return scalar <$f>;
}

# ---- running ----

sub build {
	my ($seed) = @_;
	system('perl', "$here/gen.pl", $seed, '.') == 0 or return;
	my ($level) = slurp('planted') =~ /^level (\S+)/m;
	return system("$perdure cc -g $level -mclwb -I$here/../../include -o prog prog.c >cc.out 2>&1") == 0;
}

sub planted {
	my ($recover, @bugs);
	for (split /\n/, slurp('planted')) {
		my @word = split / /;
		if ($word[0] eq 'recover') { $recover = $word[1]; next }
		next if $word[0] eq 'level';
		push @bugs, {number => $word[0], kind => $word[1], cause => $word[2], line => $word[3], verifier => $word[4]};
	}
	return ($recover, @bugs);
}

# The result, and the exit status.
sub check {
	my ($recover, @options) = @_;
	my @recover = $recover ? ('--recover', './prog x.pm verify') : ();
	unlink 'a.json';
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDOUT, '>', 'text' or exit 99;
		open STDERR, '>', 'err' or exit 99;
		open STDIN, '<', '/dev/null';
		exec $perdure, 'check', '--out', 'out', '--pm', '*.pm', '--json', 'a.json', @recover, @options, '--',
			'./prog', 'x.pm' or exit 99;
	}
	waitpid $pid, 0;
	my $status = $? >> 8;
	my $result = eval { decode_json(slurp('a.json')) };
	return ($result, $status);
}

# ---- judging ----

# Only what a crash shows: what a compiler might do to a plain store is another question.
sub bugs_in {
	my ($result) = @_;
	return grep { $_->{severity} eq 'correctness' && $_->{kind} =~ /^crash/ } @{$result->{findings}};
}

# Lines of the store that is blamed, and of its caller where a function may store for others.
sub at_store {
	my ($finding) = @_;
	my @lines = map { $_->{line} } grep { $_->{role} eq 'store' || $_->{role} eq 'caller' } @{$finding->{sites}};
	return @lines > 2 ? @lines[0, 1] : @lines;
}

sub mentions {
	my ($finding, $function) = @_;
	for my $site (@{$finding->{sites}}) {
		return 1 if ($site->{function} // '') eq $function;
		return 1 if grep { ($_->{function} // '') eq $function } @{$site->{stack} // []};
	}
	return 0;
}

sub fits {
	my ($finding, $bug) = @_;
	return 0 unless ($finding->{cause} // '') eq $bug->{cause} && mentions($finding, $bug->{verifier});
	return scalar grep { $_ == $bug->{line} } at_store($finding);
}

sub describe {
	my ($finding) = @_;
	return "$finding->{id} $finding->{kind} " . ($finding->{cause} // '-') . ' line ' .
		join(', ', at_store($finding)) . ": $finding->{message}";
}

# Each bug by one finding, and each finding one bug; what is wrong with it.
sub compare {
	my ($findings, $bugs) = @_;
	my @wrong;
	for my $bug (@$bugs) {
		my @by = grep { fits($_, $bug) } @$findings;
		push @wrong, "bug $bug->{number} ($bug->{kind}, line $bug->{line}): " . scalar(@by) . ' findings' if @by != 1;
	}
	for my $f (@$findings) {
		push @wrong, 'no such bug: ' . describe($f) unless grep { fits($f, $_) } @$bugs;
		push @wrong, 'not confirmed: ' . describe($f) unless $f->{confirmed};
	}
	my %ids = map { $_->{id} => 1 } @$findings;
	push @wrong, 'ids are not unique' if keys %ids != @$findings;
	return @wrong;
}

sub replayed {
	my ($findings) = @_;
	my @wrong;
	for my $f (@$findings) {
		system("$perdure replay --out out $f->{id} >replay.text 2>&1");
		push @wrong, "replay $f->{id} ended with " . ($? >> 8) . ': ' . slurp('replay.text') if $? >> 8 != 1;
	}
	return @wrong;
}

sub ids { return join ' ', sort map { $_->{id} } @_ }

sub suppress {
	my ($file, @ids) = @_;
	open my $f, '>', $file or die "$file: $!\n";
	print $f "[known]\nkind = *\nid = $_\n" for @ids;
	close $f;
}

for my $seed ($first .. $first + $count - 1) {
	unless (holds(build($seed), "seed $seed: is built", slurp('cc.out'))) { next }
	my ($recover, @bugs) = planted();
	my ($result, $status) = check($recover, '--jobs', 2);
	unless (holds($result, "seed $seed: there is a result", slurp('err'))) { next }
	my @found = bugs_in($result);
	my @wrong = (compare(\@found, \@bugs), replayed(\@found));

	push @wrong, "exit $status" if $status != 1;
	push @wrong, 'not complete' unless $result->{complete};
	holds(!@wrong, "seed $seed: " . join(', ', map { $_->{kind} } @bugs), @wrong);

	my $jobs = (1, 5)[$seed % 2];
	my ($other) = check($recover, '--jobs', $jobs);
	holds($other && ids(bugs_in($other)) eq ids(@found), "seed $seed: the same with $jobs jobs");

	# The first one that is suppressed takes none of the others with it.
	my ($gone, @left) = @found;
	suppress('known', $gone ? $gone->{id} : ());
	my ($rest, $then) = check($recover, '--suppress', 'known');
	holds($rest && ids(bugs_in($rest)) eq ids(@left) && $then == (@left ? 1 : 0), "seed $seed: without the first one",
		$rest ? ids(bugs_in($rest)) . " instead of " . ids(@left) . ", exit $then" : slurp('err'));

	# What a cut run says is true as far as it goes: nothing that is not there, and what is confirmed is replayed.
	my ($cut) = check($recover, $seed % 3 ? ('--random', 5 + $seed % 20) : ('--time-limit', '20ms'));
	my @some = $cut ? grep { $_->{confirmed} } bugs_in($cut) : ();
	my @untrue = map { describe($_) } grep { my $f = $_; !grep { mentions($f, $_->{verifier}) } @bugs } @some;
	holds($cut && !@untrue, "seed $seed: a cut run reports nothing that is not there", @untrue);
	holds($cut && !($cut->{complete} && $seed % 3), "seed $seed: and says that it was cut");
	my @lost = replayed(\@some);
	holds(!@lost, "seed $seed: what it calls confirmed is replayed", @lost);
}
done_testing();

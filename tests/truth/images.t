#!/usr/bin/env perl
# Random programs and recoveries that are their own judge (images.pl and images.h; files.pl and files.h): perdure finds a failure exactly where
# some image that the model allows makes recovery fail, for each exit status by itself; what it finds is confirmed and
# replayed; and the image that a replay writes is one of those, on which recovery fails in the same way.
#
# IMAGES_FIRST and IMAGES_COUNT say which seeds. A failure prints the seed: the same program is made of it again.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use Cwd qw(abs_path);

my $here = abs_path(dirname($0));
my $perdure = $ENV{PERDURE} // "$here/../../build/perdure";
my @more = $ENV{IMAGES_COUNT} ? map { ($ENV{IMAGES_FIRST} // 1) + $_ } 0 .. $ENV{IMAGES_COUNT} - 1 : ();
my @programs = @more ? map { (['images', $_], ['files', $_]) } @more :
	((map { ['images', $_] } 1 .. 8), map { ['files', $_] } 1 .. 6);
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";

sub slurp {
	my ($file) = @_;
	local $/;
	open my $f, '<', $file or return '';
	return scalar <$f>;
}

# ---- running ----

sub build {
	my ($level) = @_;
	my $flags = "-w -fno-strict-aliasing -mclwb -mclflushopt -I$here";
	return system("clang-19 -O1 $flags -DNAIVE -o judge prog.c >cc.out 2>&1") == 0 &&
		system("$perdure cc -g $level $flags -o prog prog.c >cc.out 2>&1") == 0;
}

# How recovery ends, by status: how often after one crash, and after the second one. Nothing: too many images.
sub judged {
	my @lines = `./judge first`;
	return $? ? () : map { /^(\d+) (\d+) (\d+)$/ ? ($1 => [$2, $3]) : () } @lines;
}

sub check {
	my (@options) = @_;
	unlink 'a.json';
	system("timeout 100 $perdure check --out out --pm '*.pm' --json a.json --recover './prog x.pm recover' --no-torn " .
		"@options -- ./prog x.pm >text 2>&1 </dev/null");
	return (scalar eval { decode_json(slurp('a.json')) }, $? >> 8);
}

# ---- judging ----

sub status_of {
	my ($finding) = @_;
	return $finding->{message} =~ /exits with status (\d+)/ ? $1 : -1;
}

# What is wrong with a finding, where these statuses are possible.
sub wrong_with {
	my ($f, $possible, $one_file) = @_;
	my $status = status_of($f);
	my @wrong;
	push @wrong, 'is not possible' unless $possible->{$status};
	push @wrong, 'is not confirmed' unless $f->{confirmed};
	unlink 'image', glob('image.*');
	system("$perdure replay --out out --image image $f->{id} >replay.text 2>&1");
	push @wrong, 'is not replayed: ' . slurp('replay.text') if $? >> 8 != 1;
	if ($one_file) {
		my $said = `./judge first image`;
		push @wrong, "left an image that is: $said" unless $said eq "possible $status\n";
	}
	return map { "$f->{message}: $_" } @wrong;
}

# Each status that is possible is found where it is the only one that counts as a failure.
sub missing {
	my ($possible, @options) = @_;
	my @wrong;
	for my $status (sort keys %$possible) {
		my $others = join ',', 0, grep { $_ != $status } keys %$possible;
		my ($result, $exit) = check(@options, '--ok-exit', $others);
		push @wrong, "status $status alone: exit $exit" unless $exit == 1;
		push @wrong, map { "status $status alone: $_->{message}" } grep { status_of($_) != $status } @{$result->{findings} // []};
	}
	return @wrong;
}

for (@programs) {
	my ($kind, $seed) = @$_;
	system('perl', "$here/$kind.pl", $seed, '.') == 0 or die "$kind.pl fails\n";
	my ($model, $level, $crashes) = slurp('prog.c') =~ /model (\w+), level (\S+), crashes (\d)/;
	build($level) or do { ok(0, "$kind $seed: is built"); diag(slurp('cc.out')); next };
	unlink glob '*.pm';
	system('cp first x.pm') if $kind eq 'images';
	my %judged = judged();
	next unless %judged;
	my %possible = map { $_ => 1 } grep { $_ && ($judged{$_}[0] || ($crashes == 2 && $judged{$_}[1])) } keys %judged;
	my @options = ('--model', $model, '--crashes', $crashes, '--jobs', 1 + $seed % 2, $seed % 5 ? () : '--no-incremental');
	my ($result, $exit) = check(@options);
	my $nothing = $result && !$result->{complete} && slurp('text') =~ /nothing was tested/;
	my @wrong = %possible ? () : map { "$_->{message}" } @{$result->{findings} // []};

	push @wrong, "exit $exit" unless $exit == (%possible ? 1 : 0) || ($nothing && !%possible && $exit == 3);
	push @wrong, 'is not complete' unless $result && ($result->{complete} || $nothing);
	push @wrong, map { wrong_with($_, \%possible, $kind eq 'images' && $crashes == 1) } @{$result->{findings} // []};
	push @wrong, missing(\%possible, @options) if keys %possible > 1;
	ok(!@wrong, "$kind $seed: $model $level, " . keys(%possible) . ' ways to fail') || diag(join "\n", @wrong);
}
done_testing();

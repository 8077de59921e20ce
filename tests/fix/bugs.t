#!/usr/bin/perl
# bugs.t - perdure fix on the corpus: where the cause is a flush, a fence, an order or an atomic, a patch is made and
# verified; elsewhere none is made. What is otherwise is listed in `exceptions`, with the reason. TAP.
#
#	tests/fix/bugs.t [SLUG...]     those cases; else every sixteenth that is quick, others with each commit
#
# With PERDURE_THOROUGH=1 all of them. Each is a project of its own: the case and the headers that it includes.
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5;
use File::Basename;
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use JSON::PP;
use Test::More;

my $top = abs_path(dirname($0) . '/../..');
my $build = $ENV{PERDURE_BUILD} || "$top/build";
my $perdure = $ENV{PERDURE} || "$build/perdure";
my $work = "$build/tests/fix";
my @slugs = @ARGV;

$ENV{TMPDIR} = "$work/tmp.$$";
delete $ENV{PERDURE_AUDIT}; # the corpus's own test has that
make_path($ENV{TMPDIR});
if (!@slugs) {
	my $turn = `git -C $top rev-list --count HEAD 2>/dev/null` || 0;
	@slugs = map { basename(dirname($_)) } sort glob("$top/bugs/*/expect");
	if (!$ENV{PERDURE_THOROUGH}) {
		@slugs = grep { !/^(linear|explore)-/ } @slugs;
		@slugs = @slugs[grep { ($_ + $turn) % 16 == 0 } 0 .. $#slugs];
	}
}

sub slurp {
	my ($path) = @_;
	open(my $f, '<', $path) or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

# SLUG VERB KIND STATUS REASON
my %exception;
for (split /\n/, slurp("$top/tests/fix/exceptions")) {
	next if /^(#|$)/;
	my ($slug, $verb, $kind, $status, $why) = split ' ', $_, 5;
	die "exceptions: '$_' has no reason\n" unless $why;
	$exception{"$slug $verb $kind"}{$status} = 1;
}

# What a patch is expected for, by what the result says. The code that decides is src/finding/remedy.c.
sub is_fixable {
	my ($f) = @_;
	my $facts = $f->{facts} || {};
	my $fix = $facts->{fix} // '';

	if ($f->{kind} =~ m{^(crash|linear)/}) {
		return ($f->{cause} // '') =~ /^(missing-flush|missing-fence|wrong-flush-target|order|store-buffer)$/;
	}
	return $fix =~ /^(persist-immediately|persist-in-lock|keep-lock)$/ if $f->{kind} =~ m{^lockset/};
	if ($f->{kind} =~ m{^torn/(split-)?store$}) {
		return ($facts->{store_is} // '') eq 'plain' && !$facts->{bit_field} && !$facts->{read_in_part}
			&& ($facts->{stores} // 1) == 1;
	}
	return 1 if $f->{kind} =~ m{^lint/(missing-flush|missing-fence|overwritten-unpersisted)$} && $fix ne 'reach';
	return $f->{kind} =~ m{^lint/extra-(flush|fence)$} && $fix eq 'leave-out' && $facts->{needless} == $facts->{times}
		&& !$facts->{for_others};
}

# What may help, and is written only if it does.
sub is_tried {
	my ($f) = @_;
	return 1 if $f->{kind} eq 'linear/visible-not-durable' && ($f->{cause} // '') eq 'order';
	return 1 if $f->{kind} eq 'torn/block-store' || ($f->{facts}{store_is} // '') eq 'constructed';
	return $f->{kind} eq 'lockset/persistent-race' && ($f->{facts}{fix} // '') eq 'one-lock';
}

sub sums {
	my ($dir) = @_;
	return join ' ', map { Digest::MD5::md5_hex(slurp($_)) } sort glob("$dir/*.h $dir/case/case.c*");
}

sub try_finding {
	my ($slug, $verb, $dir, $out, $command, $f) = @_;
	my $name = "$slug: $verb: $f->{kind}" . ($f->{cause} ? " ($f->{cause})" : '');
	my $before = sums(dirname($dir));
	my $said = `cd $dir && $perdure fix --out $out --build '$command' $f->{id} 2>&1 >$f->{id}.diff`;
	my $status = $? >> 8;
	my $expected = $exception{"$slug $verb $f->{kind}"} || (is_tried($f) ? {0 => 1, 1 => 1, 3 => 1} : {(is_fixable($f) ? 0 : 3) => 1});
	my @why = ("cd $dir && $perdure fix --out $out --build '$command' $f->{id}", $said);

	ok($expected->{$status}, "$name: " . ($status == 0 ? 'a patch, verified' : $status == 3 ? 'no patch' : 'not verified'))
		or diag(join "\n", 'expected status ' . join(' or ', keys %$expected) . ", not $status", @why);
	is(sums(dirname($dir)), $before, "$name: nothing is changed");
	like($said, qr/^verified: the failure is gone, and nothing new/m, "$name: says so") if $status == 0;
	like($said, qr/^(no patch|not verified): ./m, "$name: says why not") if $status == 3 || $status == 1;
	my $applied = `cd $dir && patch -p1 --dry-run <$f->{id}.diff 2>&1`;
	is($?, 0, "$name: the patch applies") or diag($applied) if $status < 2 && -s "$dir/$f->{id}.diff";
	is(-s "$dir/$f->{id}.diff", 0, "$name: nothing on stdout") if $status == 3 || ($status == 1 && is_tried($f));
}

sub try_case {
	my ($slug) = @_;
	my $expect = slurp("$top/bugs/$slug/expect");
	my ($source) = grep { -e } "$top/bugs/$slug/case.c", "$top/bugs/$slug/case.cc";
	my ($flags) = $expect =~ /^flags:\s*(.*)$/m;
	my $dir = "$work/$slug/case";
	my $cc = $source =~ /\.cc$/ ? 'c++' : 'cc';
	my $command = "$perdure $cc -g -O1 -w -pthread -I$top/include -DFIXED=0 -o case " . basename($source) . ' ' . ($flags // '');
	my ($n, $some) = (0, 0);

	return if $expect =~ /^uses:/m; # a library of the tests' own, with what PMDK announces
	remove_tree("$work/$slug");
	make_path($dir);
	copy($_, "$work/$slug") for glob("$top/bugs/*.h");
	copy($_, $dir) for grep { !/expect$/ } glob("$top/bugs/$slug/*");
	if (system("cd $dir && $command >build.log 2>&1") != 0) {
		fail("$slug: builds");
		diag(slurp("$dir/build.log"));
		return;
	}
	while ($expect =~ /^run:\s*(\S+)\s+(.*?)\s*$/mg) {
		my ($verb, $words, $out) = ($1, join(' ', map { "'$_'" } split ' ', $2), 'out' . ++$n);

		next if $verb eq 'linear' && !$ENV{PERDURE_THOROUGH} && !@ARGV;
		unlink glob("$dir/*.pm");
		system("cd $dir && $perdure $verb -q --out $out $words >$out.log 2>&1 </dev/null");
		next unless -e "$dir/$out/result.json"; # what is not built for it, or has nothing to judge
		for my $f (@{decode_json(slurp("$dir/$out/result.json"))->{findings}}) {
			next if $f->{severity} eq 'note';
			try_finding($slug, $verb, $dir, $out, $command, $f);
			$some = 1;
		}
	}
	ok($some, "$slug: has findings") if $expect =~ /^buggy:\s*must /m; # some have notes only
}

try_case($_) for @slugs;
is(join(' ', glob("$ENV{TMPDIR}/*")), '', 'no copy is left behind');
rmdir $ENV{TMPDIR};
done_testing();

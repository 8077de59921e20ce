#!/usr/bin/perl
# Threads that wait for futexes in the code of a library that is not instrumented, and inside libc.
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use File::Temp 'tempdir';
use Test::More;

my $src = abs_path($0) =~ s{[^/]*$}{}r;
my $build = abs_path($ENV{PERDURE_BUILD} || 'build');
my $perdure = "$build/perdure";
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
$ENV{LC_ALL} = 'C';

# Far above what it takes: without the trap the program waits for ever.
sub run {
	my ($cmd, $redirected) = @_;
	my $out = `timeout 120 $cmd @{[$redirected // '2>&1']}`;
	return ($? >> 8, $out);
}

my $link = "-I$src -L. -lrawlib -Wl,-rpath,$dir -pthread";
is(system("cc -O2 -shared -fPIC $src/rawlib.c -o librawlib.so"), 0, 'the library compiles, not instrumented');
is(system("$perdure cc -O2 -w $src/rawuse.c -o rawuse $link"), 0, 'the program compiles');
is(system("$perdure cc -O2 -w -DBUG $src/rawuse.c -o wrong $link"), 0, 'a wrong one too');
is(system("cc -O2 -w $src/noseccomp.c -o noseccomp"), 0, 'a launcher');

# ---- alone -----------------------------------------------------------------------------------

my ($status, $alone) = run("./rawuse a.pm 4 5 'exit 3'");
is($status, 0, 'alone it ends well');
my $said = "timeout 1\ncount 20 text " . '.' x 20 . "\n";
is($alone, "${said}child 7 system 768\n", 'and says so');

# ---- traced ----------------------------------------------------------------------------------

my %schedule;
for my $how ('default', 'random', 'pct') {
	for my $seed (1 .. 6) {
		my $cmd = "$perdure trace --schedule $how --seed $seed --pm b.pm -- ./rawuse b.pm 4 5";
		my @runs = map { [run($cmd, ">t$_ 2>e$_")] } 1, 2;
		is_deeply([$runs[0][0], $runs[1][0]], [0, 0], "$how, seed $seed: ends well");
		is(`cat t1`, `cat t2`, "$how, seed $seed: the same events twice") or diag(`diff t1 t2 | head -5`);
		is(`cat e1`, $said, "$how, seed $seed: says what it does alone");
		$schedule{$how}{`cat t1`}++ if -s 't1';
	}
}
# Its children have the filter, too, and no handler.
($status, my $children) = run("$perdure trace --pm b.pm -- ./rawuse b.pm 4 5 'exit 3'", '2>&1 >/dev/null');
is(join('', grep { !/^perdure: loss/ } split /^/, $children), $alone, 'a child, and another program');
is($status, 3, 'which are losses');
($status, $children) = run("$perdure trace --pm b.pm -- ./rawuse b.pm 1 1 "
	. "'for i in 1 2 3 4 5; do ./rawuse f.pm 8 7 >/dev/null || exit 9; done'", '2>&1 >/dev/null');
like($children, qr/system 0$/m, 'another program with threads that wait');
is(scalar(keys %{$schedule{default}}), 1, 'one default schedule');
cmp_ok(scalar(keys %{$schedule{random}}), '>', 4, 'different seeds are different schedules');
ok(!-e 'b.pm', 'no file is left');

# ---- checked: snapshots while threads wait ---------------------------------------------------

($status, my $out) = run("$perdure check --pm c.pm -- ./rawuse c.pm 3 2");
is($status, 0, 'check: clean') or diag($out);
like($out, qr/: clean for \d+ schedules\. Explored all/, 'and complete');
my ($points) = $out =~ /all (\d+) crash points/;
cmp_ok($points // 0, '>=', 12, 'with crash points while others wait');
($status, $out) = run("$perdure check --schedules 6 --pm c.pm -- ./rawuse c.pm 3 2");
is($status, 0, 'check: clean in six schedules') or diag($out);
($status, $out) = run("$perdure check --pm c.pm -- ./wrong c.pm 3 2");
is($status, 1, 'check: the wrong one is found') or diag($out);
like($out, qr/rawuse\.c/, 'with its place');

# ---- a lock that is never given back ---------------------------------------------------------

($status, $out) = run("$perdure trace --pm d.pm -- ./rawuse d.pm 2 1 stuck");
isnt($status, 124, 'a deadlock of raw futexes is no hang');
like($out, qr/deadlock/i, 'but told as what it is') or diag($out);

# ---- where seccomp is not permitted ----------------------------------------------------------

($status, $out) = run("./noseccomp $perdure trace --pm e.pm -- ./rawuse e.pm 0 0", "2>&1 >/dev/null");
is($status, 0, 'without seccomp, a program without threads is as ever');
unlike($out, qr/loss/, 'and loses nothing');
($status, $out) = run("./noseccomp $perdure trace --pm e.pm -- ./rawuse e.pm 1 0", "2>&1 >/dev/null");
like($out, qr/loss: system-call: seccomp is not permitted: .*librawlib\.so/, 'with threads, the library is named')
	or diag($out);
# The bytes of a system call are in the middle of other instructions, too, so: 0f 05 without the number.
open(my $f, '>', 'chance.c') or die;
print $f "__attribute__((section(\".text\"))) const char chance[] = \"\\x0f\\x05\\xc3\";\n";
close($f);
is(system("cc -O2 -shared -fPIC -w chance.c -o libchance.so"), 0, 'a library with such bytes compiles');
is(system("$perdure cc -O2 -w $src/rawuse.c -o chance -L. -Wl,--no-as-needed -lchance $link"), 0, 'and its program');
($status, $out) = run("./noseccomp $perdure trace --pm e.pm -- ./chance e.pm 1 0", "2>&1 >/dev/null");
like($out, qr/librawlib\.so/, 'the library that waits is named') or diag($out);
unlike($out, qr/libchance|the program/, 'and nothing else') or diag($out);

done_testing();

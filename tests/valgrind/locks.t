#!/usr/bin/perl
# What orders threads, in an ordinary program: the events that locks.c names at its lines; the lives of
# threads; and the same in a static program, where functions are known by their names.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

my $dir = $0 =~ s{[^/]*$}{}r;
my $build = $ENV{PERDURE_BUILD} || 'build';
my $tmp = tempdir(CLEANUP => 1);

sub lines {
	open my $f, '<', shift or die;
	return <$f>;
}

my @source = lines("${dir}locks.c");

# kind:name at each line becomes kind:address; the same name must be the same address.
sub check {
	my ($options, $skip) = @_;
	my (%got, %address, @threads, @inside);

	is(system("gcc -g -O1 -pthread $options -o $tmp/locks ${dir}locks.c"), 0, "$options compiles") or return;
	for (`$build/perdure trace --pm '*.pm' $tmp/locks $tmp/x.pm 2>$tmp/err`) {
		push @threads, "$1 $2 " . ($3 // '') if /^T(\d+)\s+thread-(create|begin|end|join)\s*(T\d+)?/;
		my ($kind, $object, $shared) = /^T\d+\s+(acquire|release|signal|wait)\s+(\S+) \d+( shared)?/ or next;
		my ($line) = /locks\.c:(\d+)/;
		# C11's call the others: the place is inside.
		($line) = grep { $source[$_ - 1] =~ /^\s$1\(/ } 1 .. @source if !$line && / (mtx_(?:un)?lock)/;
		push @inside, "$kind $object" unless $line;
		next unless $line;
		push @{$got{$line}}, [$shared ? 'shared' : $kind, $object];
	}
	is($?, 0, "$options runs") or diag(lines("$tmp/err"));
	for my $n (1 .. @source) {
		next unless $source[$n - 1] =~ m{//= ?(.*)};
		my $want = $1;
		my ($text) = $source[$n - 1] =~ /^\s*(.*?;)/;
		my @want = map { [split /:/] } split ' ', $want;
		next if $skip && $text =~ $skip;
		# Whether the first thread waits at all is the scheduler's affair.
		next if $text =~ /cond_wait/ && !$got{$n};
		my @have = @{$got{$n} // []};
		is(join(' ', map { $_->[0] } @have), join(' ', map { $_->[0] } @want), "$options $text");
		for my $i (0 .. $#want) {
			my ($name, $at) = ($want[$i][1], $have[$i] ? $have[$i][1] : '?');
			$address{$name} //= $at;
			is($at, $address{$name}, "$options $text: $name") if $at ne $address{$name};
		}
	}
	my %distinct = map { $_ => 1 } values %address;
	is(keys %distinct, keys %address, "$options: different objects are different");
	is($address{pm}, 'x.pm+0x80', "$options: a lock in PM") unless $skip;
	# Where the function ends, inside of libc: whoever waits for it may go on before pthread_once returns.
	is(scalar(grep { $_ eq "signal $address{once}" } @inside), 1, "$options: what is done once lets others go")
		unless $skip;
	is(join(', ', sort grep { !/ (join|create)/ } @threads),
		'1 begin T0, 1 end , 2 begin T0, 2 end ', "$options: threads begin and end");
	is(join(', ', grep { / create/ } @threads), '0 create T1, 0 create T2', "$options: and are made");
	return join(', ', grep { / join/ } @threads);
}

# Ways into and out of locks that are not a call and a return: the same events, once each.
sub check_hooks {
	my $options = shift;
	my @source = lines("${dir}hooks.c");
	my (%got, %address);

	is(system("gcc -g $options -pthread -o $tmp/hooks ${dir}hooks.c"), 0, "hooks.c $options compiles") or return;
	for (`$build/perdure trace --pm '*.pm' $tmp/hooks $tmp/x.pm 2>$tmp/err`) {
		push @{$got{$3}}, "$1:$2" if /^T\d+\s+(acquire|release|wait)\s+(\S+) \d.*?hooks\.c:(\d+)/;
	}
	is($?, 0, "hooks.c $options runs") or diag(lines("$tmp/err"));
	for my $n (1 .. @source) {
		my ($text, $want) = $source[$n - 1] =~ m{^\s*(.*?;).*//= (.*)} or next;
		my ($name) = $want =~ /:(\w+)/;
		$address{$name} //= (($got{$n} // ['?:?'])->[0] =~ /:(.*)/)[0];
		is(join(' ', @{delete $got{$n} // []}), $want =~ s/:\w+/:$address{$name}/gr, "$options $text");
	}
	is(join(' ', sort keys %got), '', "$options: nothing else");
}

is(check(''), '0 join T1, 0 join T2', 'and are joined');
# By name: calls inside of libc, and waits with a limit or for a thread, are not known.
check('-static', qr/once|cond_wait|timed|mtx|128/);
check_hooks($_) for '-O0', '-O2';
done_testing();

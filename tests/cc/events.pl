# Compares what two builds of a program tell: everything but plain loads is the same, one by one. A load
# may be missing where its bytes were loaded or stored before, with nothing in between that may have changed
# them or waited; it may come sooner, but not before such an event; none is new.
use strict;
use warnings;

sub slurp {
	open my $f, '<', shift or return '';
	local $/;
	return <$f> // '';
}

sub first_difference {
	my ($got, $want) = map { [split /\n/] } @_;
	for my $i (0 .. ($#$got > $#$want ? $#$got : $#$want)) {
		my ($g, $w) = ($got->[$i] // 'nothing', $want->[$i] // 'nothing');
		return "line $i: got '$g', expected '$w'" if $g ne $w;
	}
	return '';
}

sub is_load { return $_[0] =~ /^\d+ loadb?@[^!]*(!f)?$/ }

sub other_events {
	return join '', map { "$_\n" } grep { !is_load($_) } split /\n/, shift;
}

# The bytes of PM that an event reads or writes.
sub bytes {
	my ($at, $n) = $_[0] =~ /^\d+ \w+@([0-9a-f]+)\+(\d+)/ or return;
	return hex($at) .. hex($at) + $n - 1;
}

# For each load: what it says, the number of other events before it, and that of the one since which its
# bytes are what they are.
sub loads {
	my (@loads, %written);
	my ($others, $ended) = (0, 0);
	for (split /\n/, shift) {
		if (is_load($_)) {
			my @bytes = bytes($_);
			my %l = (text => $_, bytes => \@bytes, before => $others, since => $ended, stored => 1);
			for (@bytes) {
				my $w = $written{$_} // 0;
				$l{stored} &&= $w > $ended;
				$l{since} = $w if $w > $l{since};
			}
			push @loads, \%l;
			next;
		}
		$others++;
		if (/^\d+ (storeb?|memcpy|memmove|memset)@[^!]*(![bf]+)?$/) {
			$written{$_} = $others for bytes($_);
		} else {
			$ended = $others;
		}
	}
	return @loads;
}

# The first thing that is wrong with what the optimised program tells, or nothing.
sub difference {
	my ($got, $want) = @_;
	my $other = first_difference(other_events($got), other_events($want));
	return "events but loads: $other" if $other;
	my (%there, %known);
	$there{"$_->{text} since $_->{since}"}++ for loads($want);
	for my $l (loads($got)) {
		return "'$l->{text}' is not told without optimisation" if $there{"$l->{text} since $l->{since}"}-- <= 0;
		for (@{$l->{bytes}}) { $known{"$_ since $l->{since}"} //= $l->{before} }
	}
	for my $l (loads($want)) {
		next if $l->{stored};
		for (@{$l->{bytes}}) {
			my $at = $known{"$_ since $l->{since}"};
			return "'$l->{text}' is lost" if !defined $at || $at > $l->{before};
		}
	}
	return '';
}

1;

#!/usr/bin/perl
# Follows the guides (docs/guide) step by step: each command that one shows is run, and prints what the guide says.
#
# A command is a line of a code block (four blanks) that begins with '$ '. What follows it in the block is its output: each line in this
# order, '...' for anything in a line, and a line '...' for any lines. A command without output must succeed. Lines that the guide does
# not show in between are a failure, but for those at the end.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename;
use File::Temp 'tempdir';
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $perdure = $ENV{PERDURE} || "$top/build/perdure";
$ENV{PATH} = dirname($perdure) . ":$ENV{PATH}";
my $examples = $ENV{PERDURE_EXAMPLES} || "$top/examples";
delete $ENV{$_} for grep { /^PERDURE_(?!AUDIT)/ } keys %ENV;

# Of a guide: [line, command, wanted lines...]
sub commands {
	my ($file) = @_;
	my @found;
	open my $f, '<', $file or die "$file: $!";
	while (<$f>) {
		chomp;
		if (/^ {4}\$ (.*)/) { push @found, [$., $1] }
		elsif (/^ {4}(.*)/ && @found && $found[-1][0] + @{$found[-1]} - 1 == $.) { push @{$found[-1]}, $1 }
	}
	return @found;
}

sub pattern {
	my $text = '';
	for (@_) {
		$text .= $_ eq '...' ? '(?:.*\n)*?' : join('.*?', map { quotemeta } split /\.\.\./, $_, -1) . '[^\n]*\n';
	}
	return qr/^$text/;
}

for my $guide (@ARGV ? @ARGV : glob "$top/docs/guide/*.md") {
	my $dir = tempdir(CLEANUP => 1);
	chdir $dir or die;
	for (commands($guide)) {
		my ($line, $command, @want) = @$_;
		my $run = $command =~ s{/usr/share/doc/perdure/examples}{$examples}gr;
		open my $f, '>', 'command' or die;
		print $f "$run\n";
		close $f;
		my $said = `sh ./command 2>err </dev/null`;
		my $status = $? >> 8;
		# The program's own output goes to stderr, where it stays unless nothing else is wanted.
		my $well = @want ? $said =~ pattern(@want) : $status == 0;
		ok($well, basename($guide) . ":$line: $command")
			or diag("status $status\n$said" . (-s 'err' ? `cat err` : '') . (@want ? "--- wanted\n" . join("\n", @want) : ''));
	}
}
chdir '/';
done_testing();

# A Chromium without a window, driven over its debugging pipe: commands and events are JSON, ended by NUL.
package Browser;
use strict;
use warnings;
use JSON::PP;
use POSIX ();
use File::Temp qw(tempdir);
use Time::HiRes qw(time);

my $json = JSON::PP->new->utf8->allow_nonref;

# As root, or where the kernel allows no user namespaces, Chromium runs only without its sandbox; it opens nothing but our own files.
sub start {
	my ($class) = @_;
	my $profile = tempdir(CLEANUP => 1);
	my @command = ('chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
		'--disable-extensions', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--password-store=basic',
		"--user-data-dir=$profile", '--remote-debugging-pipe', 'about:blank');
	pipe(my $in, my $to) && pipe(my $from, my $out) or die "pipe: $!\n";
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		# Away from 3 and 4 first, so that neither is closed by the other's move.
		my $ki = POSIX::dup(fileno($in));
		my $ko = POSIX::dup(fileno($out));
		$ki = POSIX::dup($ki) while $ki < 5;
		$ko = POSIX::dup($ko) while $ko < 5;
		POSIX::dup2($ki, 3);
		POSIX::dup2($ko, 4);
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$profile/log");
		open(STDERR, '>&', \*STDOUT);
		exec @command or POSIX::_exit(127);
	}
	close $in;
	close $out;
	my $self = bless {pid => $pid, to => $to, from => $from, buffer => '', id => 0, events => [], profile => $profile}, $class;
	my ($target) = grep { $_->{type} eq 'page' } @{$self->call('Target.getTargets')->{targetInfos}};
	$self->{session} = $self->call('Target.attachToTarget', {targetId => $target->{targetId}, flatten => JSON::PP::true})->{sessionId};
	$self->call("$_.enable") for qw(Page Runtime Network Log);
	return $self;
}

sub stop {
	my ($self) = @_;
	eval { $self->call('Browser.close') };
	close $self->{to};
	waitpid $self->{pid}, 0;
}

sub receive {
	my ($self, $until) = @_;
	while ($self->{buffer} !~ /\0/) {
		my $left = $until - time;
		vec(my $bits = '', fileno($self->{from}), 1) = 1;
		die "the browser does not answer; its log:\n" . $self->log if $left <= 0 || !select($bits, undef, undef, $left);
		sysread($self->{from}, $self->{buffer}, 1 << 16, length $self->{buffer}) or die "the browser ended; its log:\n" . $self->log;
	}
	$self->{buffer} =~ s/^(.*?)\0//s;
	return $json->decode($1);
}

sub log {
	my ($self) = @_;
	open(my $f, '<', "$self->{profile}/log") or return '';
	local $/;
	return scalar <$f>;
}

sub call {
	my ($self, $method, $params) = @_;
	my $id = ++$self->{id};
	my $text = $json->encode({id => $id, method => $method, params => $params // {}, $self->{session} ? (sessionId => $self->{session}) : ()}) . "\0";
	for (my $n = 0; $n < length $text;) { $n += syswrite($self->{to}, $text, length($text) - $n, $n) // die "the browser ended\n" . $self->log }
	while (1) {
		my $m = $self->receive(time + 60);
		if (($m->{id} // 0) == $id) {
			die "$method: $m->{error}{message}\n" if $m->{error};
			return $m->{result};
		}
		push @{$self->{events}}, $m if $m->{method};
	}
}

sub wait_for {
	my ($self, $event) = @_;
	my $until = time + 60;
	until (grep { $_->{method} eq $event } @{$self->{events}}) { push @{$self->{events}}, $self->receive($until) }
}

# Events since the last navigation.
sub events {
	my ($self, $method) = @_;
	return grep { $_->{method} eq $method } @{$self->{events}};
}

sub open_page {
	my ($self, $url) = @_;
	for my $to ('about:blank', $url) {
		$self->{events} = [];
		$self->call('Page.navigate', {url => $to});
		$self->wait_for('Page.loadEventFired');
	}
}

# The value of an expression, which may be a promise.
sub ask {
	my ($self, $expression) = @_;
	my $r = $self->call('Runtime.evaluate', {expression => $expression, returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true});
	die 'in the page: ' . ($r->{exceptionDetails}{exception}{description} // $r->{exceptionDetails}{text}) . "\n" if $r->{exceptionDetails};
	return $r->{result}{value};
}

# Whether it becomes true, in time: the page looks after each frame.
sub becomes {
	my ($self, $expression) = @_;
	return $self->ask("new Promise((done) => { const end = performance.now() + 20000; const look = () => ($expression) ? done(true) : performance.now() > end ? done(false) : requestAnimationFrame(look); look(); })");
}

# Goes to a part of the page, and waits until it is there.
sub go {
	my ($self, $part) = @_;
	$self->ask("new Promise((done) => { addEventListener('hashchange', () => setTimeout(done), { once: true }); location.hash = '$part'; })");
}

sub size {
	my ($self, $width, $height) = @_;
	$self->call('Emulation.setDeviceMetricsOverride', {width => $width, height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false});
}

sub scheme {
	my ($self, $scheme) = @_;
	$self->call('Emulation.setEmulatedMedia', {features => [{name => 'prefers-color-scheme', value => $scheme}]});
}

sub press {
	my ($self, $key) = @_;
	my %text = length $key == 1 ? (text => $key) : ();
	$self->call('Input.dispatchKeyEvent', {type => 'keyDown', key => $key, %text});
	$self->call('Input.dispatchKeyEvent', {type => 'keyUp', key => $key});
}

# The middle of an element.
sub middle {
	my ($self, $selector) = @_;
	my $quoted = $json->encode($selector);
	my $at = $self->ask("(() => { const e = document.querySelector($quoted); if (!e) return null; e.scrollIntoView({block: 'center', inline: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()");
	die "nothing is $selector\n" if !$at;
	return (x => $at->[0], y => $at->[1]);
}

sub hover {
	my ($self, $selector) = @_;
	$self->call('Input.dispatchMouseEvent', {type => 'mouseMoved', $self->middle($selector)});
}

sub click {
	my ($self, $selector) = @_;
	my %at = $self->middle($selector);
	$self->call('Input.dispatchMouseEvent', {type => $_, %at, button => 'left', clickCount => 1}) for qw(mousePressed mouseReleased);
}

sub screenshot {
	my ($self, $path) = @_;
	require MIME::Base64;
	open(my $f, '>:raw', $path) or die "$path: $!\n";
	print $f MIME::Base64::decode_base64($self->call('Page.captureScreenshot', {format => 'png'})->{data});
	close $f;
}

1;

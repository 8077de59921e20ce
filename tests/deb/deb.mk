# The package in an empty Debian: as root, with Debian's archive at hand. DEB_SUITE=trixie for one that was built there.
.PHONY: check-deb
check-deb: deb
	tools/deps debootstrap lintian
	prove --exec '' tests/deb/package
	prove --exec '' tests/deb/install :: $B/perdure_$(VERSION)_amd64.deb $(DEB_SUITE)

#!/bin/sh
# Tests gctune on the source of a real Ruby: constants are found in it, compiled
# into copies of it, measured, and given back as a patch.
#
#   scripts/source.sh
#
# The source is that of this machine's own ruby package (ruby3.1 on Debian 12),
# which apt fetches into the user's cache under gctune/source at first use. The
# machine's list of package sources stays as it is. On other systems, name an
# unpacked source in GCTUNE_TEST_RUBY_SOURCE, and how it is configured in
# GCTUNE_TEST_RUBY_CONFIGURE where the usual way does not do.
#
# It is built as a whole once in each run, which takes minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gctune/source
log=$cache/log

# What tests do not need is left out, for time. Nothing is ever installed there.
usual='./configure --prefix=/opt/gctune-test-source --disable-install-doc --without-gmp
	--with-out-ext=openssl,readline,psych,fiddle,ripper,syslog,pty,dbm,gdbm
	optflags=-O1 debugflags='

main() {
	[ $# = 0 ] || fail "it takes no arguments"
	mkdir -p "$cache"
	lock
	if [ -z "${GCTUNE_TEST_RUBY_SOURCE:-}" ]; then
		fetch_source
		GCTUNE_TEST_RUBY_SOURCE=$cache/tree
	fi
	export GCTUNE_TEST_RUBY_SOURCE
	export GCTUNE_TEST_RUBY_CONFIGURE="${GCTUNE_TEST_RUBY_CONFIGURE:-$usual}"
	export GCTUNE_TEST_BUILDS="$cache/builds"
	rm -rf "$GCTUNE_TEST_BUILDS" # the first build is to be timed
	echo "== building $GCTUNE_TEST_RUBY_SOURCE" >&2
	run_tests ./harness/ruby/source 'TestRealBuilds/GCTUNE_TEST_RUBY_SOURCE'
	echo "== tuning it" >&2
	run_tests ./cmd/gctune TestRealSource
	rm -rf "$GCTUNE_TEST_BUILDS"
}

fail() {
	echo "source: $*" >&2
	exit 1
}

# Another one may be using the same folders.
lock() {
	exec 9>"$cache/lock"
	flock --nonblock 9 && return
	echo "source: waiting for another one at work in $cache" >&2
	flock 9
}

run_tests() {
	"$root/scripts/go" test -C "$root" -v -count=1 -timeout 60m -run "$2" "$1"
}

# Fetches and unpacks the source. What a killed run has left is made again.
fetch_source() {
	command -v apt-get >/dev/null 2>&1 || by_hand "this is no Debian or Ubuntu"
	package=$(LC_ALL=C apt-cache depends ruby | sed -n 's/^ *Depends: \(ruby[0-9.]*\)$/\1/p' | head -n 1)
	[ -n "$package" ] || by_hand "apt knows no ruby package"
	[ "$(cat "$cache/tree.of" 2>/dev/null)" != "$package" ] || return 0
	need_dpkg_source
	rm -rf "$cache/tree" "$cache/tree.of" "$cache/part" "$log"
	mkdir -p "$cache/part/lists/partial" "$cache/part/apt/archives/partial"
	package_source >"$cache/part/sources.list"
	echo "source: fetching the source of $package" >&2
	# A mirror that has not been renewed for a while will do; signatures still count.
	apt_here update
	apt_here source "$package"
	mv "$cache/part/$package"-*/ "$cache/tree"
	echo "$package" >"$cache/tree.of"
	rm -rf "$cache/part" "$log"
}

by_hand() {
	fail "$1: unpack the source of a Ruby from 2.1 on, as it was released, and name its folder in GCTUNE_TEST_RUBY_SOURCE; a C compiler, make and a ruby must be there"
}

# apt-get with lists and a cache of its own.
apt_here() {
	(cd "$cache/part" && quietly apt-get -q -o Dir::Etc::SourceList="$cache/part/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$cache/part/lists" -o Dir::Cache="$cache/part/apt" \
		-o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@")
}

# Where the release's sources are: at the mirror that its packages come from.
package_source() {
	# shellcheck disable=SC1091 # the machine's own
	. /etc/os-release
	keys=/usr/share/keyrings/$ID-archive-keyring.gpg
	option=
	[ ! -e "$keys" ] || option="[signed-by=$keys] "
	# shellcheck disable=SC2016 # for apt to expand
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		awk -v release="${VERSION_CODENAME:-sid}" -v option="$option" \
			'($1 == release || $1 ~ /^(stable|testing|unstable|sid)$/) && $2 ~ /^(main|universe)$/ { print "deb-src " option $3, $1, $2 }' |
		sort -u
}

need_dpkg_source() {
	command -v dpkg-source >/dev/null 2>&1 && return
	as_root=
	[ "$(id -u)" = 0 ] || as_root=sudo
	# shellcheck disable=SC2086 # no word for root
	quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends dpkg-dev
}

# Runs a command and shows what it printed only when it fails.
quietly() {
	if ! "$@" >>"$log" 2>&1 </dev/null; then
		tail -n 30 "$log" >&2
		fail "failed: $* (all of it is in $log)"
	fi
}

main "$@"

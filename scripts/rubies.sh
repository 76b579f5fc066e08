#!/bin/sh
# Tests gctune on several Rubies: the one on PATH, and those of other releases
# of Debian, each with the Debian that it belongs to in a folder.
#
#   scripts/rubies.sh             all of them
#   scripts/rubies.sh trixie      only that one: here, bullseye, trixie or experimental
#
# Needs Debian, root and the right to mount. The folders are made at first use,
# with debootstrap, in the user's cache under gctune/rubies. One that was left
# unfinished is made again from the packages already fetched. They come from the
# machine's own mirror, or from that in GCTUNE_DEBIAN_MIRROR.
#
# gctune itself runs in the folder (chroot), as on a machine of that release. A
# Ruby started from outside would show itself to be another program: a wrapper,
# or the loader that its libraries need.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gctune/rubies
binary=$cache/gctune.test
recipe=1 # to be raised when what goes into a folder changes
umask 022

main() {
	[ $# -gt 0 ] || set -- here bullseye trixie experimental
	for name; do
		known "$name" || fail "unknown release '$name': use here, bullseye, trixie or experimental"
	done
	mkdir -p "$cache"
	lock
	build_test
	for name; do
		[ "$name" = here ] || make_folder "$name"
	done
	failed=
	for name; do
		echo "== $name" >&2
		run_tests "$name" || failed="$failed $name"
	done
	[ -z "$failed" ] || fail "tests failed on:$failed"
}

fail() {
	echo "rubies: $*" >&2
	exit 1
}

known() {
	case $1 in here | bullseye | trixie | experimental) ;; *) return 1 ;; esac
}

# Another one may be making the same folders. The lock is held by all that this
# script starts, also when the script itself is killed.
lock() {
	exec 9>"$cache/lock"
	flock --nonblock 9 && return
	echo "rubies: waiting for another one at work in $cache" >&2
	flock 9
}

# One binary for all releases: it must not need the C library of this one.
build_test() {
	"$root/scripts/go" test -C "$root" -c -o "$binary" -tags netgo,osusergo,sqlite_omit_load_extension \
		-ldflags '-linkmode external -extldflags -static' ./cmd/gctune
}

# The line of Ruby that is to be found in a folder.
line_of() {
	case $1 in
	bullseye) echo 2.7 ;;
	trixie) echo 3.3 ;;
	experimental) echo 3.4 ;;
	esac
}

# ruby3.4 has no puma: its parser is compiled for the release's own Ruby only.
packages_of() {
	case $1 in
	bullseye) echo ruby puma ;; # WEBrick is part of Ruby 2.7
	trixie) echo ruby ruby-webrick puma ;;
	experimental) echo ruby3.4 ruby-webrick ;;
	esac
}

tests_of() {
	case $1 in
	experimental) echo 'TestInterpreter|TestServersAreTuned/webrick' ;;
	*) echo 'TestInterpreter|TestServersAreTuned/(puma|webrick)' ;;
	esac
}

make_folder() {
	folder=$cache/$1
	[ "$(cat "$folder/recipe" 2>/dev/null)" != "$recipe" ] || return 0
	part=$folder.part
	fetched=$folder.packages
	log=$folder.log
	rm -rf "$folder" "$part" "$log"
	mkdir -p "$fetched"
	need_debootstrap
	mirror=$(mirror)
	echo "rubies: making $folder from $mirror (some 300 MB, a few minutes)" >&2
	suite=$1
	[ "$1" != experimental ] || suite=sid # which it is an addition to
	quietly debootstrap --variant=minbase --force-check-gpg --include=ca-certificates \
		--cache-dir="$fetched" "$suite" "$part" "$mirror"
	install_ruby "$1"
	rm -rf "$part"/usr/share/doc "$part"/usr/share/man "$part"/usr/share/locale "$part"/var/lib/apt/lists
	mkdir -p "$part/gctune"
	echo "$recipe" >"$part/recipe"
	mv "$part" "$folder"
	rm -rf "$fetched" "$log"
}

install_ruby() {
	[ "$1" != experimental ] || echo "deb $mirror experimental main" >>"$part/etc/apt/sources.list"
	trust=/etc/ssl/certs/ca-certificates.crt # with what this machine alone trusts
	[ ! -e $trust ] || cp -L $trust "$part$trust"
	mount --bind "$fetched" "$part/var/cache/apt/archives"
	mount -t proc proc "$part/proc"
	# A mirror that has not been renewed for a while will do; signatures still count.
	in_folder "$part" apt-get -q -o Acquire::Check-Valid-Until=false update
	# shellcheck disable=SC2046 # one word for each package
	in_folder "$part" apt-get -q -y install --no-install-recommends $(packages_of "$1")
	umount "$part/proc" "$part/var/cache/apt/archives"
	[ "$1" != experimental ] || ln -s /usr/bin/ruby3.4 "$part/usr/local/bin/ruby"
}

in_folder() {
	folder_=$1
	shift
	quietly chroot "$folder_" env PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}

need_debootstrap() {
	command -v debootstrap >/dev/null 2>&1 || quietly apt-get -q -y install --no-install-recommends debootstrap
}

# Runs a command and shows what it printed only when it fails.
quietly() {
	if ! "$@" >>"$log" 2>&1 </dev/null; then
		tail -n 30 "$log" >&2
		fail "failed: $* (all of it is in $log)"
	fi
}

# Where this machine has its Debian from, as apt itself reads its sources.
mirror() {
	if [ -n "${GCTUNE_DEBIAN_MIRROR:-}" ]; then
		echo "$GCTUNE_DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC1091 # the machine's own
	release=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-sid}") ||
		fail "this is no Debian: name a mirror of Debian in GCTUNE_DEBIAN_MIRROR"
	# shellcheck disable=SC2016 # for apt to expand
	found=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		awk -v release="$release" '$2 == "main" && ($1 == release || $1 ~ /^(stable|testing|unstable|sid)$/) { print $3; exit }')
	[ -n "$found" ] || fail "the apt sources name no mirror for $release: name one in GCTUNE_DEBIAN_MIRROR"
	echo "$found"
}

run_tests() {
	name=$1
	set -- -test.v -test.count=1 -test.timeout=30m -test.run "$(tests_of "$name")"
	if [ "$name" = here ]; then
		(cd "$root/cmd/gctune" && "$binary" "$@")
		return
	fi
	furnish "$cache/$name" &&
		chroot "$cache/$name" env -i -C /gctune/cmd/gctune HOME=/tmp LANG=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			GCTUNE_TEST_LINE="$(line_of "$name")" /tmp/gctune.test "$@"
}

# Mounts into a folder what a machine has, and the project to read.
furnish() {
	mount -t proc proc "$1/proc" &&
		mount --rbind /dev "$1/dev" &&
		mount --rbind /sys "$1/sys" &&
		mount -t tmpfs tmpfs "$1/tmp" &&
		mount --bind "$root" "$1/gctune" &&
		mount -o remount,bind,ro "$1/gctune" &&
		cp "$binary" "$1/tmp/gctune.test"
}

# Starts this script again with mounts of its own. They end with it, however it
# ends: what is to be removed later never has anything mounted in it.
if [ -z "${GCTUNE_OWN_MOUNTS:-}" ]; then
	[ "$(id -u)" = 0 ] || fail "needs root, for debootstrap, mount and chroot: run it as root, or with sudo"
	GCTUNE_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
fi
unset GCTUNE_OWN_MOUNTS
main "$@"

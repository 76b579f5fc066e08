#!/bin/sh
# Installs what gctune needs and this machine lacks, and nothing else.
#
#   scripts/setup.sh build    a C compiler and Go (for SQLite and the race detector)
#   scripts/setup.sh demo     the same, and what examples/rails runs on
#   scripts/setup.sh test     the same, and the servers and load tools that tests use
#   scripts/setup.sh bench    what build installs, and Optuna for the search benchmark
#
# Says nothing when nothing is missing. Installs on Debian and Ubuntu, as root
# or through sudo; elsewhere it says what to install.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
wanted=$(sed -n 's/^go //p' "$root/go.mod")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gctune
scratch=
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

main() {
	purpose=${1:-test}
	case $purpose in
	build | demo | test | bench) ;;
	*) fail "unknown purpose '$purpose': use build, demo, test or bench" ;;
	esac
	missing=$(missing_packages "$purpose")
	[ -z "$missing" ] || install_packages "$missing"
	missing=$(missing_packages "$purpose")
	[ -z "$missing" ] || fail "still not found after the installation:$missing (is another ruby, gcc or go first on PATH?)"
	go_works || fetch_go
	go_works || fail "Go $wanted was fetched into $cache but does not run"
}

fail() {
	echo "setup: $*" >&2
	exit 1
}

has() {
	command -v "$1" >/dev/null 2>&1
}

# The Debian packages whose contents are not there, each after a blank. Asks
# for the contents: they may have come from elsewhere.
missing_packages() {
	has gcc || printf ' gcc'
	has_libc_headers || printf ' libc6-dev'
	has make || printf ' make'
	has go || go_works || printf ' golang-go'
	has_certificates || printf ' ca-certificates'
	case $1 in
	demo) missing_for_demo ;;
	test) missing_for_demo && missing_for_test ;;
	bench) has_optuna || printf ' python3-optuna' ;;
	esac
}

missing_for_demo() {
	has ruby || printf ' ruby'
	has puma || printf ' puma'
	missing_gems railties actionpack activerecord sqlite3
}

missing_for_test() {
	has unicorn || printf ' unicorn'
	has ab || printf ' apache2-utils'
	has wrk || printf ' wrk'
	has python3 || printf ' python3'
	has patch || printf ' patch'
	missing_gems webrick dotenv
}

missing_gems() {
	if has ruby; then
		ruby -e 'ARGV.each { |name| begin; gem name; rescue LoadError; print " ruby-#{name}"; end }' "$@"
	else
		printf ' ruby-%s' "$@"
	fi
}

# Debian's packages are for /usr/bin/python3, whichever python3 is first on PATH.
has_optuna() {
	python3 -c 'import optuna' >/dev/null 2>&1 || /usr/bin/python3 -c 'import optuna' >/dev/null 2>&1
}

has_libc_headers() {
	has gcc && echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1
}

has_certificates() {
	[ -n "${SSL_CERT_FILE:-}" ] || [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] || [ -e /etc/ssl/cert.pem ]
}

go_works() {
	"$root/scripts/go" version >/dev/null 2>&1
}

install_packages() {
	packages=${1# }
	has apt-get || fail "this is no Debian or Ubuntu: install what these packages of theirs hold: $packages"
	as_root=$(become_root) || fail "needs root or sudo to run: apt-get install --no-install-recommends $packages"
	echo "setup: installing $packages" >&2
	make_scratch
	# A stale list is no reason to stop: what matters is whether the packages come.
	$as_root apt-get -q update >"$scratch/log" 2>&1 </dev/null || true
	# shellcheck disable=SC2086 # one word for each package
	quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=300 install --no-install-recommends $packages
}

make_scratch() {
	mkdir -p "$cache"
	scratch=${scratch:-$(mktemp -d "$cache/setup.XXXXXX")}
}

# Prints the command that makes another one run as root: none for root, sudo
# where it needs no password or can ask for one.
become_root() {
	if [ "$(id -u)" = 0 ]; then
		return 0
	fi
	has sudo || return 1
	[ -t 0 ] || sudo -n true 2>/dev/null || return 1
	echo sudo
}

# Runs a command and shows what it printed only when it fails.
quietly() {
	if ! "$@" >>"$scratch/log" 2>&1 </dev/null; then
		cat "$scratch/log" >&2
		fail "failed: $*"
	fi
}

# A Go of any age can fetch a newer one, since a release of Go is a module, too.
# From 1.21 on it does so by itself, unless the distribution has turned that
# off; Debian 12 has 1.19.
fetch_go() {
	echo "setup: fetching Go $wanted" >&2
	make_scratch
	cd "$scratch" # away from the project's go.mod, which an old Go cannot read
	export GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE="$scratch/modules"
	module=golang.org/toolchain@v0.0.1-go$wanted.$(go env GOOS)-$(go env GOARCH)
	quietly go mod download "$module"
	restore_modes "$scratch/modules/$module"
	rm -rf "$cache/go$wanted"
	mv "$scratch/modules/$module" "$cache/go$wanted"
	unset GOFLAGS GOMODCACHE
}

# A module has no executable files, and no go.mod but its own: those within are
# named _go.mod.
restore_modes() {
	chmod -R a+x "$1/bin" "$1/pkg/tool"
	find "$1" -name _go.mod | while read -r file; do
		mv "$file" "${file%_go.mod}go.mod"
	done
}

main "$@"

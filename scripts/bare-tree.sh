#!/usr/bin/env bash
# README's two commands on a bare machine: a fresh clone of HEAD in a root tree with Debian's base (debootstrap), this machine's Node.js and
# nothing else. First as an ordinary user with another time zone and locale, a directory in PATH that can't be read and the configuration of
# an installed receiptd; then as root without these. Changes nothing outside of a temporary directory and of ~/.cache/receiptd, which keeps
# Debian's base for the next run. Needs root, debootstrap and Debian's package sources.
#
#   scripts/bare-tree.sh                                  both users, both commands
#   scripts/bare-tree.sh user                             one of them: `user` or `root`
#   scripts/bare-tree.sh both 'npm test -- test/config'   this instead of `npm test`
set -euo pipefail
cd "$(dirname "$0")/.."

who=${1:-both} tests=${2:-npm test}
case $who in both | user | root) ;; *) echo "usage: $0 [both|user|root ['command']]" >&2; exit 64 ;; esac

dir=$(mktemp -d)
tree=$dir/tree
trap 'rm -rf --one-file-system "$dir"' EXIT
# The ordinary user of the tree has to pass.
chmod 755 "$dir"

base() { # Debian's base of this machine's release, from its own mirror
  local suite mirror proxy='' cache=${XDG_CACHE_HOME:-$HOME/.cache}/receiptd
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  local kept=$cache/debian-base-$suite.tar
  if [ ! -e "$kept" ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' |
      awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }')
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    mkdir -p "$cache"
    # shellcheck disable=SC2086 # without a mirror, that of debootstrap
    env ${proxy:+http_proxy=$proxy} debootstrap --variant=minbase "$suite" "$dir/base" ${mirror:-} >"$dir/debootstrap.log" 2>&1 ||
      { tail -n 5 "$dir/debootstrap.log" >&2; return 1; }
    tar --create --file "$kept.new" --directory "$dir/base" --exclude=./var/cache/apt/archives/*.deb --exclude=./dev/* .
    mv "$kept.new" "$kept"
    rm -rf --one-file-system "$dir/base"
  fi
  mkdir "$tree"
  tar --extract --file "$kept" --directory "$tree"
}

nodejs() { # this machine's Node.js and npm, and how npm reaches its registry
  local node modules file name
  node=$(realpath "$(command -v node)")
  modules=$(npm root --global)
  install -D "$node" "$tree/usr/bin/node"
  mkdir -p "$tree/usr/lib/node_modules"
  cp -r "$modules/npm" "$tree/usr/lib/node_modules/npm"
  for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$tree/usr/bin/$name"; done
  for file in "$(npm config get globalconfig)" "$(npm config get userconfig)"; do
    if [ -e "$file" ]; then cat "$file"; echo; fi
  done >"$tree/etc/npmrc"
  for file in "$(npm config get cafile)" "${NODE_EXTRA_CA_CERTS:-}"; do
    if [ -f "$file" ]; then install -D --mode=644 "$file" "$tree$file"; fi
  done
  cat /etc/resolv.conf >"$tree/etc/resolv.conf"
  cat /etc/hosts >"$tree/etc/hosts"
  env | grep -iE '^(npm_config_|(https?|no)_proxy=|NODE_EXTRA_CA_CERTS=)' >"$dir/network" || true
}

# $1: the tree. Everything that is mounted here ends with the namespace.
ENTER='
  set -e
  mount --bind "$1" "$1"
  cd "$1"
  mount -t proc proc proc
  mount -t sysfs -o ro sysfs sys
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=755 tmpfs dev
  for device in null zero full random urandom tty fuse; do
    if [ -e "/dev/$device" ]; then touch "dev/$device"; mount --bind "/dev/$device" "dev/$device"; fi
  done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
  mount -t tmpfs -o mode=1777 tmpfs dev/shm
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  for fd in 0 1 2; do ln -s "fd/$fd" "dev/std$(echo in out err | cut -d" " -f$((fd + 1)))"; done
  # Not chroot: the kernel refuses user namespaces to whoever is in one, unlike on a real machine.
  pivot_root . mnt
  umount --lazy /mnt
  shift
  exec "$@"'

inside() { # user, variable=value..., command: runs it there with these variables alone
  local user=$1 network=()
  shift
  mapfile -t network <"$dir/network"
  unshare --mount --pid --uts --ipc --fork --kill-child sh -c "$ENTER" sh "$tree" \
    setpriv --reuid="$user" --regid="$user" --init-groups \
    env --ignore-environment --chdir="$(clone "$user")" NPM_CONFIG_GLOBALCONFIG=/etc/npmrc "USER=$user" "LOGNAME=$user" SHELL=/bin/sh \
    "${network[@]}" "$@" </dev/null
}
# An ordinary user may read root's: some tests as root drop to one.
clone() { case $1 in root) echo /srv/receiptd ;; *) echo "/home/$1/receiptd" ;; esac; }

START='
  set -euo pipefail -m
  fail() { echo "npm start: $1" >&2; cat start.log >&2; exit 1; }
  npm start >start.log 2>&1 </dev/null &
  demo=$!
  for _ in $(seq 1200); do
    if grep -q "Press Ctrl-C to stop both" start.log; then break; fi
    kill -0 "$demo" 2>/dev/null || fail "it ended"
    sleep 0.1
  done
  [ "$(sed -n "/The ledger:/,$ p" start.log | grep -c " accepted ")" -eq 10 ] || fail "not ten receipts were accepted"
  # As a terminal does it: the signal goes to every process of the command.
  kill -INT -- "-$demo"
  wait "$demo" || [ $? -eq 130 ] || fail "it did not end well"
  ! readlink /proc/[0-9]*/exe | grep -q "/node$" || fail "a process is left"
  rm start.log
  echo "npm start: ten receipts were accepted, and Ctrl-C ended everything"'

commands() { # user, variable=value...: README's two commands
  local user=$1 home started=$SECONDS
  home=$(dirname "$(clone "$user")")
  git clone --quiet --no-hardlinks . "$tree$(clone "$user")"
  chown -R --reference="$tree$home" "$tree$(clone "$user")"
  inside "$@" npm ci
  echo "bare tree, $user: npm ci ended after $((SECONDS - started)) s"
  inside "$@" bash -c "$START"
  echo "bare tree, $user: npm start ended after $((SECONDS - started)) s"
  inside "$@" sh -c "$tests"
  echo "bare tree, $user: all of it took $((SECONDS - started)) s"
  rm -rf --one-file-system "$tree$(clone "$user")"
}

base
nodejs
if [ "$who" != root ]; then
  chroot "$tree" useradd --create-home --shell /bin/sh anna
  install --directory --mode=700 "$tree/opt/closed"
  # What the Debian package leaves: packaging/debian/postinst.
  chroot "$tree" useradd --system receiptd
  install --directory --mode=750 "$tree/etc/receiptd"
  install --mode=640 config/receiptd.yaml "$tree/etc/receiptd/receiptd.yaml"
  chroot "$tree" chown -R root:receiptd /etc/receiptd
  chroot "$tree" install --directory --mode=700 --owner=receiptd --group=receiptd /var/lib/receiptd
  commands anna HOME=/home/anna PATH=/opt/closed:/usr/local/bin:/usr/bin:/bin TZ=Pacific/Chatham LC_ALL=tr_TR.UTF-8
  rm -rf "$tree/etc/receiptd" "$tree/var/lib/receiptd"
fi
if [ "$who" != user ]; then
  commands root HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
fi

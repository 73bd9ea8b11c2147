#!/bin/sh
# Installs, on Debian, the real parts that some tests need: a Secret Service for the keychain tests, and what
# is used without keytar (libsecret-tools); a FUSE file system that can hang (bindfs); namespaces, mounts and a network of
# their own (util-linux, iproute2); certificates (openssl); a look at what a process writes (strace); a browser for the
# console (chromium-headless-shell); what tells a service manager how the agent is (systemd); shells and formatters for completion and
# manual page (zsh, fish, groff, man-db, mandoc); a database server for shared ledgers (postgresql), of which tests start
# clusters of their own and the machine gets none that runs, and a pooler before it (pgbouncer), likewise. Run as root, then run `npm ci` again.
set -eu
export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1
apt-get update -q
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
apt-get install -y -q --no-install-recommends \
  libsecret-1-0 gnome-keyring dbus util-linux mount iproute2 \
  fuse3 bindfs openssl strace chromium-headless-shell systemd libsecret-tools postgresql pgbouncer \
  zsh fish groff man-db mandoc
# Debian starts it at once and at each boot.
if [ -d /run/systemd/system ]; then systemctl disable --now pgbouncer; fi

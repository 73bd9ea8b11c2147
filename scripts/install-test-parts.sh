#!/bin/sh
# Installs, on Debian, software that some tests need: a Secret Service for the keychain tests, and its replacement
# without keytar (libsecret-tools); another program that draws PDFs (poppler-utils); a FUSE file system that can hang (bindfs); namespaces, mounts and private networks
# (util-linux, iproute2); certificates (openssl); system call traces (strace); a browser for the console
# (chromium-headless-shell); service notifications (systemd); shells and formatters for completion and manual page
# (zsh, fish, groff, man-db, mandoc); a database server for shared ledgers (postgresql) and a pooler (pgbouncer), which
# tests start themselves: no system-wide server runs afterwards; and debootstrap, for scripts/bare-tree.sh.
# Run as root, then run `npm ci` again.
set -eu
export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1
apt-get update -q
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
apt-get install -y -q --no-install-recommends \
  libsecret-1-0 gnome-keyring dbus util-linux mount iproute2 \
  poppler-utils fuse3 bindfs openssl strace chromium-headless-shell systemd libsecret-tools postgresql pgbouncer \
  zsh fish groff man-db mandoc debootstrap
# Debian would run it now and at each boot.
if [ -d /run/systemd/system ]; then systemctl disable --now pgbouncer; fi

#!/bin/sh
# Installs, on Debian, the real parts that some tests need: a Secret Service for the keychain tests, what builds keytar, and
# what is used without it (libsecret-tools); a FUSE file system that can hang (bindfs); namespaces, mounts and a network of
# their own (util-linux, iproute2); certificates (openssl); a look at what a process writes (strace); a browser for the
# console (chromium); what tells a service manager how the agent is (systemd); shells and formatters for completion and
# manual page (zsh, fish, groff, man-db, mandoc). Run as root, then run `npm ci` again.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends \
  build-essential python3 pkg-config libsecret-1-dev gnome-keyring dbus util-linux mount iproute2 \
  fuse3 bindfs openssl strace chromium systemd libsecret-tools \
  zsh fish groff man-db mandoc

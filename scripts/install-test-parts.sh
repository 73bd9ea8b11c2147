#!/bin/sh
# Installs, on Debian, the real parts that some tests need: a Secret Service for the keychain tests, and what
# builds keytar. Run as root, then run `npm ci` again.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends \
  build-essential python3 pkg-config libsecret-1-dev gnome-keyring dbus util-linux

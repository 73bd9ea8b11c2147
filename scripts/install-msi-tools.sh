#!/bin/sh
# Installs, on Debian, what makes the Windows installer (wixl, of msitools), and what `npm run campaign:windows` makes the tree
# of a newer Debian with (debootstrap), in which Wine 10 runs. `npm test` never needs it.
set -eu
command -v wixl >/dev/null && command -v msiinfo >/dev/null && [ -x /usr/sbin/debootstrap ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends msitools wixl debootstrap

#!/bin/sh
# Installs, on Debian, the tools that build the Windows installer (wixl and msitools), and debootstrap, with which
# `npm run campaign:windows` creates a newer Debian for Wine 10. Not needed for `npm test`.
set -eu
command -v wixl >/dev/null && command -v msiinfo >/dev/null && [ -x /usr/sbin/debootstrap ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends msitools wixl debootstrap

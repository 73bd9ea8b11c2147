#!/bin/sh
# Installs Wine on Debian, in which `npm run test:windows` runs the Windows build of Node.js. Not needed for `npm test`.
set -eu
[ -x /usr/lib/wine/wine64 ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends wine wine64

#!/usr/bin/env bash
# Boots systemd in a separate root tree and tests the life cycle of the service there: refusal, installation, credentials, uploads,
# a crash, a hang, a wrong configuration, removal. Touches nothing outside a temporary directory and namespaces. Needs root, Debian with
# debootstrap and a mirror, and `npm run build`. Takes two to four minutes. RECEIPTD_TRIAL_TREE names a tree to reuse.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
tree=${RECEIPTD_TRIAL_TREE:-$dir/tree}
group=$(findmnt --noheadings --output TARGET --types cgroup2 | head -n 1)/receiptd-trial-$$
init=

finish() {
  status=$?
  # Killing the first process of a namespace ends all others.
  if [ -n "$init" ]; then kill -KILL "$init" 2>/dev/null || true; wait "$booted" 2>/dev/null || true; fi
  if [ "$status" -ne 0 ] && [ -f "$dir/boot.log" ]; then tail -n 20 "$dir/boot.log" >&2; fi
  find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
  rm -rf --one-file-system "$dir"
  exit "$status"
}
trap finish EXIT

say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*" >&2; inside journalctl --unit=receiptd --output=cat --lines=20 >&2 || true; exit 1; }
inside() {
  timeout 300 nsenter --target "$init" --mount --pid --uts --ipc --net --cgroup --root --wd \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}
# Waits for a condition; the limit is generous.
until_true() { # what, command...
  local what=$1
  shift
  for _ in $(seq 300); do
    if "$@" >/dev/null 2>&1; then say "ok    $what"; return; fi
    sleep 0.2
  done
  fail "$what"
}
expect() { # what, pattern, command...
  local what=$1 pattern=$2 said
  shift 2
  said=$("$@" 2>&1 || true)
  grep -qE -- "$pattern" <<<"$said" || fail "$what: $said"
  say "ok    $what"
}
property() { inside systemctl show receiptd --property="$1" --value; }
is() { [ "$(property "$1")" = "$2" ]; }
is_not() { [ "$(property "$1")" != "$2" ]; }
accepted() { [ "$(inside receiptd list --state accepted --json | grep -c '"name"')" -eq "$1" ]; }

if [ ! -d "$tree/usr" ]; then
  debootstrap --variant=minbase --include=systemd,dbus,libpam-systemd,ca-certificates,util-linux,libstdc++6 "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$tree" >"$dir/debootstrap.log" 2>&1 ||
    { tail -n 5 "$dir/debootstrap.log" >&2; exit 1; }
fi
package=$tree/usr/local/lib/node_modules/receiptd
rm -rf "$package" "$tree/etc/receiptd" "$tree/etc/systemd/system/receiptd.service" "$tree"/etc/credstore* "$tree/var/lib/receiptd" "$tree/srv/scans" "$tree/mnt/late"
mkdir -p "$package/node_modules/@photostructure" "$tree/etc/receiptd" "$tree/usr/local/bin" "$tree/srv/scans"
install "$(command -v node)" "$tree/usr/bin/node"
cp -r dist package.json "$package"
cp -rL node_modules/@photostructure/sqlite "$package/node_modules/@photostructure"
cp -rL node_modules/node-gyp-build "$package/node_modules"
chmod 755 "$package/dist/receiptd.cjs"
ln -sf ../lib/node_modules/receiptd/dist/receiptd.cjs "$tree/usr/local/bin/receiptd"
cat >"$tree/etc/receiptd/receiptd.yaml" <<'YAML'
service: { baseUrl: 'http://127.0.0.1:8470' }
endpoints: { office: { uid: '11111111-1111-4111-8111-111111111111' } }
folders: [{ path: '/srv/scans/100% "ours" $HOME', endpoint: office, afterUpload: archive }]
YAML
folder="/srv/scans/100% \"ours\" \$HOME"
mkdir -p "$tree$folder"

cat >"$dir/boot" <<'BOOT'
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$1/run"
mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
for device in null zero full random urandom tty; do
  touch "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
mkdir "$1/dev/pts" "$1/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
ln -s pts/ptmx "$1/dev/ptmx"
mount -t tmpfs tmpfs "$1/dev/shm"
# systemd passes credentials into the tree by mount propagation.
mount --make-rshared /
exec chroot "$1" /usr/bin/env -i container=receiptd-trial PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console
BOOT
mkdir "$group"
(
  echo "$BASHPID" >"$group/cgroup.procs"
  exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child sh "$dir/boot" "$tree" </dev/null >"$dir/boot.log" 2>&1
) &
booted=$!
for _ in $(seq 100); do
  init=$(cat "/proc/$booted/task/$booted/children" 2>/dev/null | tr -d ' ' || true)
  if [ -n "$init" ] && inside systemctl is-system-running --wait 2>/dev/null | grep -qE 'running|degraded'; then break; fi
  sleep 0.2
done
say "ok    booted: $(inside systemctl --version | head -n 1), $(inside systemctl is-system-running || true)"
inside systemd-run --quiet --unit=sandbox --setenv=RECEIPTD_CLIENT_SECRET=secret-of-the-trial receiptd sandbox --dir /var/lib/sandbox

expect 'a folder that its user cannot write is refused, and nothing is installed' 'user receiptd can.t write the folder .*INSTALL_REFUSED' \
  inside receiptd service install
[ ! -e "$tree/etc/systemd/system/receiptd.service" ] || fail 'a unit was written'
inside chown receiptd "$folder"

mkdir -m 700 -p "$tree/etc/credstore.encrypted"
for pair in client_id=sandbox client_secret=secret-of-the-trial; do
  printf %s "${pair#*=}" | inside systemd-creds encrypt --name="${pair%%=*}" - "/etc/credstore.encrypted/receiptd.${pair%%=*}" 2>/dev/null
done
expect 'it is installed, and ready when the command ends' 'It runs: active \(running\)' inside receiptd service install
expect 'systemd finds nothing wrong with the unit' '^$' inside systemd-analyze verify /etc/systemd/system/receiptd.service
expect 'it runs as its user' '^receiptd$' inside stat --format=%U "/proc/$(property MainPID)"
cp docs/images/console-overview.png "$tree$folder/one.png"
until_true 'a receipt is accepted, with encrypted credentials of systemd' accepted 1
until_true 'and its original archived' test -e "$tree$folder/archive"
until_true 'systemd has its line of status' inside sh -c "systemctl show receiptd --property=StatusText | grep -q '1 of 1 folder watched'"
expect 'installed again, nothing changes' 'receiptd.service was not changed' inside receiptd service install
expect 'it reads its configuration again' '^0$' inside sh -c 'systemctl reload receiptd; echo $?'

mkdir -p "$tree/run" && inside sh -c 'mkdir -p /run/systemd/system/receiptd.service.d &&
  printf "[Service]\nRestartSec=1\nWatchdogSec=4\n" >/run/systemd/system/receiptd.service.d/trial.conf && systemctl daemon-reload'
inside receiptd service restart >/dev/null
pid=$(property MainPID)
inside sh -c "kill -KILL $pid"
until_true 'killed, it is started again' is_not MainPID "$pid"
until_true 'and ready' is ActiveState active
pid=$(property MainPID)
inside sh -c "kill -STOP $pid"
until_true 'standing still, it is ended by the watchdog' inside sh -c "! kill -0 $pid"
until_true 'and started again' is SubState running
cp docs/images/console-documents.png "$tree$folder/two.png"
until_true 'it goes on uploading' accepted 2

expect 'it stops' 'Stopped' inside receiptd service stop
expect 'stopped, it says so' 'It does not run' inside receiptd service status
sed -i 's/^folders/foldrs/' "$tree/etc/receiptd/receiptd.yaml"
expect 'with a configuration that is wrong it does not start, and says what is wrong' 'did not start: .*foldrs' inside receiptd service start
expect 'a wrong configuration is tried once' '^failed 2 0$' \
  echo "$(property ActiveState) $(property ExecMainStatus) $(property NRestarts)"
sed -i 's/^foldrs/folders/' "$tree/etc/receiptd/receiptd.yaml"
inside sh -c 'printf "[Unit]\nConditionPathExists=/not/there\n" >/run/systemd/system/receiptd.service.d/wait.conf && systemctl daemon-reload'
expect 'one that only waits says for what' 'did not start: .*ConditionPathExists=/not/there is not met' inside receiptd service start
inside sh -c 'rm /run/systemd/system/receiptd.service.d/wait.conf && systemctl daemon-reload'
inside receiptd service start >/dev/null
mv "$package/dist/receiptd.cjs" "$package/dist/away.cjs"
pid=$(property MainPID)
inside sh -c "kill -KILL $pid"
until_true 'a program that was removed is not tried again' is ActiveState inactive
mv "$package/dist/away.cjs" "$package/dist/receiptd.cjs"
inside receiptd service start >/dev/null
printf '# by hand\n' >>"$tree/etc/systemd/system/receiptd.service"
expect 'a unit that was changed by hand is left alone' 'INSTALL_EDITED' inside receiptd service install
expect 'and written anew when asked to' '- # by hand' inside receiptd service install --force

# Access that the sandboxing must allow: users' folders with their groups, admins who are not root, a share that is mounted later.
inside sh -c 'groupadd --force scanadmins; groupadd --force office; usermod --append --groups office receiptd; mkdir -p /srv/shared; rmdir /mnt/late 2>/dev/null; rm -rf /srv/shared/*
  chown receiptd:office /srv/shared; chmod 2770 /srv/shared
  rm -rf /home/bob /var/tmp/scans; mkdir -p /home/bob/scans /var/tmp/scans; chown receiptd /home/bob/scans; ln -sfn /home/bob/scans /srv/linked'
cat >>"$tree/etc/receiptd/receiptd.yaml" <<'YAML'
  - { path: /srv/shared, endpoint: office, afterUpload: archive, needsAttention: /srv/shared/look here }
  - { path: /mnt/late, endpoint: office }
  - { path: /srv/linked, endpoint: office, afterUpload: archive }
  - { path: /var/tmp/scans, endpoint: office }
control: { group: scanadmins }
stateDir: /var/lib/receiptd
YAML
sed -i 's/^folders: \[\(.*\)\]$/folders:\n  - \1/' "$tree/etc/receiptd/receiptd.yaml"
expect 'installed for more folders, it says what changed' '\+ SupplementaryGroups=scanadmins' inside receiptd service install
printf 'no image' >"$tree/srv/shared/letter.jpg"
until_true 'what cannot be sent is shown to people' inside sh -c 'ls "/srv/shared/look here" | grep -q why'
expect 'with the rights of their folder' '^2770$' inside stat --format=%a '/srv/shared/look here'
expect 'a member of the control group may ask' 'Running since' \
  inside setpriv --reuid=nobody --regid=nogroup --groups="$(inside getent group scanadmins | cut -d: -f3)" env HOME=/ receiptd status
inside sh -c 'mkdir /mnt/late && mount -t tmpfs late /mnt/late'
cp docs/images/console-document.png "$tree/three.png" && inside mv /three.png /mnt/late/three.png
until_true 'a share that is mounted later is seen' accepted 3
cp docs/images/console-folder-dark.png "$tree/home/bob/scans/four.png"
until_true 'a folder that is a link into a home is sent' accepted 4
until_true 'and archived there' test -e "$tree/home/bob/scans/archive"
cp docs/images/console-folder-dark.png "$tree/var/tmp/scans/five.png"
until_true 'one below /var/tmp is seen, and the same image known' \
  grep -q 'Duplicate of a known document.*/var/tmp/scans' "$tree/var/lib/receiptd/logs/receiptd.log"
expect 'it is removed' 'was stopped and removed' inside receiptd service uninstall
[ ! -e "$tree/etc/systemd/system/receiptd.service" ] || fail 'the unit is still there'
[ -e "$tree/var/lib/receiptd/ledger.db" ] || fail 'the ledger is gone'
say "ok    ledger and configuration are still there"

# A user service of an ordinary user who is not signed in.
inside useradd --create-home anna 2>/dev/null || true
uid=$(inside id -u anna)
inside loginctl enable-linger anna
until_true 'anna has a service manager of her own' inside test -S "/run/user/$uid/systemd/private"
anna() {
  inside setpriv --reuid=anna --regid=anna --init-groups env HOME=/home/anna XDG_RUNTIME_DIR="/run/user/$uid" "$@"
}
rm -rf "$tree/home/anna/receiptd.yaml" "$tree/home/anna/scans" "$tree/home/anna/.config" "$tree/home/anna/.local"
anna mkdir -p /home/anna/scans /home/anna/.config/receiptd
anna tee /home/anna/.config/receiptd/receiptd.yaml >/dev/null <<'YAML'
service: { baseUrl: 'http://127.0.0.1:8470' }
endpoints: { office: { uid: '11111111-1111-4111-8111-111111111111' } }
folders: [{ path: /home/anna/scans, endpoint: office, afterUpload: archive, needsAttention: /home/anna/scans/look here }]
credentials: { store: file }
YAML
printf 'secret-of-the-trial' | anna receiptd login --client-id sandbox --store file >/dev/null
expect 'she installs one of her own' 'It runs: active' anna receiptd service install
cp docs/images/console-overview.png "$tree/home/anna/scans/one.png"
hers() { anna receiptd list --state accepted --json | grep -q '"name"'; }
until_true 'it uploads' hers
until_true 'and archives' test -e "$tree/home/anna/scans/archive"
expect 'she looks at it' '1 of 1 folder watched|active' anna receiptd service status
expect 'and removes it' 'was stopped and removed' anna receiptd service uninstall
say "All of it worked ($(node --version), $(inside systemctl --version | head -n 1), kernel $(uname -r))."

#!/bin/sh
# Replaces systemctl in a tree where systemd does not run: starts and stops the command of a unit, as the unit's user.
# Operations that need no manager (--root=/) go to the real systemctl if installed. Knows only the verbs and keys that
# the package uses; anything else is an error, so that no test passes by accident.
verb='' unit='' bare=''
for word; do
  case "$word" in
    --root=*) if [ -x /usr/bin/systemctl.real ]; then exec /usr/bin/systemctl.real "$@"; fi ;;
    --value) bare=yes ;;
    --preset-mode=enable-only | --system | --quiet | -q | --property=* | --) ;;
    -*) echo "systemctl: $word is not known here" >&2; exit 64 ;;
    *) if [ -z "$verb" ]; then verb=$word; else unit=$word; fi ;;
  esac
done
unit=${unit%.service}.service
file=/lib/systemd/system/$unit
if [ -f "/etc/systemd/system/$unit" ]; then file=/etc/systemd/system/$unit; fi
pidfile=/run/$unit.pid
value() { sed -n "s/^$1=//p" "$file" "/lib/systemd/system/$unit.d/package.conf" 2>/dev/null; }
# The unit's file systems: its own /tmp, all else read-only but what it may write. What is mounted later is seen.
confine='
  for path in $WRITABLE; do if [ -e "$path" ]; then mount --bind "$path" "$path"; fi; done
  cut -d" " -f5 /proc/self/mountinfo | while read -r path; do
    path=$(printf "%b" "$path")
    case " $WRITABLE " in *" $path "*) continue ;; esac
    case "$path" in /proc* | /dev* | /sys*) ;; *) mount -o remount,bind,ro "$path" ;; esac
  done
  if [ "$PRIVATE" = yes ]; then for path in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 private "$path"; done; fi
  exec "$@"'
runs() { [ -e "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null; }
case "$verb" in
  daemon-reload) ;;
  preset | enable)
    mkdir -p /etc/systemd/system/multi-user.target.wants
    ln -sf "$file" "/etc/systemd/system/multi-user.target.wants/$unit"
    ;;
  is-enabled) if [ -L "/etc/systemd/system/multi-user.target.wants/$unit" ]; then echo enabled; else echo disabled; exit 1; fi ;;
  is-active) runs ;;
  cat) cat "$file" ;;
  show)
    if runs; then state=active; else state=inactive; fi
    if [ -n "$bare" ]; then echo "$state"; else printf '%s\n' LoadState=loaded UnitFileState=enabled "ActiveState=$state"; fi
    ;;
  restart) "$0" stop "$unit" && "$0" start "$unit" ;;
  start)
    runs && exit 0
    condition=$(value ConditionPathExists)
    if [ -n "$condition" ] && [ ! -e "$condition" ]; then exit 0; fi
    environment=$(value EnvironmentFile)
    (
      STATE_DIRECTORY=/var/lib/$(value StateDirectory)
      export STATE_DIRECTORY
      for pair in $(value Environment); do export "${pair?}"; done
      if [ -e "${environment#-}" ]; then
        set -a
        . "${environment#-}"
      fi
      WRITABLE="$STATE_DIRECTORY $(value ReadWritePaths | sed 's/^-//' | tr '\n' ' ')"
      PRIVATE=$(value PrivateTmp)
      export WRITABLE PRIVATE
      # shellcheck disable=SC2046
      exec setsid unshare --mount --propagation slave sh -ec "$confine" sh setpriv --reuid="$(value User)" --regid="$(value User)" --init-groups $(value ExecStart) >>/run/agent.log 2>&1 </dev/null
    ) &
    echo $! >"$pidfile"
    ;;
  stop)
    runs || exit 0
    kill -TERM "$(cat "$pidfile")"
    while runs; do sleep 0.05; done
    rm -f "$pidfile"
    ;;
  *) echo "systemctl: $verb is not known here" >&2; exit 64 ;;
esac

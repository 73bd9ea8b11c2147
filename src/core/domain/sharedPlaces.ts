/** In lower case: macOS doesn't tell it apart, and nobody has use for /Etc. */
const POSIX = new Set(
  [
    '/ /bin /boot /dev /etc /etc/receiptd /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr',
    '/usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var /var/backups /var/cache /var/lib /var/local /var/log /var/mail',
    '/var/opt /var/spool /var/tmp /var/www',
    '/applications /library /network /system /users /volumes /private /private/etc /private/tmp /private/var',
  ].flatMap((line) => line.split(' ')),
);
/** The home of a person. That of a service's account is somewhere else, and may well be its state directory. */
const POSIX_HOME = /^\/(?:home|users)\/[^/]+$/;
const WINDOWS =
  /^(?:[a-z]:|\\\\[^\\]+\\[^\\]+)\\?$|^[a-z]:\\(?:windows(?:\\.*)?|program files(?: \(x86\))?|programdata|users(?:\\[^\\]+)?)$|^[a-z]:\\users\\[^\\]+\\(?:appdata(?:\\(?:local|roaming))?|desktop|documents)$/;

/** Whether a place (absolute, without a slash at its end) belongs to a machine or a person: it is nothing to close to others. */
export function isSharedPlace(place: string, platform: NodeJS.Platform): boolean {
  const folded = place.toLowerCase();
  if (platform === 'win32') return WINDOWS.test(folded);
  return POSIX.has(folded) || POSIX_HOME.test(folded);
}

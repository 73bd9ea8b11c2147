/** Lower case: macOS ignores case, and elsewhere nobody uses names such as /Etc. */
const POSIX = new Set(
  [
    '/ /bin /boot /dev /etc /etc/receiptd /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr',
    '/usr/bin /usr/lib /usr/local /usr/sbin /usr/share /var /var/backups /var/cache /var/lib /var/local /var/log /var/mail',
    '/var/opt /var/spool /var/tmp /var/www',
    '/applications /library /network /system /users /volumes /private /private/etc /private/tmp /private/var',
  ].flatMap((line) => line.split(' ')),
);
/** A person's home directory. Service accounts have theirs elsewhere, and it may be their state directory. */
const POSIX_HOME = /^\/(?:home|users)\/[^/]+$/;
const WINDOWS =
  /^(?:[a-z]:|\\\\[^\\]+\\[^\\]+)\\?$|^[a-z]:\\(?:windows(?:\\.*)?|program files(?: \(x86\))?|programdata|users(?:\\[^\\]+)?)$|^[a-z]:\\users\\[^\\]+\\(?:appdata(?:\\(?:local|roaming))?|desktop|documents)$/;

/** Whether an absolute path (no trailing slash) belongs to the system or a person, and so must not be made private. */
export function isSharedDirectory(directory: string, platform: NodeJS.Platform): boolean {
  const folded = directory.toLowerCase();
  if (platform === 'win32') return WINDOWS.test(folded);
  return POSIX.has(folded) || POSIX_HOME.test(folded);
}

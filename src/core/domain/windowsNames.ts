/**
 * Whether a path names a stream beside the content of a file (`scan.jpg:notes`, NTFS): no listing shows it, and what is sent, archived or deleted
 * would be another part of the file than people see.
 */
export function namesStream(path: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') return false;
  // The colon of a drive, also behind \\?\.
  return path.replace(/^(?:[\\/]{2}[?.][\\/])?[A-Za-z]:/, '').includes(':');
}

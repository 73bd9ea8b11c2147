/**
 * Whether a path names an NTFS alternate data stream (`scan.jpg:notes`). Listings do not show streams, so the agent would send,
 * archive or delete something other than what people see.
 */
export function namesStream(path: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') return false;
  // Ignore the drive's colon, also after \\?\.
  return path.replace(/^(?:[\\/]{2}[?.][\\/])?[A-Za-z]:/, '').includes(':');
}

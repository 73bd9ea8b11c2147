/**
 * Whether a folder, as a shared ledger shows it, is out of this agent's reach: that of another agent (`<agent>:<path>`), or a share
 * that this agent does not have (`share:<name>`). No absolute path begins so, but for a drive of Windows, which has one letter.
 */
export function isElsewhere(folder: string): boolean {
  return /^[^\\/:]{2,}:/.test(folder);
}

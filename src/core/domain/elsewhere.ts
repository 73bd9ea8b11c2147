/**
 * A folder that is not this machine's, as a shared ledger shows it: `<agent>:<path>`, or `share:<share>` where this machine has no
 * such share. No absolute path begins so, but for a drive of Windows, which has one letter; names of agents have two at least.
 */
const ELSEWHERE = /^([^\\/:]{2,}):(.*)$/s;

export function isElsewhere(folder: string): boolean {
  return ELSEWHERE.test(folder);
}

/** Null for a folder of this machine. */
export function elsewhere(folder: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest] = ELSEWHERE.exec(folder) ?? [];
  return name === undefined || rest === undefined ? null : { name, rest };
}

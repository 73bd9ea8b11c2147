/**
 * A folder of another machine, as a shared ledger shows it: `<agent>:<path>`, or `share:<share>` for a share that this machine
 * lacks. Can't be confused with an absolute path: Windows drives have one letter, agent names at least two.
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

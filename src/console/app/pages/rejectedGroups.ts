import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { callInParts } from '../api.ts';

const UNSENT = ['rejected', 'incomplete', 'unreadable'] as const;

/** Files of one folder that were not sent for the same reason. */
export interface Group {
  readonly key: string;
  readonly folder: string;
  readonly reason: string;
  readonly rows: readonly ListRowJson[];
  /** File types that the folder would have to accept. */
  readonly types: readonly string[];
  /** Size of the largest file in bytes. */
  readonly largest: number;
}

const MOST = 1_000;
const PAGE = 500;

interface UnsentGroup {
  readonly rows: readonly ListRowJson[];
  readonly isAll: boolean;
}

export async function unsentFiles(signal: AbortSignal): Promise<UnsentGroup> {
  const request = { states: [...UNSENT], attention: 'needed' as const, limit: PAGE };
  let rows: readonly ListRowJson[] = [];
  for await (const page of callInParts('documents', request, signal)) {
    rows = [...rows, ...page.rows];
    if (rows.length >= MOST) return { rows, isAll: page.next === null };
  }
  return { rows, isAll: true };
}

export function groupsOf(rows: readonly ListRowJson[], folders: readonly string[]): readonly Group[] {
  const longest = folders.toSorted((a, b) => b.length - a.length);
  const groups = new Map<string, ListRowJson[]>();
  const folderOf = (path: string) =>
    longest.find((each) => path.startsWith(each) && /[/\\]/.test(path.charAt(each.length))) ?? '';
  for (const row of rows) {
    const key = JSON.stringify([folderOf(row.path), row.reason ?? row.state]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, its]) => {
    const [folder, reason] = JSON.parse(key) as [string, string];
    const types = its.flatMap(({ fact }) => (fact?.['is'] === 'notAccepted' ? String(fact['type']) : []));
    return {
      key,
      folder,
      reason,
      rows: its,
      types: [...new Set(types)].sort(),
      largest: Math.max(...its.map(({ size }) => size)),
    };
  });
}

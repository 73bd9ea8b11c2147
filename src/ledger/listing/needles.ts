import { heldBecause } from '../../core/domain/problem.ts';
import { boundOf, type ValueWanted } from '../../core/domain/posted.ts';
import { fold, searchWords } from '../../core/domain/search.ts';
import type { Hold } from '../../core/ports/hold.ts';
import { LIST_STATES, type ListState } from '../../core/ports/ledgerReports.ts';

/** Most needles in a search; `isFound` checks the rest. A prepared statement is kept for each number of needles. */
const MOST = 6;

/** Part of a word that SQL searches for. SQL passes rows that might contain it. */
export interface Needle {
  /** Folded text without path separators: it lies entirely within the folder's path or the file's. */
  readonly text: string;
  /** Ids of the folders whose path contains it. */
  readonly folders: readonly number[];
  /** Whether it may match what the list shows for a queued document: the state `held`, or the text of a hold. */
  readonly ofHeld: boolean;
}

export interface KnownFolder {
  readonly id: number;
  /** The path as rows show it. */
  readonly path: string;
}

/** Whether the needles cover all words, one by one: then SQL alone can decide. */
export function isWhollyNeedles(search: string): boolean {
  const words = searchWords(search);
  return words.length <= MOST && words.every((word) => !/[/\\]/.test(word));
}

export function needlesOf(
  search: string,
  holds: readonly Hold[],
  folders: readonly KnownFolder[],
): readonly Needle[] {
  const parts = searchWords(search).flatMap((word) => word.split(/[/\\]+/));
  const texts = [...new Set(parts.filter((part) => part !== ''))].sort((a, b) => b.length - a.length);
  const paths = folders.map(({ id, path }) => ({ id, text: fold(path) }));
  const held = holds.length === 0 ? [] : ['held', ...holds.map((hold) => fold(heldBecause(hold)))];
  return texts.slice(0, MOST).map((text) => ({
    text,
    folders: paths.filter((each) => each.text.includes(text)).map(({ id }) => id),
    ofHeld: held.some((said) => said.includes(text)),
  }));
}

/** Whether the text can be part of a hexadecimal SHA-256. Most words can't, and searching for them takes most of the time. */
export function isPartOfHash(text: string): boolean {
  return /^[0-9a-f]{1,64}$/.test(text);
}

/** States whose name contains the text; few words are part of one. */
export function statesNamed(text: string): readonly ListState[] {
  return LIST_STATES.filter((state) => state.includes(text));
}

/** What SQL searches for to find a wanted value. */
interface ValueNeedle {
  /** The pointer as a key in JSON. */
  readonly key: string;
  readonly word: string | null;
  /** Range of numbers; text may or may not lie within it. */
  readonly from: number;
  readonly to: number;
}

export function valueNeedles({ pointer, contains = '', from = '', to = '' }: ValueWanted): ValueNeedle {
  const [word = null] = searchWords(contains).toSorted((a, b) => b.length - a.length);
  const bound = (text: string, none: number) => boundOf(text) ?? none;
  return {
    key: JSON.stringify(pointer),
    word,
    from: bound(from, -Number.MAX_VALUE),
    to: bound(to, Number.MAX_VALUE),
  };
}

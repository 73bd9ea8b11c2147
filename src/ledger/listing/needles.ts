import { boundOf, type ValueWanted } from '../../core/domain/posted.ts';
import { fold, searchWords } from '../../core/domain/search.ts';
import type { Hold } from '../../core/ports/hold.ts';
import { LIST_STATES, type ListState } from '../../core/ports/ledgerReports.ts';

/** The longest of a search; the rest is for `isFound` alone. A statement is kept for each number of them. */
const MOST = 6;

/** A part of a word that SQL looks for. Rows are passed on where they might hold it. */
export interface Needle {
  /** Folded, without separators: it lies in the folder's path or in the file's. */
  readonly text: string;
  /** Numbers of the folders whose path holds it. */
  readonly folders: readonly number[];
  /** Whether a queued document may be shown with it: as held, or with what a hold says. */
  readonly ofHeld: boolean;
}

export interface KnownFolder {
  readonly id: number;
  /** As rows show it. */
  readonly path: string;
}

/** Whether rows that hold all needles hold all words, one by one: then SQL alone can decide. */
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
  const held = holds.length === 0 ? [] : ['held', ...holds.map(({ message }) => fold(message))];
  return texts.slice(0, MOST).map((text) => ({
    text,
    folders: paths.filter((each) => each.text.includes(text)).map(({ id }) => id),
    ofHeld: held.some((said) => said.includes(text)),
  }));
}

/** Of SHA-256 in hexadecimal digits. Most words can't be, and most of the time goes into looking for them. */
export function isPartOfHash(text: string): boolean {
  return /^[0-9a-f]{1,64}$/.test(text);
}

/** States whose name holds it; few words are part of one. */
export function statesNamed(text: string): readonly ListState[] {
  return LIST_STATES.filter((state) => state.includes(text));
}

/** What SQL looks for of a value that is wanted. */
interface ValueNeedle {
  /** The pointer as a key in JSON. */
  readonly key: string;
  readonly word: string | null;
  /** Of numbers; what is text may lie there or not. */
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

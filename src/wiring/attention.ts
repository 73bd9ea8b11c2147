import { nicety } from '../daemon/nicety.ts';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { describeError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import { textsIn } from '../texts/texts.ts';
import { createAttentionBook, markOf } from '../intake/folder/attentionBook.ts';
import { createAttentionFolder } from '../intake/folder/attentionFolder.ts';
import { checkOf } from '../intake/folder/pinnedPlaces.ts';
import { AttentionFolders } from '../features/attention/attention.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { AttentionFolder, AttentionKey } from '../core/ports/attention.ts';
import type { Guards } from './folders.ts';
import type { ProcessScope } from './processScope.ts';

/** The needs-attention folders of this configuration, where people at the scanner see what was not sent. */
export interface Attentions {
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  readonly tidy: (signal: AbortSignal) => Promise<void>;
  readonly look: (folder: string, path: string) => void;
}

type AttentionParts = Pick<ProcessScope, 'ledger' | 'clock' | 'log' | 'guards'> & {
  readonly inherited: ProcessScope['inherited'];
};

export function composeAttention(
  { stateDir, folders, language }: Config,
  { ledger, clock, log, guards, inherited: incidents }: AttentionParts,
  open: OpenFolder,
  isInPlace: (folder: string) => boolean,
  isLedElsewhere: (folder: string) => boolean,
): Attentions {
  const book = createAttentionBook(bookOf(stateDir));
  const all = new Map<string, AttentionFolders>();
  const texts = textsIn(language, local);
  for (const { path, needsAttention, maxFileSize, share } of folders) {
    if (needsAttention === null) continue;
    const place = placeOf({ folder: path, place: needsAttention }, { stateDir, folders }, guards);
    const inPlace = { isInPlace: () => isInPlace(path) };
    const deps = { book, ledger, incidents, clock, log, maxFileSize, texts, ...inPlace };
    const isShared = share !== null && ledger.fleet !== null;
    const shared = isShared ? { shared: { isLedElsewhere: () => isLedElsewhere(path) } } : {};
    all.set(path, new AttentionFolders({ ...deps, ...shared, folder: open(path), place }));
  }
  return {
    background: [...all].map(([path, each]) =>
      nicety('withoutAttentionFolder', (signal) => each.run(signal), { clock, log }, { folder: path }),
    ),
    tidy: async (signal) => {
      for (const each of all.values()) await each.once(signal);
    },
    look: (folder, path) => all.get(folder)?.look(path),
  };
}

/**
 * Empties needs-attention folders that are no longer configured, before their files could be taken for scans, and
 * removes those that the agent created and that are empty now.
 * Resolves the folders where that failed: they stay unwatched, and the next start tries again.
 */
export async function leaveFormerPlaces(
  { stateDir, folders }: Config,
  { guards, log }: Pick<ProcessScope, 'guards' | 'log'>,
): Promise<string[]> {
  const book = createAttentionBook(bookOf(stateDir));
  const left: string[] = [];
  for (const key of await book.keys()) {
    if (folders.some(({ path, needsAttention }) => path === key.folder && needsAttention === key.place))
      continue;
    try {
      const place = placeOf(key, { stateDir, folders }, guards);
      const { entries, made } = await book.read(key);
      if (entries.length > 0 && !(await place.isThere())) throw new Error(`${key.place} is not there`);
      for (const { files } of entries) await place.remove(files);
      await place.sweep();
      const isInUse = folders.some(({ needsAttention }) => needsAttention === key.place);
      if (made !== null && !isInUse) await place.unmake(made);
      await book.write(key, { entries: [], made: null });
    } catch (error) {
      log.info('formerAttentionNotRemoved', {
        folder: key.place,
        ...describeError(error),
      });
      left.push(key.place);
    }
  }
  return left;
}

function placeOf(
  { folder, place }: AttentionKey,
  { stateDir, folders }: Pick<Config, 'stateDir' | 'folders'>,
  guards: Guards,
): AttentionFolder {
  return createAttentionFolder({
    path: place,
    like: folder,
    watched: [folder, ...folders.map(({ path }) => path)],
    mark: markOf(folder),
    guard: guards.over(place),
    check: checkOf(stateDir, place),
    random: Math.random,
  });
}

function bookOf(stateDir: string): string {
  return join(stateDir, 'attention');
}

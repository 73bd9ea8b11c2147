import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import type { AttentionFolder } from '../../core/ports/attention.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { realLocation } from './location.ts';
import { whyText, type AwayFact } from '../../core/domain/why.ts';

/*
 * Directories that somebody chose in the console. Their real paths at that time are in a file of the state directory, because
 * the choice was allowed for these only: whoever may write to a directory above could since have put a link in the way.
 */

/** Configured path → real path. */
export type Pins = Readonly<Record<string, string>>;

/** Rejects with ELOOP if one of these places is elsewhere now. */
export type Check = (...places: readonly string[]) => Promise<void>;

function fileOf(stateDir: string): string {
  return join(stateDir, 'console-places.json');
}

function pinsOf(stateDir: string): Pins {
  try {
    return JSON.parse(readFileSync(fileOf(stateDir), 'utf8')) as Pins;
  } catch (error) {
    // A damaged file must not keep the agent from starting.
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

export async function pinPlaces(stateDir: string, added: Pins): Promise<void> {
  if (Object.keys(added).length > 0) await write(stateDir, { ...pinsOf(stateDir), ...added });
}

/** Forgets places that are no longer configured. */
export async function forgetPins(stateDir: string, configured: readonly string[]): Promise<void> {
  const all = Object.entries(pinsOf(stateDir));
  const kept = all.filter(([path]) => configured.includes(path));
  if (kept.length < all.length) await write(stateDir, Object.fromEntries(kept));
}

async function write(stateDir: string, pins: Pins): Promise<void> {
  await writeDurably(fileOf(stateDir), `${JSON.stringify(pins)}\n`);
}

/** Null if none of these places, nor a directory above, was chosen in the console. */
export function checkOf(stateDir: string, ...places: readonly string[]): Check | null {
  const pins = pinsOf(stateDir);
  if (!places.some((place) => pinnedAbove(place, pins).length > 0)) return null;
  return async (...asked) => {
    for (const [path, real] of asked.flatMap((place) => pinnedAbove(place, pins)))
      if ((await realLocation(path)) !== real) throw systemError('ELOOP', whyText(elsewhere(path)));
  };
}

function pinnedAbove(place: string, pins: Pins): (readonly [path: string, real: string])[] {
  const above = dirname(place) === place ? [] : pinnedAbove(dirname(place), pins);
  const own = Object.hasOwn(pins, place) ? pins[place] : undefined;
  return own === undefined ? above : [[place, own], ...above];
}

function elsewhere(folder: string): AwayFact {
  return { is: 'leadsElsewhere', folder };
}

/** Checks before each use that the folder, or its archive, is in place; and after each read, so that nothing from elsewhere is taken in. */
export function heldInPlace(folder: WatchedFolder, archiveTo: string, check: Check): WatchedFolder {
  const { path } = folder;
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    await check(path);
    const found = await work();
    await check(path);
    return found;
  };
  const changing = async <T>(work: () => Promise<T>): Promise<T> => {
    await check(path, archiveTo);
    return work();
  };
  return {
    path,
    async availability() {
      try {
        return await reading(() => folder.availability());
      } catch (error) {
        if (systemCode(error) !== 'ELOOP') throw error;
        return { state: 'unreadable', why: elsewhere(path) };
      }
    },
    async *list(...args) {
      await check(path);
      for await (const batch of folder.list(...args)) {
        await check(path);
        yield batch;
      }
    },
    unwatched: () => reading(() => folder.unwatched()),
    covers: (file) => folder.covers(file),
    stat: (file) => reading(() => folder.stat(file)),
    statEach: (dir, names) => reading(() => folder.statEach(dir, names)),
    async read(...args) {
      try {
        return await reading(() => folder.read(...args));
      } catch (error) {
        if (systemCode(error) !== 'ELOOP') throw error;
        return { kind: 'unreadable', code: 'ELOOP' };
      }
    },
    unwritable: (to) => changing(() => folder.unwritable(to)),
    setAside: (file) => changing(() => folder.setAside(file)),
    putBack: (aside, file) => changing(() => folder.putBack(aside, file)),
    archive: (aside, file) => changing(() => folder.archive(aside, file)),
    findArchived: (...args) => changing(() => folder.findArchived(...args)),
    discard: (aside) => changing(() => folder.discard(aside)),
    leftAside: (signal) => changing(() => folder.leftAside(signal)),
  };
}

export function attentionInPlace(folder: AttentionFolder, check: Check): AttentionFolder {
  const using = async <T>(work: () => Promise<T>): Promise<T> => {
    await check(folder.path);
    return work();
  };
  return {
    path: folder.path,
    isThere: () => using(() => folder.isThere()),
    unwritable: () => using(() => folder.unwritable()),
    make: () => using(() => folder.make()),
    unmake: (made) => using(() => folder.unmake(made)),
    prepare: (wanted) => using(() => folder.prepare(wanted)),
    publish: (prepared) => using(() => folder.publish(prepared)),
    remove: (files) => using(() => folder.remove(files)),
    count: (files) => using(() => folder.count(files)),
    sweep: () => using(() => folder.sweep()),
  };
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
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
export type PlaceCheck = (...places: readonly string[]) => Promise<void>;

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
export function checkOf(stateDir: string, ...places: readonly string[]): PlaceCheck | null {
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

export function elsewhere(folder: string): AwayFact {
  return { is: 'leadsElsewhere', folder };
}

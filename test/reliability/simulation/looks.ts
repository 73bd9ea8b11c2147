import type { Appearance } from '../../../src/core/domain/look.ts';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { Dice } from '../support/dice.ts';

/** How an image always looks to the agent. `untold`: can't be measured. */
type Looks = 'good' | 'blurred' | 'blank' | 'untold';

const SEEN: Readonly<Record<Exclude<Looks, 'untold'>, Omit<Appearance, 'print'>>> = {
  good: { width: 800, height: 1_000, paper: 240, light: 245, ink: 200, detail: 300, sharpness: 2 },
  blurred: { width: 800, height: 1_000, paper: 240, light: 245, ink: 100, detail: 100, sharpness: 0.5 },
  blank: { width: 800, height: 1_000, paper: 240, light: 245, ink: 8, detail: 5, sharpness: 0.1 },
};
/** Marks images whose delivery the simulation waits for. */
const CANARY = 'canary';

/** Depends on the content alone. */
export function looksOf(content: string | Buffer): Looks {
  const text = content.toString('latin1');
  if (text.includes(CANARY)) return 'good';
  return Dice.of(text, 'looks').weighted({ good: 10, blurred: 3, blank: 2, untold: 1 });
}

export function appearanceOf(content: string | Buffer): Appearance | null {
  const looks = looksOf(content);
  return looks === 'untold' ? null : { ...SEEN[looks], print: paperOf(content) };
}

/** Label suffix of a second scan of a paper. */
export const ONCE_MORE = ' once more';

/** Images of the same paper give the same result. */
export function paperOf(content: string | Buffer): string {
  const [head = '', label] = content.toString('latin1').split('|');
  return (label ?? head).replace(ONCE_MORE, '');
}

/** Drawn from separate dice, so that other stories stay the same. */
export function drawLooks<T extends FolderSettings>(seed: number, folders: readonly T[]): T[] {
  const dice = Dice.of(seed, 'looks of folders');
  const isLooking = dice.chance(0.3);
  return folders.map((folder) => ({
    ...folder,
    qualityCheck: isLooking ? dice.pick(['off', 'warn', 'hold'] as const) : 'off',
  }));
}

export function isLooking({ qualityCheck }: Pick<FolderSettings, 'qualityCheck'>): boolean {
  return qualityCheck !== 'off';
}

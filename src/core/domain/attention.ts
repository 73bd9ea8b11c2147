import { replaceUnsafe, withoutUnseen } from './escape.ts';
import { pageOf } from './pages.ts';

/** Why a file can't be sent and needs a person at the scanner. */
export interface Amiss {
  readonly state: 'rejected' | 'incomplete' | 'unreadable' | 'failed';
  /** A code listed in docs/documents.md. */
  readonly reason: string;
  readonly message: string;
}

const NAME_BYTES = 255;
export const NOTE_ENDING = ' - why.txt';
/** Leaves space for the suffix that makes a name unique. */
const ROOM = NAME_BYTES - NOTE_ENDING.length - ' (0a1b2c3d)'.length;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** The file's base name, made valid on every operating system. */
export function safeName(path: string): string {
  const page = pageOf(path);
  const words = page === null ? path : `${page.file}, page ${page.page}`;
  const name = replaceUnsafe(withoutUnseen(words.slice(words.lastIndexOf('/') + 1)))
    .replace(/[<>:"\\|?*]/g, '_')
    .replace(/[. ]+$/, '');
  const whole = name === '' || name.startsWith('.') || DEVICE.test(name) ? `_${name}` : name;
  const dot = whole.lastIndexOf('.');
  const ending = dot > 0 && whole.length - dot <= 10 ? whole.slice(dot) : '';
  const stem = Array.from(ending === '' ? whole : whole.slice(0, -ending.length));
  const encoder = new TextEncoder();
  let used = encoder.encode(whole).length;
  while (used > ROOM) used -= encoder.encode(stem.pop() ?? '').length;
  return stem.join('') + ending;
}

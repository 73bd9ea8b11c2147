import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Position } from './walk.ts';

/** Where the walks continue; null if no rows are left. */
export type Positions = readonly [documents: Position | null, files: Position | null];

export function startOf(from: string | Positions | undefined, beginning: Position): Positions {
  if (from === undefined) return [beginning, beginning];
  return typeof from === 'string' ? readCursor(from) : from;
}

/** Two positions, each `at.id`, or `-` if no rows are left. */
export function cursorOf(positions: readonly (Position | null)[]): string {
  return positions.map((position) => (position === null ? '-' : `${position.at}.${position.id}`)).join('~');
}

const CURSOR = /^(?:-|(-?\d{1,16})\.(-?\d{1,16}))~(?:-|(-?\d{1,16})\.(-?\d{1,16}))$/;

/** @throws ReceiptdError USAGE */
function readCursor(cursor: string): Positions {
  const found = CURSOR.exec(cursor);
  if (!found) {
    throw new ReceiptdError('USAGE.cursor');
  }
  const [, ...parts] = found;
  const position = (at?: string, id?: string) =>
    at === undefined || id === undefined ? null : { at: Number(at), id: Number(id) };
  return [position(parts[0], parts[1]), position(parts[2], parts[3])];
}

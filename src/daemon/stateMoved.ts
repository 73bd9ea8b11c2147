import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../domain/errors.ts';
import { syncDirectory, writeDurably } from './durableFile.ts';
import { NotAFile, readPlainFile } from './plainFile.ts';

/*
 * Two marks in a state directory, read by whoever has just got its instance lock:
 *
 *   moved-away.json   its ledger was moved to another PC (`export-state --final`): nothing runs here until that is taken back
 *   import.json       an import was complete and checked, and is being put in place: whoever comes after a kill ends it
 */

const AWAY = 'moved-away.json';
const COMMITTED = 'import.json';
/** Of the last import: its archive's number. */
const DONE = 'imported.json';
/** Complete parts that wait for `import.json`. */
export const STAGING = 'importing';

/** These go aside first, while what belongs to them still lies there. */
const WITHOUT_SUCCESSOR = [
  'ledger.db-wal',
  'ledger.db-shm',
  'ledger.db.sound',
  'ledger.db.damaged',
  'backups',
  AWAY,
];
/** An import has all of these, if need be empty: one that is still among its parts has not been put in place yet. */
const REPLACED = ['spool', 'attention', 'results-handed', 'ledger.journal', 'ledger.db'];

export interface MovedAway {
  /** Number of the archive. */
  readonly id: string;
  readonly at: string;
}

export async function markMovedAway(stateDir: string, mark: MovedAway): Promise<void> {
  await writeDurably(path.join(stateDir, AWAY), `${JSON.stringify(mark)}\n`);
}

/** @returns whether it was marked */
export async function unmarkMovedAway(stateDir: string): Promise<boolean> {
  try {
    await fs.unlink(path.join(stateDir, AWAY));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Null where it was not. A mark that can't be read is one all the same. */
export async function movedAway(stateDir: string): Promise<MovedAway | null> {
  const text = await readPlainFile(path.join(stateDir, AWAY)).catch((error: unknown) => {
    if (error instanceof NotAFile) return '';
    throw error;
  });
  if (text === null) return null;
  const { id, at } = mappingOf(text);
  return { id: typeof id === 'string' ? id : '', at: typeof at === 'string' ? at : 'an unknown time' };
}

/** @throws ReceiptdError STATE_MOVED */
export async function refuseIfMoved(stateDir: string): Promise<void> {
  const mark = await movedAway(stateDir);
  if (mark === null) return;
  throw new ReceiptdError(
    'STATE_MOVED',
    `The ledger in ${stateDir} was moved to another PC (${mark.at}); both would send what waits.`,
    { hint: 'If it is not in use there, take the move back with `receiptd export-state --undo`.' },
  );
}

/** Number of the archive that was imported last. */
export async function lastImport(stateDir: string): Promise<string | null> {
  const { id } = mappingOf((await readPlainFile(path.join(stateDir, DONE))) ?? '{}');
  return typeof id === 'string' ? id : null;
}

/** From here on the import is what counts: it is put in place now, or by whoever gets the lock next. */
export async function commitImport(
  stateDir: string,
  mark: { readonly id: string; readonly aside: string },
): Promise<void> {
  await writeDurably(path.join(stateDir, COMMITTED), `${JSON.stringify(mark)}\n`);
}

/** Nothing where none was committed. Can be killed anywhere and begun again. The caller holds the instance lock. */
export async function finishImport(stateDir: string): Promise<void> {
  const text = await readPlainFile(path.join(stateDir, COMMITTED));
  if (text === null) return;
  const { id, aside } = mappingOf(text);
  const kept = path.join(stateDir, typeof aside === 'string' ? path.basename(aside) : 'before-import');
  await fs.mkdir(kept, { recursive: true, mode: 0o700 });
  for (const name of WITHOUT_SUCCESSOR) await move(path.join(stateDir, name), path.join(kept, name));
  for (const name of REPLACED) {
    const next = path.join(stateDir, STAGING, name);
    if (!existsSync(next)) continue;
    await move(path.join(stateDir, name), path.join(kept, name));
    await move(next, path.join(stateDir, name));
  }
  await syncDirectory(stateDir);
  await writeDurably(path.join(stateDir, DONE), `${JSON.stringify({ id })}\n`);
  await fs.rm(path.join(stateDir, STAGING), { recursive: true, force: true });
  await fs.rmdir(kept).catch(() => {});
  await fs.unlink(path.join(stateDir, COMMITTED));
}

async function move(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

function mappingOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { createImageInspector } from '../../src/intake/image/inspect.ts';
import { ByteBudget } from '../../src/keeper/byteBudget.ts';
import { sha256 } from '../../src/core/sha256.ts';
import type { FolderSettings } from '../../src/core/domain/settings.ts';
import { SingleFiles } from '../../src/intake/singleFiles.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Admission } from '../../src/core/ports/ledgerIntake.ts';
import { drawReceipt } from '../support/images.ts';
import type { KeepingOptions } from '../keeper/keeping.ts';
import { OFFICE, type Place, sendingPlace } from '../flow/sending.ts';
import { FOLDER_SETTINGS } from './watching.ts';

const SETTINGS: FolderSettings = { ...FOLDER_SETTINGS, path: '/nowhere', accept: ['jpeg', 'png'] };

type Gate = (admission: Admission, go: () => ReturnType<Ledger['admit']>) => ReturnType<Ledger['admit']>;

interface Options {
  readonly keeping?: KeepingOptions;
  readonly settings?: Partial<FolderSettings>;
  /** Wraps admission. */
  readonly gate?: Gate;
}

async function desk(place: Place, { keeping = {}, settings: more = {}, gate }: Options = {}) {
  const folder = join(place.dir, 'desk');
  await mkdir(folder, { recursive: true });
  const wrap = (real: Ledger): Ledger =>
    gate ? { ...real, admit: (admission) => gate(admission, () => real.admit(admission)) } : real;
  const sending = await place.start({ wrap, keeping: { mode: 'auto', ...keeping } });
  const { payloads, flow } = sending;
  const { clock, log, open } = place;
  const ledger = wrap(place.ledger);
  const memory = new ByteBudget(10_000_000);
  const files: SingleFiles = new SingleFiles({
    ledger,
    payloads,
    inspector: createImageInspector(async (bytes) => sha256(bytes)),
    open,
    memory,
    clock,
    log,
    host: 'front',
    onAdmitted: () => flow.wake(),
  });
  const settings: FolderSettings = { ...SETTINGS, path: folder, ...more };
  async function take(path: string, bytes: Buffer) {
    await writeFile(join(folder, path), bytes);
    const found = await open(folder).stat(path);
    if (found?.kind !== 'file') throw new Error('not written');
    return files.take({ path, identity: found.identity, bytes }, settings);
  }
  const sweep = () => payloads.sweep(new AbortController().signal);
  const copies = async () =>
    (await readdir(sending.spoolDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { ...sending, folder, files, take, sweep, copies };
}

const image = () => drawReceipt({ type: 'jpeg', seed: 'single' });

test('makes the copy durable before requesting a name, and no sweep removes it in between', async () => {
  const place = await sendingPlace();
  const seen: string[][] = [];
  const site = await desk(place, {
    gate: async (_, go) => {
      seen.push(await site.copies());
      await site.sweep();
      await site.payloads.copies.dropUnwanted(sha256(bytes));
      seen.push(await site.copies());
      return go();
    },
  });
  const bytes = await image();
  const taken = await site.take('a.jpg', bytes);
  expect(taken).toMatchObject({ kind: 'queued', document: { folder: site.folder, path: 'a.jpg' } });
  expect(seen.map((each) => each.length)).toEqual([1, 1]);
});

test('admits nothing and removes the copy if the ledger fails', async () => {
  const place = await sendingPlace();
  const failure = new ReceiptdError({
    code: 'LEDGER_WRITE_FAILED',
    message: 'The ledger cannot be written.',
  });
  const site = await desk(place, { gate: () => Promise.reject(failure) });
  const bytes = await image();
  await expect(site.take('a.jpg', bytes)).rejects.toBe(failure);
  expect(await site.copies()).toEqual([]);
});

test('assigns no name without room for a copy', async () => {
  const place = await sendingPlace();
  const full = await desk(place, { keeping: { spoolLimit: 1_000 } });
  await expect(full.take('a.jpg', await image())).rejects.toMatchObject({ code: 'SPOOL_FULL' });
  await full.stop();
  const beforePut = () =>
    Promise.reject(new ReceiptdError({ code: 'SPOOL_UNWRITABLE', message: 'The disk fails.' }));
  const broken = await desk(place, { keeping: { beforePut } });
  await expect(broken.take('a.jpg', await image())).rejects.toMatchObject({ code: 'SPOOL_UNWRITABLE' });
  expect(await place.ledger.counts()).toEqual([]);
});

test('keeps no copy of a duplicate unless its document is waiting', async () => {
  const place = await sendingPlace();
  const site = await desk(place);
  const bytes = await image();
  await site.holds.pause('endpoint', `${OFFICE.baseUrl}#${OFFICE.uid}`, 'anna');
  await site.take('a.jpg', bytes);
  expect(await site.take('b.jpg', bytes)).toMatchObject({ kind: 'duplicate', document: { path: 'a.jpg' } });
  expect(await site.take('a.jpg', bytes)).toMatchObject({ kind: 'known' });
  expect(await site.copies()).toHaveLength(1);
  await site.holds.resume('endpoint', `${OFFICE.baseUrl}#${OFFICE.uid}`);
  site.flow.wake();
  await place.clock.advanceUntil(() => site.accepted.length === 1);
  expect(await site.take('c.jpg', bytes)).toMatchObject({ kind: 'duplicate' });
  expect(await site.copies()).toEqual([]);
});

test('rejects an original that cannot be read back unchanged if there are no copies', async () => {
  const place = await sendingPlace();
  const site = await desk(place, { keeping: { mode: 'never' } });
  const bytes = await image();
  await writeFile(join(site.folder, 'a.jpg'), bytes);
  const found = await place.open(site.folder).stat('a.jpg');
  if (found?.kind !== 'file') throw new Error('not written');
  await writeFile(join(site.folder, 'a.jpg'), Buffer.alloc(bytes.length, 7));
  const { identity } = found;
  const settings: FolderSettings = { ...SETTINGS, path: site.folder };
  const taken = await site.files.take({ path: 'a.jpg', identity, bytes }, settings);
  expect(taken).toMatchObject({ kind: 'rejected', why: { is: 'notReadByAgent' } });
  expect(await place.ledger.counts()).toEqual([]);
  expect(await site.take('a.jpg', bytes)).toMatchObject({ kind: 'queued' });
  await place.clock.advanceUntil(() => site.accepted.length === 1);
});

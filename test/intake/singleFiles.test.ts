import { appendFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
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
import { FOLDER_SETTINGS, watchingPlace } from './watching.ts';
import type { WhyFact } from '../../src/core/domain/why.ts';

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
    gate
      ? new Proxy(real, {
          get(target, key) {
            if (key === 'admit')
              return (admission: Admission) => gate(admission, () => real.admit(admission));
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          },
        })
      : real;
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

test('sends a named image from the copy, whatever happens to the file', async () => {
  const place = await sendingPlace();
  const site = await desk(place, {
    gate: async (_, go) => {
      await rm(join(site.folder, 'a.jpg'));
      return go();
    },
  });
  expect(await site.take('a.jpg', await image())).toMatchObject({ kind: 'queued' });
  await place.clock.advanceUntil(() => site.accepted.length === 1);
  await place.clock.advanceUntil(async () => (await site.copies()).length === 0);
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

test('rejects non-images, truncated files, other types and too large files, and keeps nothing of them', async () => {
  const place = await sendingPlace();
  const bytes = await image();
  const site = await desk(place, { settings: { maxFileSize: bytes.length } });
  const rejected = (is: WhyFact['is']) => ({ kind: 'rejected', why: { is } });
  expect(await site.take('a.txt', Buffer.from('Milk, eggs'))).toMatchObject(rejected('notAnImage'));
  expect(await site.take('b.jpg', Buffer.alloc(0))).toMatchObject(rejected('empty'));
  expect(await site.take('c.jpg', bytes.subarray(0, 1_000))).toMatchObject(rejected('incomplete'));
  expect(await site.take('d.jpg', Buffer.concat([bytes, bytes]))).toMatchObject(rejected('fileTooLarge'));
  const pngs = await desk(place, { settings: { accept: ['png'] } });
  expect(await pngs.take('e.jpg', bytes)).toMatchObject(rejected('notAccepted'));
  expect(await site.copies()).toEqual([]);
  expect(await place.ledger.counts()).toEqual([]);
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

describe('a file that is being written', () => {
  it('is reported if it stays incomplete, and admitted once it is complete', async () => {
    const place = await watchingPlace();
    const { intake, admitted } = await place.watch();
    const whole = await drawReceipt({ type: 'jpeg', seed: 'cut' });
    await writeFile(join(place.scans, 'cut.jpg'), whole.subarray(0, whole.length / 2));
    await writeFile(join(place.scans, 'empty.jpg'), '');
    await place.clock.advanceUntil(() => intake.status.settling === 2);
    await place.clock.advance(595_000);
    expect(await place.states()).toEqual({});
    await place.clock.advance(10_000);
    expect(await place.states()).toEqual({ 'cut.jpg': 'incomplete', 'empty.jpg': 'incomplete' });
    expect(place.log.said('Not sent: incomplete')).toHaveLength(2);
    expect(intake.status.settling).toBe(0);
    await appendFile(join(place.scans, 'cut.jpg'), whole.subarray(whole.length / 2));
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(await place.states()).toEqual({ 'cut.jpg': 'queued', 'empty.jpg': 'incomplete' });
  });
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Document } from '../../../src/core/domain/document.ts';
import type { Unreadable } from '../../../src/core/ports/pages.ts';
import type { PictureRequest } from '../../../src/core/ports/pictures.ts';
import { Pictures } from '../../../src/features/pictures/pictures.ts';
import { ThumbnailCache } from '../../../src/features/pictures/thumbnailCache.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { webpOf } from './webp.ts';
import { tempDir } from '../../support/tempDir.ts';

const SIGNAL = new AbortController().signal;
const DAMAGED: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: { is: 'damaged' } };
const TROUBLE: Unreadable = { ...DAMAGED, reason: 'TROUBLE' };

function image(digit: string): Document {
  // Pictures use only these fields of a document.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { sha256: digit.repeat(64), type: 'jpeg', size: 5 } as Document;
}

function place({ limitBytes = 1_000, most = 2 } = {}) {
  const root = tempDir('pictures', memoryDirectory());
  const dir = join(root, 'thumbnails');
  const clock = new FakeClock();
  const log = new RecordedLog();
  const asked: PictureRequest[] = [];
  const state: { answer: Unreadable | null; hold: Promise<void> | null } = { answer: null, hold: null };
  const maker = {
    draw: async (request: PictureRequest) => {
      asked.push(request);
      await state.hold;
      return state.answer ?? ({ kind: 'picture', bytes: webpOf(50), pages: 3 } as const);
    },
    close: async () => {},
  };
  const cache = new ThumbnailCache({ dir, limitBytes, clock });
  const pictures = new Pictures({ maker, cache, clock, log, limits: { most, waitMs: 3_000 } });
  const locate = async () => Buffer.from('bytes');
  const thumbnail = async (digit: string, signal = SIGNAL) =>
    (await pictures.thumbnail(image(digit), locate, signal)).kind;
  const fileOf = (digit: string) => join(dir, `${digit.repeat(64)}.webp`);
  function hold(): () => void {
    let release = (): void => {};
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }
  return { pictures, cache, clock, log, asked, state, dir, locate, thumbnail, fileOf, hold };
}

it('the agent draws a thumbnail once, and a preview of the requested page each time', async () => {
  const { pictures, asked, thumbnail, locate } = place();
  expect([await thumbnail('a'), await thumbnail('a')]).toEqual(['picture', 'picture']);
  for (const page of [2, 2])
    expect(await pictures.preview(image('a'), page, locate, SIGNAL)).toMatchObject({ pages: 3 });
  expect(asked.map(({ page, size }) => [page, size])).toEqual([
    [1, 320],
    [2, 1600],
    [2, 1600],
  ]);
});

it('the agent draws one at a time, shares a picture among its requests, and refuses requests when too many wait', async () => {
  const { asked, thumbnail, hold } = place({ most: 2 });
  const release = hold();
  const wanted = ['a', 'b', 'b', 'c', 'd'].map((digit) => thumbnail(digit));
  expect(await wanted.at(-1)).toBe('busy');
  expect(asked).toHaveLength(1);
  release();
  expect(await Promise.all(wanted)).toEqual(['picture', 'picture', 'picture', 'picture', 'busy']);
  expect(asked).toHaveLength(3);
});

it('the agent answers soon, even though the picture is drawn later', async () => {
  const { clock, asked, thumbnail, hold } = place();
  const release = hold();
  const first = thumbnail('a');
  await expect.poll(() => asked.length).toBe(1);
  await clock.advance(3_000);
  expect(await first).toBe('busy');
  release();
  expect(await thumbnail('a')).toBe('picture');
  expect(asked).toHaveLength(1);
});

it('the agent draws nothing for requests that were aborted', async () => {
  const { asked, thumbnail, hold } = place();
  const release = hold();
  const first = thumbnail('a');
  const gone = new AbortController();
  const second = thumbnail('b', gone.signal);
  await expect.poll(() => asked.length).toBe(1);
  gone.abort();
  expect(await second).toBe('busy');
  release();
  expect(await first).toBe('picture');
  expect(await thumbnail('c')).toBe('picture');
  expect(asked).toHaveLength(2);
});

it('the agent tries an undrawable image once, and repeats a temporary failure', async () => {
  const { asked, state, thumbnail } = place();
  state.answer = DAMAGED;
  expect([await thumbnail('a'), await thumbnail('a')]).toEqual(['none', 'none']);
  expect(asked).toHaveLength(1);
  state.answer = TROUBLE;
  expect(await thumbnail('b')).toBe('none');
  state.answer = null;
  expect(await thumbnail('b')).toBe('picture');
});

it('the agent keeps nothing of an image that is forgotten while it is being drawn', async () => {
  const { pictures, asked, thumbnail, fileOf, hold } = place();
  const release = hold();
  const first = thumbnail('a');
  await expect.poll(() => asked.length).toBe(1);
  await pictures.forget('a'.repeat(64));
  release();
  await first;
  expect(existsSync(fileOf('a'))).toBe(false);
  await thumbnail('a');
  expect(existsSync(fileOf('a'))).toBe(true);
  await pictures.forget('a'.repeat(64));
  expect(existsSync(fileOf('a'))).toBe(false);
});

it('the agent shows previews even if thumbnails are off', async () => {
  const { pictures, asked, thumbnail, locate } = place({ limitBytes: 0 });
  expect(await thumbnail('a')).toBe('none');
  expect(asked).toEqual([]);
  expect(await pictures.preview(image('a'), 1, locate, SIGNAL)).toMatchObject({ kind: 'picture' });
});

it("the agent shows thumbnails that can't be stored, and reports that once", async () => {
  const { dir, log, thumbnail } = place();
  writeFileSync(dir, 'no directory');
  expect([await thumbnail('a'), await thumbnail('b')]).toEqual(['picture', 'picture']);
  expect(log.said('Thumbnails can’t be stored')).toHaveLength(1);
});

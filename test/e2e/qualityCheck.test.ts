import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { pdfOf } from '../support/pdf.ts';
import { blankSheet, SCANNED_AGAIN, SPOILED } from '../support/spoiled.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { prepare, type Site } from './support/agent.ts';
import { hasReceipts, receiptFile } from './support/receipts.ts';

async function office(
  more: Record<string, unknown>,
): Promise<{ site: Site; inbox: (name: string) => string }> {
  const site = await prepare();
  const settle = { long: '250ms' };
  const folder = { path: site.file('inbox'), endpoint: 'office', settle, name: '{stem}', ...more };
  await site.configure({ folders: [folder] });
  return { site, inbox: (name) => site.file('inbox', name) };
}

function receipt(seed: string): Promise<Buffer> {
  return drawReceipt({ type: 'jpeg', seed, width: 600, height: 1_000 });
}

async function dark(seed: string): Promise<Buffer> {
  return SPOILED['a third as bright']!(await receipt(seed));
}

const received = ({ sandbox }: Site) => sandbox.received().map(({ name }) => name);

test('`qualityCheck: hold` keeps back unreadable images, reports them, and lets a person send them', async () => {
  const { site, inbox } = await office({ qualityCheck: 'hold', afterUpload: 'archive' });
  await writeFile(inbox('good.jpg'), await receipt('good'));
  await writeFile(inbox('dark.jpg'), await dark('dark'));
  await writeFile(inbox('white.jpg'), await blankSheet());
  await site.quickOnce();
  expect(received(site)).toEqual(['good']);
  const rejected = await site.list('--state', 'rejected');
  expect(rejected.map(({ reason }) => reason).sort()).toEqual(['BLANK', 'TOO_DARK']);
  expect(await site.quickMust('status')).toMatch(/^ {2}2 scans .*\[PERSON_NEEDED\]$/m);
  expect([inbox('dark.jpg'), inbox('white.jpg')].map((file) => existsSync(file))).toEqual([true, true]);

  await site.quickMust('send', inbox('dark.jpg'));
  expect(received(site)).toEqual(['good', 'dark']);
  await site.quickOnce();
  // From now on it is treated like any other receipt in the folder.
  expect([existsSync(inbox('dark.jpg')), existsSync(site.file('inbox', 'archive', 'dark.jpg'))]).toEqual([
    false,
    true,
  ]);
  expect((await site.list('--state', 'rejected')).map(({ reason }) => reason)).toEqual(['BLANK']);
  expect(site.sandbox.stats()).toMatchObject({ repeats: 0 });
});

test('`qualityCheck: warn` sends unreadable images with a remark, including those that `hold` kept back', async () => {
  const { site, inbox } = await office({ qualityCheck: 'hold' });
  await writeFile(inbox('dark.jpg'), await dark('dark'));
  await site.quickOnce();
  expect(received(site)).toEqual([]);
  await site.configure({
    folders: [{ path: site.file('inbox'), endpoint: 'office', name: '{stem}', qualityCheck: 'warn' }],
  });
  await site.quickOnce();
  expect(received(site)).toEqual(['dark']);
  expect(await site.quickMust('show', 'dark')).toMatch(/quality +It is too dark\./);
});

test.skipIf(!hasReceipts())(
  '`qualityCheck: hold` keeps back a second scan of the same paper and names the first, sends another receipt of that shop, and forgets erased scans',
  async () => {
    const { site, inbox } = await office({ qualityCheck: 'hold' });
    const first = await readFile(receiptFile('081.jpg'));
    const again = (how: string) => SCANNED_AGAIN[how]!(first);
    await writeFile(inbox('first.jpg'), first);
    await site.quickOnce();
    await writeFile(inbox('again.jpg'), await again('turned by −1°'));
    await copyFile(receiptFile('085.jpg'), inbox('other.jpg'));
    await site.quickOnce();
    expect(received(site)).toEqual(['first', 'other']);
    const [held, ...others] = await site.list('--state', 'rejected');
    expect([held?.path, held?.reason, others]).toEqual([inbox('again.jpg'), 'SCANNED_BEFORE', []]);
    expect(held?.message).toContain('It looks like first, scanned at ');
    await rm(inbox('first.jpg'));
    await site.quickMust('erase', 'first', '--yes');
    await writeFile(inbox('once more.jpg'), await again('noise of ±25'));
    await site.quickOnce();
    expect(received(site)).toEqual(['first', 'other', 'once more']);
  },
);

test('blank backs of a PDF are skipped, and its original is archived, but never deleted', async () => {
  const page = async (jpeg: Buffer) => {
    const { width, height } = await sharp(jpeg).metadata();
    return { jpeg, width, height };
  };
  const back = await page(await blankSheet());
  const site = await prepare();
  const kinds = ['archive', 'delete'];
  await site.configure({
    folders: kinds.map((afterUpload) => ({
      path: site.file(afterUpload),
      endpoint: 'office',
      settle: { long: '250ms' },
      name: '{stem}-{page}',
      qualityCheck: 'warn',
      afterUpload,
    })),
  });
  for (const kind of kinds) {
    const front = await page(await receipt(`front ${kind}`));
    await writeFile(site.file(kind, `duplex-${kind}.pdf`), pdfOf([front, back]));
    await writeFile(site.file(kind, `blank-${kind}.pdf`), pdfOf([back, back], { title: kind }));
    await writeFile(site.file(kind, `alone-${kind}.jpg`), await receipt(`alone ${kind}`));
  }
  await site.quickOnce();
  await site.quickOnce();
  expect(received(site).sort()).toEqual(
    ['alone', 'duplex'].flatMap((file) => kinds.map((kind) => `${file}-${kind}-1`)),
  );
  const rows = await site.list();
  for (const kind of kinds) {
    const files = ['alone', 'blank', 'duplex'].map((file) =>
      existsSync(site.file(kind, `${file}-${kind}.${file === 'alone' ? 'jpg' : 'pdf'}`)),
    );
    expect(files).toEqual([false, true, kind === 'delete']);
    const its = rows.map(({ path, state, reason }) => [path.split(`/${kind}/`)[1], state, reason]);
    expect(its).toContainEqual([`duplex-${kind}.pdf`, 'split', null]);
    expect(its).toContainEqual([`duplex-${kind}.pdf/page 2`, 'rejected', 'BLANK']);
    expect(its).toContainEqual([`blank-${kind}.pdf`, 'rejected', 'BLANK']);
  }
  expect(await site.quickMust('status')).toContain('[PERSON_NEEDED]');
});

test('`upright: true` turns a photograph upright, and sends other images byte for byte', async () => {
  const upright = await receipt('turned');
  const lying = await sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const { site, inbox } = await office({ upright: true, afterUpload: 'archive' });
  await writeFile(inbox('lying.jpg'), lying);
  await writeFile(inbox('standing.jpg'), upright);
  await site.quickOnce();
  await site.quickOnce();
  const sent = site.sandbox.received().map((each) => each.sha256);
  expect(sent).toHaveLength(2);
  expect(sent).toContain(sha256(upright));
  expect(sent).not.toContain(sha256(lying));
  expect([inbox('lying.jpg'), inbox('standing.jpg')].map((file) => existsSync(file))).toEqual([false, false]);
});

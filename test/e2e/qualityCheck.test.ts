import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { pdfOf } from '../support/pdf.ts';
import { blankSheet, SCANNED_AGAIN, SPOILED } from '../support/spoiled.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { hasReceipts, receiptFile } from './support/receipts.ts';

function receipt(seed: string): Promise<Buffer> {
  return drawReceipt({ type: 'jpeg', seed, width: 600, height: 1_000 });
}

async function dark(seed: string): Promise<Buffer> {
  return SPOILED['a third as bright']!(await receipt(seed));
}

const received = ({ sandbox }: Site) => sandbox.received().map(({ name }) => name);

test('`qualityCheck: hold` keeps back unreadable images, reports them, and lets a person send them; `warn` sends them with a remark; blank backs are skipped; `upright: true` turns photographs', async () => {
  const site = await prepare();
  const kinds = ['archive', 'delete'];
  const folder = (name: string, more: object) => ({
    path: site.file(name),
    endpoint: 'office',
    settle: { long: '250ms' },
    name: '{stem}',
    ...more,
  });
  const configured = (qualityCheck: string) =>
    site.configure({
      folders: [
        folder('inbox', { qualityCheck, afterUpload: 'archive' }),
        folder('upright', { upright: true, afterUpload: 'archive' }),
        ...kinds.map((kind) =>
          folder(kind, { name: '{stem}-{page}', qualityCheck: 'warn', afterUpload: kind }),
        ),
      ],
    });
  await configured('hold');
  const isThere = (...path: string[]) => existsSync(site.file(...path));
  await writeFile(site.file('inbox', 'good.jpg'), await receipt('good'));
  await writeFile(site.file('inbox', 'dark.jpg'), await dark('dark'));
  await writeFile(site.file('inbox', 'dim.jpg'), await dark('dim'));
  await writeFile(site.file('inbox', 'white.jpg'), await blankSheet());
  const standing = await receipt('turned');
  const lying = await sharp(standing).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  await writeFile(site.file('upright', 'lying.jpg'), lying);
  await writeFile(site.file('upright', 'standing.jpg'), standing);
  const page = async (jpeg: Buffer) => {
    const { width, height } = await sharp(jpeg).metadata();
    return { jpeg, width, height };
  };
  const back = await page(
    await sharp(await blankSheet())
      .resize({ width: 620 })
      .jpeg()
      .toBuffer(),
  );
  for (const kind of kinds) {
    const front = await page(await receipt(`front ${kind}`));
    await writeFile(site.file(kind, `duplex-${kind}.pdf`), pdfOf([front, back]));
    await writeFile(site.file(kind, `alone-${kind}.jpg`), await receipt(`alone ${kind}`));
  }
  await writeFile(site.file('delete', 'blank.pdf'), pdfOf([back, back]));
  const agent = await site.quickStart();
  const pages = ['alone', 'duplex'].flatMap((file) => kinds.map((kind) => `${file}-${kind}-1`));
  const others = ['lying', 'standing', ...pages];
  const inInbox = async () => {
    const rows = await site.list('--folder', site.file('inbox'), '--state', 'rejected');
    return rows.map(({ reason }) => reason).sort();
  };
  await until(
    async () => (await inInbox()).length === 3 && (await site.list('--state', 'rejected')).length >= 6,
    'all to be held',
  );
  await until(() => received(site).length > others.length, 'the good ones');
  expect(received(site).toSorted()).toEqual([...others, 'good'].toSorted());
  expect(await inInbox()).toEqual(['BLANK', 'TOO_DARK', 'TOO_DARK']);
  expect(await site.quickMust('status')).toMatch(/^ {2}3 scans .*\[PERSON_NEEDED\]$/m);
  expect(['dark.jpg', 'dim.jpg', 'white.jpg'].map((name) => isThere('inbox', name))).not.toContain(false);
  const sent = site.sandbox.received().map((each) => each.sha256);
  expect(sent).toContain(sha256(standing));
  expect(sent).not.toContain(sha256(lying));

  await site.quickMust('send', site.file('inbox', 'dark.jpg'));
  await configured('warn');
  await site.quickMust('reload');
  await until(() => received(site).includes('dim'), 'the dim one');
  expect(received(site).toSorted()).toEqual([...others, 'dark', 'dim', 'good'].toSorted());
  expect(await site.quickMust('show', 'dim')).toMatch(/quality +It is too dark\./);
  expect(await inInbox()).toEqual(['BLANK']);
  // What was held back is treated like any other receipt in the folder from now on.
  const taken = ['inbox/dark.jpg', 'inbox/dim.jpg', 'upright/lying.jpg', 'upright/standing.jpg'];
  await until(() => taken.every((file) => !isThere(file)), 'the originals to be archived');
  expect(isThere('inbox', 'archive', 'dark.jpg')).toBe(true);
  await until(() => !isThere('archive', 'duplex-archive.pdf'), 'the PDF to be archived');
  await agent.stop();
  expect(site.sandbox.stats()).toMatchObject({ repeats: 0 });
  const rows = await site.list();
  for (const kind of kinds) {
    expect([isThere(kind, `alone-${kind}.jpg`), isThere(kind, `duplex-${kind}.pdf`)]).toEqual([
      false,
      kind === 'delete',
    ]);
    const its = rows.map(({ path, state, reason }) => [path.split(`/${kind}/`)[1], state, reason]);
    expect(its).toContainEqual([`duplex-${kind}.pdf`, 'split', null]);
    expect(its).toContainEqual([`duplex-${kind}.pdf/page 2`, 'rejected', 'BLANK']);
  }
  expect(isThere('delete', 'blank.pdf')).toBe(true);
  expect(rows).toContainEqual(
    expect.objectContaining({ path: site.file('delete', 'blank.pdf'), reason: 'BLANK' }),
  );
});

test.skipIf(!hasReceipts())(
  '`qualityCheck: hold` keeps back a second scan of the same paper and names the first, sends another receipt of that shop, and forgets erased scans',
  async () => {
    const site = await prepare();
    const folder = { path: site.file('inbox'), endpoint: 'office', name: '{stem}', qualityCheck: 'hold' };
    await site.configure({ folders: [folder] });
    const inbox = (name: string): string => site.file('inbox', name);
    const scanned = (name: string) => sharp(receiptFile(name)).resize({ width: 800 }).jpeg().toBuffer();
    const first = await scanned('081.jpg');
    const again = (how: string) => SCANNED_AGAIN[how]!(first);
    await site.quickStart();
    await writeFile(inbox('first.jpg'), first);
    await until(async () => (await site.list('--state', 'accepted')).length === 1, 'the first');
    await writeFile(inbox('again.jpg'), await again('turned by −1°'));
    await writeFile(inbox('other.jpg'), await scanned('085.jpg'));
    await until(
      async () => received(site).length === 2 && (await site.list('--state', 'rejected')).length > 0,
    );
    expect(received(site)).toEqual(['first', 'other']);
    const [held, ...others] = await site.list('--state', 'rejected');
    expect([held?.path, held?.reason, others]).toEqual([inbox('again.jpg'), 'SCANNED_BEFORE', []]);
    expect(held?.message).toContain('It looks like first, scanned at ');
    await site.quickMust('erase', 'first', '--with-originals', '--yes');
    await writeFile(inbox('once more.jpg'), await again('noise of ±25'));
    await until(() => received(site).length === 3, 'a scan of an erased paper');
    expect(received(site)).toEqual(['first', 'other', 'once more']);
  },
);

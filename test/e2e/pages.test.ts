import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { chosenOf } from '../support/everyCase.ts';
import { drawReceipt } from '../support/images.ts';
import { HEIC } from '../support/heic.ts';
import { pdfOf, type PdfPage } from '../support/pdf.ts';
import { tiffOf } from '../support/tiff.ts';
import { prepare } from './support/agent.ts';
import { hasReceipts, receiptFile, receipts } from './support/receipts.ts';

// A low resolution, because drawing takes a while.
const TAKES_JPEG = { accept: ['jpeg', 'png'], pageResolution: 72 };

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function scan(seed: string): Promise<{ page: PdfPage; jpeg: Buffer; sha256: string }> {
  const jpeg = await drawReceipt({ type: 'jpeg', seed });
  const { width, height } = await sharp(jpeg).metadata();
  return { page: { jpeg, width, height }, jpeg, sha256: sha256(jpeg) };
}

describe('multi-page files', () => {
  test('a PDF of scans sends each JPEG in it byte for byte under its own name; the same PDF again sends nothing', async () => {
    const site = await prepare();
    const folder = site.folder('inbox', { name: '{stem}-{page:3}-of-{pages}', afterUpload: 'archive' });
    await site.configure({ folders: [folder] });
    const scans = await Promise.all(['a', 'b', 'c', 'b'].map(scan));
    await writeFile(site.file('inbox', 'feeder.pdf'), pdfOf(scans.map(({ page }) => page)));
    expect(await site.quickOnce()).toMatchObject({ status: 0 });

    const distinct = new Set(scans.map((each) => each.sha256));
    expect(new Set(site.sandbox.received().map((each) => each.sha256))).toEqual(distinct);
    expect(
      site.sandbox
        .received()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['feeder-001-of-4', 'feeder-002-of-4', 'feeder-003-of-4']);
    const rows = (await site.list()).map(({ path, state }) => [
      path.slice(site.file('inbox').length + 1),
      state,
    ]);
    expect(rows.sort()).toEqual([
      ['feeder.pdf', 'split'],
      ['feeder.pdf/page 1', 'accepted'],
      ['feeder.pdf/page 2', 'accepted'],
      ['feeder.pdf/page 3', 'accepted'],
      ['feeder.pdf/page 4', 'duplicate'],
    ]);
    expect(existsSync(site.file('inbox', 'feeder.pdf'))).toBe(false);
    await copyFile(site.file('inbox', 'archive', 'feeder.pdf'), site.file('inbox', 'again.pdf'));
    await writeFile(site.file('inbox', 'alone.jpg'), scans[0]!.jpeg);
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect(site.sandbox.stats()).toMatchObject({ stored: 3, repeats: 0 });
    expect(
      (await site.list('--state', 'duplicate')).map(({ path }) => path.split('/').at(-1)).sort(),
    ).toEqual(['alone.jpg', 'page 1', 'page 2', 'page 3', 'page 4', 'page 4']);
    // The copy was removed after the acceptance; the page is in the archived file.
    await site.quickMust('resend', 'feeder-002-of-4');
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect(site.sandbox.stats()).toMatchObject({ stored: 3, repeats: 1 });
    expect(await site.quickMust('audit')).toContain('split');
  });

  test('drawn pages, a multi-page TIFF and a HEIC are sent; encrypted and damaged files end with a reason and delay nothing', async () => {
    const site = await prepare();
    await site.configure({ folders: [site.folder('inbox', TAKES_JPEG)] });
    const { page } = await scan('d');
    await writeFile(
      site.file('inbox', 'written.pdf'),
      pdfOf([{ content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' }]),
    );
    await writeFile(site.file('inbox', 'locked.pdf'), pdfOf([page], { isEncrypted: true }));
    const whole = pdfOf([page]);
    // The file has its end, but lacks the data that the end refers to.
    const damaged = Buffer.concat([
      whole.subarray(0, 12),
      Buffer.alloc(whole.length - 72, 0x41),
      whole.subarray(-60),
    ]);
    await writeFile(site.file('inbox', 'damaged.pdf'), damaged);
    // Its second page is a number.
    const half = pdfOf([page, page]).toString('latin1').replace('\n8 0 obj\n<< ', '\n8 0 obj\n0 %');
    await writeFile(site.file('inbox', 'half.pdf'), half, 'latin1');
    await writeFile(
      site.file('inbox', 'fax.tif'),
      tiffOf([10, 120, 250].map((grey) => ({ width: 60, height: 80, grey }))),
    );
    await writeFile(site.file('inbox', 'phone.heic'), HEIC);
    expect(await site.quickOnce()).toMatchObject({ status: 3 });
    const rows = (await site.list()).map(({ path, state, reason }) => [
      path.slice(site.file('inbox').length + 1),
      state,
      reason,
    ]);
    expect(rows.sort()).toEqual([
      ['damaged.pdf', 'rejected', 'DAMAGED'],
      ['fax.tif', 'split', null],
      ['fax.tif/page 1', 'accepted', null],
      ['fax.tif/page 2', 'accepted', null],
      ['fax.tif/page 3', 'accepted', null],
      ['half.pdf', 'rejected', 'PAGES_NOT_SENT'],
      ['half.pdf/page 1', 'accepted', null],
      ['half.pdf/page 2', 'rejected', 'DAMAGED'],
      ['locked.pdf', 'rejected', 'ENCRYPTED'],
      ['phone.heic', 'split', null],
      ['phone.heic/page 1', 'accepted', null],
      ['written.pdf', 'split', null],
      ['written.pdf/page 1', 'accepted', null],
    ]);

    const written = site.file('inbox', 'written.pdf');
    const name = (await site.list()).find(({ path }) => path === `${written}/page 1`)?.name ?? '';
    const refused = await site.look('erase', name, '--yes');
    expect(refused.stdout).toContain(`Not erased: ${name}`);
    expect(refused.stdout).toContain(written);
    expect(await site.quickMust('erase', name, '--with-originals', '--yes')).toContain('of 1 document.');
    expect(existsSync(written)).toBe(false);
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect((await site.list()).filter(({ path }) => path.includes('written'))).toEqual([]);
  });

  test.skipIf(!hasReceipts())(
    'a PDF of real receipts stores every JPEG once, byte for byte, despite repeated kills',
    async () => {
      const site = await prepare();
      // Their number, and not their bytes, matters here.
      const files = chosenOf(Object.keys(receipts()), (_, at) => at % 8 === 0);
      const pages: PdfPage[] = [];
      const wanted = new Set<string>();
      for (const name of files) {
        const jpeg = await readFile(receiptFile(name));
        const { width, height } = await sharp(jpeg).metadata();
        pages.push({ jpeg, width, height });
        wanted.add(sha256(jpeg));
      }
      await writeFile(site.file('inbox', 'office.pdf'), pdfOf(pages));
      // After the first page, and in the middle.
      for (const stored of [1, Math.floor(wanted.size / 2)]) {
        const agent = await site.start();
        // Polled often enough to kill between two uploads, but with pauses that leave the processor to the agent.
        while (site.sandbox.stats().stored < stored && agent.alive) await sleep(2);
        await agent.kill();
      }
      expect(await site.quickOnce()).toMatchObject({ status: 0 });
      const arrived = site.sandbox.received();
      expect(new Set(arrived.map((each) => each.sha256))).toEqual(wanted);
      expect(new Set(arrived.map(({ name }) => name)).size).toBe(wanted.size);
      expect(await site.list('--state', 'accepted')).toHaveLength(wanted.size);
    },
  );
});

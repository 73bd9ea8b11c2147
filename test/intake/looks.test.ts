import { describe, expect, it } from 'vitest';
import type { Document, DocumentState } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { Appearance } from '../../src/core/domain/look.ts';
import type { PaperImage } from '../../src/core/ports/papers.ts';
import { Looks } from '../../src/intake/looks.ts';

const GOOD: Appearance = {
  width: 600,
  height: 1_200,
  paper: 250,
  light: 255,
  ink: 200,
  detail: 300,
  sharpness: 2,
  print: 'stripes',
};
const AT = { folder: '/scans', endpoint: { baseUrl: 'https://service.example', uid: 'office' } };

/** Documents by hash, scanned in this order. All papers look the same. */
function office(documents: Readonly<Record<string, DocumentState>>) {
  const remembered: PaperImage[] = Object.keys(documents).map((sha256) => ({ sha256, print: 'stripes' }));
  let measured = 0;
  const state = { isAway: false };
  const looks = new Looks({
    ledger: {
      bySha256: async (_endpoint, sha256) => {
        if (state.isAway)
          throw new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: 'It is away.', hint: 'Wait.' });
        const found = documents[sha256];
        // Only this part is used.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return found
          ? ({ name: `document-${sha256}`, path: `${sha256}.jpg`, state: found } as Document)
          : null;
      },
    },
    measure: async () => {
      measured += 1;
      return GOOD;
    },
    inspector: { sha256: async (bytes) => Buffer.from(bytes).toString() },
    papers: {
      alike: async (_folder, { sha256, print }) =>
        remembered
          .filter((each) => each.print === print && each.sha256 !== sha256)
          .map((each) => ({ sha256: each.sha256, at: Date.UTC(2026, 0, 14) })),
      remember: async (_folder, image) => void remembered.push(image),
    },
  });
  return { looks, remembered, state, measured: () => measured };
}

describe('a paper scanned again', () => {
  it('is reported as similar to the document of the first scan', async () => {
    const { looks } = office({ first: 'accepted' });
    const { remark } = await looks.atPage(GOOD, { ...AT, sha256: 'second' });
    expect(remark).toMatchObject({
      reason: 'SCANNED_BEFORE',
      flaws: [],
      before: { name: 'document-first' },
    });
  });

  it('is not reported if the first scan was refused or lost', async () => {
    const { looks } = office({ refused: 'failed', gone: 'lost' });
    expect((await looks.atPage(GOOD, { ...AT, sha256: 'second' })).remark).toBeNull();
  });

  it('is remembered only once it is admitted', async () => {
    const { looks, remembered } = office({});
    const { remark, remember } = await looks.atImage(Buffer.from('first'), 'jpeg', AT);
    expect([remark, remembered.length]).toEqual([null, 0]);
    await remember();
    expect(remembered).toEqual([{ sha256: 'first', print: 'stripes' }]);
  });

  it('is not compared if it is blank, and is reported together with other problems', async () => {
    const { looks } = office({ first: 'queued' });
    const of = async (differs: Partial<Appearance>) =>
      (await looks.atPage({ ...GOOD, ...differs }, { ...AT, sha256: 'second' })).remark;
    expect(await of({ detail: 3, ink: 8 })).toEqual({ reason: 'BLANK', flaws: ['BLANK'], before: null });
    expect(await of({ sharpness: 0.1 })).toMatchObject({
      reason: 'BLURRED',
      flaws: ['BLURRED'],
      before: { name: 'document-first' },
    });
  });
});

it('an image that is already a document is not examined', async () => {
  const { looks, measured } = office({ first: 'accepted', again: 'accepted' });
  expect((await looks.atImage(Buffer.from('again'), 'jpeg', AT)).remark).toBeNull();
  expect(measured()).toBe(0);
});

it('images are examined but not compared while the ledger is offline', async () => {
  const { looks, state, measured } = office({ first: 'accepted' });
  state.isAway = true;
  expect((await looks.atImage(Buffer.from('second'), 'jpeg', AT)).remark).toBeNull();
  expect(measured()).toBe(1);
});

import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import type { Split, SplitPage } from '../../../src/core/ports/ledgerPages.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { SplitWork, type SplitWorkDeps } from '../../../src/intake/pages/splitWork.ts';
import { PageIntake } from '../../../src/intake/pages/pageIntake.ts';
import { ledgerOfEachTest, OFFICE, REFUSAL, seen, send } from '../../contract/ledger/support.ts';
import { clock, createPlace } from '../../ledger/sqlite/place.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { endOf } from '../../../src/intake/pages/splitEnd.ts';
import { factOf, type WhyFact } from '../../../src/core/domain/why.ts';

const FILE = Buffer.from('a file of two pages');

const { ledger, rows } = ledgerOfEachTest(createPlace);

async function begin(path: string): Promise<Split> {
  const split = await ledger.beginSplit({
    endpoint: OFFICE,
    file: seen(path),
    sha256: sha256(FILE),
    at: 1_000,
  });
  if (split === null) throw new Error(`${path} is known`);
  return split;
}

/** Pages are drawn as `first 1`, `first 2`. `canOpen`: whether files can be split at the moment. */
function splitting(
  drawn: string,
  whileDrawn: (page: number) => Promise<unknown> = async () => {},
  canOpen: () => boolean = () => true,
): SplitWorkDeps {
  const deps: Partial<SplitWorkDeps> = {
    ledger,
    payloads: {
      copies: {
        whileKept: <T>(_hash: string, _bytes: Buffer, work: () => Promise<T>) => work(),
        tryDropping: async () => {},
      },
    } as unknown as SplitWorkDeps['payloads'],
    spool: { read: async () => FILE },
    inspector: {
      inspect: async () => ({ type: 'pdf' }),
      sha256: async (bytes: Buffer) => sha256(bytes),
    } as unknown as SplitWorkDeps['inspector'],
    looks: {
      atPage: async () => ({ remark: null, remember: async () => {} }),
    } as unknown as SplitWorkDeps['looks'],
    memory: {
      with: <T>(_bytes: number, work: () => Promise<T>) => work(),
    } as unknown as SplitWorkDeps['memory'],
    splitter: {
      open: async () => {
        if (!canOpen()) return { kind: 'refused', reason: 'TROUBLE', detail: { is: 'stopping' } };
        return {
          kind: 'open',
          pages: 2,
          attachments: 0,
          page: async (page: number) => {
            await whileDrawn(page);
            const bytes = Buffer.from(`${drawn} ${page}`);
            return { kind: 'image', type: 'jpeg', bytes, isOriginal: false, appearance: null };
          },
          close: async () => {},
        };
      },
    } as unknown as SplitWorkDeps['splitter'],
    folders: [
      {
        path: '/scans',
        endpoint: OFFICE,
        alias: 'office',
        accept: ['jpeg', 'pdf'],
        nameMaxBytes: 255,
        template: parseTemplate('{stem}-{hash:12}'),
      } as unknown as SplitWorkDeps['folders'][number],
    ],
    clock,
    log: new RecordedLog(),
    host: 'pc',
    onAdmitted: () => {},
  };
  return deps as SplitWorkDeps;
}

async function takeApart(split: Split, ...how: Parameters<typeof splitting>): Promise<void> {
  const work = new SplitWork(split, splitting(...how));
  expect(await work.slice(new AbortController().signal)).toBe('ended');
}

const refuse = (id: number) => send(ledger, id, REFUSAL);

async function documents(): Promise<string[]> {
  const listed = (await rows()).filter(({ state }) => state !== 'split');
  return listed.map(({ name, state }) => `${name} ${state}`.replace(/-[0-9a-f]{12}/, '')).toSorted();
}

it("a page of a copy gets a new name only if the document of the first copy's page has failed", async () => {
  await takeApart(await begin('one.pdf'), 'first');
  const pages = await ledger.pagesOfBytes(OFFICE, sha256(FILE));
  const ids = (await rows({ states: ['queued'] })).map(({ documentId }) => documentId!);
  expect([pages.length, ids.length]).toEqual([2, 2]);
  for (const id of ids) await refuse(id);
  // While the second page of the second copy is drawn, a person retries that page of the first.
  await takeApart(
    await begin('two.pdf'),
    'second',
    async (page) => page === 2 && ledger.retry([ids[1]!], 5_000),
  );
  expect(await documents()).toEqual(['one duplicate', 'one failed', 'one queued', 'two queued']);
});

it('a page whose image was lost is drawn again once its file is found again', async () => {
  await takeApart(await begin('one.pdf'), 'first');
  const [lost] = await ledger.pagesOfBytes(OFFICE, sha256(FILE));
  const document = await ledger.bySha256(OFFICE, lost!.sha256!);
  await ledger.markLost(document!.id, 'Gone.', 2_000);
  expect(await documents()).toEqual(['one lost', 'one queued']);
  await takeApart(await begin('one.pdf'), 'first');
  expect(await documents()).toEqual(['one queued', 'one queued']);
});

it('a file that can’t be split at the moment does not block others', async () => {
  for (const path of ['first.pdf', 'second.pdf']) await begin(path);
  let opened = 0;
  const deps = splitting('page', undefined, () => (opened += 1) > 1);
  await new PageIntake({ ...deps, isOurs: () => true }).drain(new AbortController().signal);
  expect((await documents()).filter((each) => each.startsWith('second'))).toEqual([
    'second queued',
    'second queued',
  ]);
});

/** Pages by what became of them: null for a document, or the reason why it was not sent. */
function decided(...reasons: (string | null)[]): SplitPage[] {
  return reasons.map((reason, at) => {
    const sha256 = reason === null ? `${at}` : null;
    return { page: at + 1, verdict: reason === null ? 'document' : 'rejected', sha256, state: null, reason };
  });
}

function said(attachments: number, ...reasons: (string | null)[]): WhyFact | null {
  return factOf(endOf(decided(...reasons), { pages: reasons.length, attachments }, null).message);
}

describe('what is said of a file whose pages are decided', () => {
  it('is nothing special if all of it was sent', () => {
    expect(said(0, null, null)).toBeNull();
  });

  it('names blank pages and attached files that were not sent, without asking for a person', () => {
    const some = { is: 'somePagesSent', pages: 4, sent: 2, blank: 2, attachments: 0 };
    expect(said(0, null, 'BLANK', null, 'BLANK')).toEqual(some);
    expect(said(1, null)).toEqual({ is: 'everyPageSent', pages: 1, attachments: 1 });
    expect(said(2, null, 'BLANK')).toMatchObject({ is: 'somePagesSent', blank: 1, attachments: 2 });
    expect(endOf(decided(null, 'BLANK'), { pages: 2, attachments: 1 }, null).reason).toBeNull();
  });

  it('says that other pages are sent only if some are, and counts them', () => {
    expect(said(0, 'DAMAGED', 'DAMAGED')).toMatchObject({ refused: 2, sent: 0 });
    expect(said(0, 'DAMAGED', 'BLANK')).toMatchObject({ refused: 1, sent: 0, blank: 1 });
    const one = { is: 'pagesNotSent', pages: 3, refused: 1, named: [1], sent: 1, blank: 1 };
    expect(said(0, 'DAMAGED', null, 'BLANK')).toMatchObject(one);
    expect(said(1, 'DAMAGED', null, null)).toMatchObject({ sent: 2, attachments: 1 });
  });

  it.each(['BLANK', 'TOO_DEAR', 'FONT_MISSING'])(
    'has the reason %s if that is the same everywhere',
    (reason) => {
      expect(endOf(decided(reason, reason), { pages: 2, attachments: 0 }, null).reason).toBe(reason);
    },
  );
});

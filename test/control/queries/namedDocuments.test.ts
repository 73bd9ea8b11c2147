import { beforeEach, expect, it } from 'vitest';
import { documentDetails } from '../../../src/control/queries/documents.ts';
import { namedDocuments } from '../../../src/control/queries/namedDocuments.ts';
import {
  admission,
  hashOf,
  ledgerOfEachTest,
  note,
  OFFICE,
  seen,
  SHOP,
} from '../../contract/ledger/support.ts';
import { createPlace } from '../../ledger/sqlite/place.ts';

const { ledger } = ledgerOfEachTest(createPlace);
beforeEach(async () => {
  let at = 0;
  const admit = (path: string, name: string, more = {}) =>
    ledger.admit(admission(path, name, { naming: [name], at: (at += 1), ...more }));
  await admit('SCAN0001.jpg', 'SCAN0001-aaaa');
  await admit('monday/SCAN0001.jpg', 'SCAN0001-bbbb');
  await admit('Müller.jpg', 'Müller-cccc');
  await admit('shop.jpg', 'both', { endpoint: SHOP });
  await admit('office.jpg', 'both', { endpoint: OFFICE });
  await admit('copy.jpg', 'unused', { sha256: hashOf('Müller-cccc') });
  await ledger.note(seen('notes.txt'), note('rejected', { message: 'This is text.' }));
});

const named = async (written: string) => (await namedDocuments(ledger, written)).map(({ name }) => name);

it.each([
  ['its name', 'SCAN0001-aaaa'],
  ['its name in another case', 'scan0001-AAAA'],
  ['the beginning of its name', 'scan0001-a'],
  ['its path', '/scans/SCAN0001.jpg'],
])('finds a document by %s', async (_what, written) => {
  expect(await named(written)).toEqual(['SCAN0001-aaaa']);
});

it.each([
  ['a file', 'muller.JPG'],
  ['a file of this directory', './Müller.jpg'],
  ['a file of the same bytes', 'copy.jpg'],
  ['the beginning of its hash', hashOf('Müller-cccc').slice(0, 12)],
])('finds a document by %s', async (_what, written) => {
  expect(await named(written)).toEqual(['Müller-cccc']);
});

it('finds a document by a name or path that a table cut, if only one can be meant', async () => {
  expect(await named('SCA…aaa')).toEqual(['SCAN0001-aaaa']);
  expect(await named('müll…')).toEqual(['Müller-cccc']);
  expect(await named('…day/SCAN0001.jpg')).toEqual(['SCAN0001-bbbb']);
  await expect(named('SCAN…')).rejects.toMatchObject({ code: 'DOCUMENT_AMBIGUOUS' });
  await expect(named('…')).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
  // The two parts may not overlap.
  await expect(named('SCAN0001-aa…aaa')).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
});

it('a name finds documents in every endpoint', async () => {
  expect(await named('BOTH')).toEqual(['both', 'both']);
  expect(await named('bo')).toEqual(['both', 'both']);
});

it('a hash names one document, and an image those of all endpoints, also under different names', async () => {
  const sha256 = hashOf('Müller-cccc');
  await ledger.admit(
    admission('elsewhere.jpg', 'other', { naming: ['other'], endpoint: SHOP, sha256, at: 99 }),
  );
  await expect(named(sha256)).rejects.toMatchObject({ code: 'DOCUMENT_AMBIGUOUS' });
  const { documents } = await documentDetails(ledger, { sha256 });
  expect(documents.map(({ name }) => name).toSorted()).toEqual(['Müller-cccc', 'other']);
});

it('an image that was seen and not sent is refused with what became of its file', async () => {
  const sha256 = hashOf('left alone');
  await ledger.note(seen('old.jpg'), note('skipped', { sha256 }));
  await expect(documentDetails(ledger, { sha256 })).rejects.toMatchObject({
    code: 'DOCUMENT_UNKNOWN',
    key: 'DOCUMENT_UNKNOWN.fileOnly',
    params: { path: '/scans/old.jpg', state: 'skipped' },
  });
});

it('a part of a path finds documents only from the start of a segment', async () => {
  expect(await named('monday/SCAN0001.jpg')).toEqual(['SCAN0001-bbbb']);
  await expect(named('onday/SCAN0001.jpg')).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
});

it.each(['SCAN0001.jpg', 'scan0001', 'SCAN0001-'])(
  'the ambiguous name %j is refused with its documents, newest first',
  async (written) => {
    await expect(named(written)).rejects.toMatchObject({
      code: 'DOCUMENT_AMBIGUOUS',
      params: { written, names: ['SCAN0001-bbbb', 'SCAN0001-aaaa'] },
    });
  },
);

it('a file without a document is refused with the reason', async () => {
  await expect(named('notes.txt')).rejects.toMatchObject({
    code: 'DOCUMENT_UNKNOWN',
    params: { written: 'notes.txt', path: '/scans/notes.txt', state: 'rejected' },
  });
});

it.each(['', ' ', 'nobody', '0001', 'a'.repeat(2_000)])('the name %j finds nothing', async (written) => {
  await expect(named(written)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
});

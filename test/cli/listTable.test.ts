import { describe, expect, it } from 'vitest';
import { listTable, type TableRow } from '../../src/cli/listTable.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';
import { textsIn } from '../../src/texts/texts.ts';

const { list: words } = await cliTextsIn('en', String);
const texts = await textsIn('en', String);

const accepted: TableRow = {
  name: 'a',
  state: 'accepted',
  status: 'DONE',
  attempts: 1,
  path: '/scans/a.jpg',
  posted: [],
  message: null,
  reason: null,
  dismissedBy: null,
  dismissedAt: null,
  createdAt: new Date(2026, 9, 3, 8, 5, 59).toISOString(),
};
const failed: TableRow = { ...accepted, name: 'bb', state: 'failed', status: null, message: 'Too dark.' };
const none = { columns: [], words, texts, dim: (text: string) => `(${text})` };

describe('the table of a list in parts', () => {
  it('has one head, and the reason in the last column', () => {
    const partOf = listTable({ ...none, width: null });
    expect(partOf([accepted])).toEqual({
      top: [
        'NAME  STATE     STATUS  TRIES  SEEN              FILE          WHY',
        '────  ────────  ──────  ─────  ────────────────  ────────────  ───',
      ],
      lines: ['a     accepted  DONE    1      2026-10-03 08:05  /scans/a.jpg'],
    });
    expect(partOf([failed, accepted])).toEqual({
      top: [],
      lines: [
        'bb    failed            1      2026-10-03 08:05  /scans/a.jpg  Too dark.',
        'a     accepted  DONE    1      2026-10-03 08:05  /scans/a.jpg',
      ],
    });
  });

  it('has each reason below its row on a terminal, in later parts too', () => {
    const partOf = listTable({ ...none, width: 80 });
    expect(partOf([failed]).lines).toEqual([
      'bb    failed          1      2026-10-03 08:05  /scans/a.jpg',
      '(  Too dark.)',
    ]);
    expect(partOf([accepted, failed])).toEqual({
      top: [],
      lines: [
        'a     accepted  DONE    1      2026-10-03 08:05  /scans/a.jpg',
        'bb    failed            1      2026-10-03 08:05  /scans/a.jpg',
        '(  Too dark.)',
      ],
    });
  });

  it('fits a terminal of 80 columns: shortens what may be long, and neither states nor dates', () => {
    const long = 'x'.repeat(60);
    const columns = [{ name: 'total', pointer: '/total' }];
    const row = { ...accepted, name: long, state: 'unconfirmed', status: long, path: `/${long}` } as const;
    const { lines } = listTable({ ...none, columns, width: 80 })([
      { ...row, posted: [{ '/total': 1234.5 }] },
    ]);
    expect(lines[0]?.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/ unconfirmed .* 1234\.5 .* 2026-10-03 08:05 /);
  });
});

import { describe, expect, it } from 'vitest';
import { listTable, type TableRow } from '../../src/cli/listTable.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';

const { list: words } = await cliTextsIn('en', String);

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
};
const failed: TableRow = { ...accepted, name: 'bb', state: 'failed', status: null, message: 'Too dark.' };
const none = { columns: [], words, dim: (text: string) => `(${text})` };

describe('the table of a list in parts', () => {
  it('has one head, and the reason in the last column', () => {
    const partOf = listTable({ ...none, width: null });
    expect(partOf([accepted])).toEqual({
      top: [
        'NAME  STATE     STATUS  TRIES  FILE          WHY',
        '────  ────────  ──────  ─────  ────────────  ───',
      ],
      lines: ['a     accepted  DONE    1      /scans/a.jpg'],
    });
    expect(partOf([failed, accepted])).toEqual({
      top: [],
      lines: [
        'bb    failed            1      /scans/a.jpg  Too dark.',
        'a     accepted  DONE    1      /scans/a.jpg',
      ],
    });
  });

  it('has each reason below its row on a terminal, in later parts too', () => {
    const partOf = listTable({ ...none, width: 60 });
    expect(partOf([failed]).lines).toEqual(['bb    failed          1      /scans/a.jpg', '(  Too dark.)']);
    expect(partOf([accepted, failed])).toEqual({
      top: [],
      lines: [
        'a     accepted  DONE    1      /scans/a.jpg',
        'bb    failed            1      /scans/a.jpg',
        '(  Too dark.)',
      ],
    });
  });
});

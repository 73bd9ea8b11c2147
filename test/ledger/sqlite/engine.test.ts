import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isFault } from '../../../src/core/messages.ts';
import { admission, REFUSAL, rowsOf, send } from '../../contract/ledger/support.ts';
import { openSqlite } from '../support/agents.ts';
import { sha } from '../support/history.ts';
import { createPlace } from './place.ts';

it('takes a bad row out of its batch, and does the rest', async () => {
  const file = await openSqlite();
  try {
    const items = [1, 1.5, 2].map((size) => ({
      folder: { owner: '', path: '/scans' },
      path: `${size}.jpg`,
      size,
      identity: '1',
      at: 1_000,
      endpoint: { baseUrl: 'https://service.example', uid: 'office' },
      sha256: sha(`${size}`),
      type: 'jpeg' as const,
      priority: 0,
      naming: [`${size}`],
    }));
    const [answers] = await file.core.run([['admit', items]]);
    expect(answers.map(isFault)).toEqual([false, true, false]);
  } finally {
    await file.close();
  }
});

it('a start keeps the rows of one entry apart', async () => {
  const place = await createPlace();
  try {
    const ledger = await place.open();
    const ids: number[] = [];
    for (const content of ['a', 'b']) ids.push((await ledger.admit(admission(content, content))).document.id);
    for (const id of ids) await send(ledger, id, REFUSAL);
    const copy = path.join(place.dir, 'copy.db');
    await ledger.backup(copy);
    await ledger.dismiss({ documents: ids, files: [] }, 'ann', 4_000);
    await ledger.retry([ids[0]!], 5_000);
    await ledger.close();
    await fs.copyFile(copy, place.path);
    const again = await place.open();
    expect((await rowsOf(again)).map(({ state, dismissedBy }) => [state, dismissedBy])).toEqual([
      ['queued', null],
      ['failed', 'ann'],
    ]);
    await again.close();
  } finally {
    await place.remove();
  }
});

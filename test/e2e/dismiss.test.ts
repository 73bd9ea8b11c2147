import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';

/** A folder with a possible receipt that can't be sent, a file that is no receipt, and one that the service refuses. */
async function office(): Promise<Site> {
  const site = await prepare();
  const settle = { long: '300ms', patience: '300ms' };
  await site.configure({
    folders: [{ path: site.file('inbox'), endpoint: 'office', maxFileSize: '50kB', pages: 'whole', settle }],
  });
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused' });
  const put = async (name: string, bytes: string | Uint8Array) => writeFile(site.file('inbox', name), bytes);
  const small = { width: 120, height: 160 };
  await put('good.jpg', await drawReceipt({ type: 'jpeg', seed: 'good', ...small }));
  await put('refused.jpg', await drawReceipt({ type: 'jpeg', seed: 'refused', ...small }));
  await put('large.jpg', Buffer.alloc(60_000, 1));
  await put('manual.pdf', await drawReceipt({ type: 'pdf', seed: 'pdf', ...small }));
  await put('broken.jpg', 'bread and butter');
  await put('notes.txt', 'bread and butter');
  await put('backup.zip', Buffer.alloc(60_000, 2));
  return site;
}

const needing = async (site: Site): Promise<string[]> =>
  (await site.list('--needs-person')).map(({ path }) => path.split('/').at(-1) ?? '').toSorted();

describe('a possible receipt that will not be sent', () => {
  test('is shown in every view with its problem, and can be dismissed permanently', async () => {
    const site = await office();
    await site.quickStart();
    const all = ['broken.jpg', 'large.jpg', 'manual.pdf', 'refused.jpg'];
    await until(async () => (await needing(site)).length === all.length);
    expect(await needing(site)).toEqual(all);
    const status = await site.quickMust('status');
    expect(status).toContain('Needs a person:');
    expect(status).toMatch(/^ {2}4 scans .*(?:: 1\b.*){4}\[PERSON_NEEDED\]$/m);
    expect(status).not.toContain('Nothing is wrong');
    const list = await site.quickMust('list', '--needs-person');
    expect(list).toContain('Too large: 60 kB; the limit of this folder is 50 kB (`maxFileSize`).');
    expect(list).toContain('PDFs are not sent from this folder.');

    expect(await site.must('dismiss', site.file('inbox', 'manual.pdf'), 'broken.jpg')).toBe(
      'Dismissed 2 documents and files.\n',
    );
    expect(await needing(site)).toEqual(['large.jpg', 'refused.jpg']);
    expect(await site.quickMust('dismiss', '--all', '--state', 'failed')).toBe(
      'Dismissed 1 document or file.\n',
    );
    expect(await site.quickMust('dismiss', '--all')).toBe('Dismissed 1 document or file.\n');
    expect(await site.quickMust('status')).toContain('\nNothing is wrong. ');
    expect(await site.quickMust('list', '--dismissed')).toMatch(/Dismissed by \S+ on \d{4}-/);

    expect(await site.quickMust('dismiss', 'large.jpg', '--undo')).toBe(
      '1 document or file needs a person again.\n',
    );
    expect(await needing(site)).toEqual(['large.jpg']);
    await site.quickMust('dismiss', '--all');
    // A file with new bytes is a new case.
    await writeFile(site.file('inbox', 'large.jpg'), Buffer.alloc(70_000, 3));
    await until(async () => (await needing(site)).length === 1);
    expect(await site.quickMust('status')).toMatch(/: 1\).*\[PERSON_NEEDED\]/);
  });

  test('cannot be dismissed if it is unknown, needs nobody, or is not named', async () => {
    const site = await office();
    await site.quickOnce();
    const unknown = await site.look('dismiss', 'notes.txt');
    expectNoTrace(unknown);
    expect(unknown).toBeRefused(1, 'DOCUMENT_UNKNOWN', 'notes.txt');
    const [good] = await site.list('--state', 'accepted');
    expect(await site.look('dismiss', good?.name ?? '')).toBeRefused(
      1,
      'DOCUMENT_STATE',
      'does not need a person',
    );
    expect(await site.look('dismiss')).toBeRefused(2, 'USAGE', '--all');
    expect(await site.look('dismiss', 'large.jpg', '--all')).toBeRefused(2, 'USAGE', '--all');
    expect(await site.quickMust('ledger', 'verify')).toBeTypeOf('string');
  });
});

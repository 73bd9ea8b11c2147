import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { drawReceipt } from '../support/images.ts';
import { Terminal, terminalIsHere } from '../support/terminal.ts';
import { MAIN, prepare, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';

async function filled(): Promise<Site> {
  const site = await prepare();
  const drop = async (name: string) =>
    writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  await drop('Rechnung der Müller & Söhne GmbH vom 3. Mai 2026, Seite 1.jpg');
  await drop('short.jpg');
  await writeFile(site.file('inbox', 'notes.txt'), 'No image, and a long reason why it is none.');
  await site.quickOnce();
  return site;
}

describe('list', () => {
  test.skipIf(!terminalIsHere)('fits a terminal of 80 columns, and gives reasons in full', async () => {
    const site = await filled();
    const { PATH = '' } = process.env;
    const terminal = new Terminal([process.execPath, MAIN, 'list', '--config', site.config], {
      cwd: site.dir,
      env: { PATH, TERM: 'xterm', ...site.env },
    });
    await terminal.ends();
    const lines = stripVTControlCharacters(terminal.raw).trimEnd().split(/\r?\n/);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const text = lines.join('\n');
    expect(text).toMatch(/^NAME +STATE +STATUS +TRIES +FILE$/m);
    expect(text).toMatch(/^Rechnung.*….*accepted +PROCESSING +1 +….*Seite 1\.jpg$/m);
    expect(text).toMatch(/^— +rejected .*notes\.txt\n {2}\w/m);
    expect(await site.quickMust('list')).toContain(
      site.file('inbox', 'Rechnung der Müller & Söhne GmbH vom 3. Mai 2026, Seite 1.jpg'),
    );
  });

  test('explains on stderr why it is empty, and suggests the intended folder', async () => {
    const site = await filled();
    const of = async (...args: string[]) => {
      const { status, stdout, stderr } = await site.look('list', ...args);
      expect({ status, stdout }).toEqual({ status: 0, stdout: args.includes('--json') ? '[]\n' : '' });
      return stderr;
    };
    const inbox = site.file('inbox');
    expect(await of('--folder', `${inbox}x`)).toBe(
      `No matches: ${inbox}x is not a watched folder. Did you mean ${inbox}?\n`,
    );
    expect(await of('--folder', `${inbox}/sub`, '--json')).toContain(`It is inside ${inbox}`);
    expect(await of('--folder', '/typo')).toContain(`Watched: ${inbox}.`);
    expect(await of('--state', 'failed', 'lost', '--search', 'x y')).toBe(
      'No matches for --state failed lost --search "x y".\n',
    );
    const found = await site.look('list', '--search', 'MULLER sohne');
    expect(found.stderr).toBe('');
    expect(found.stdout).toContain('Rechnung');
  });
});

test('commands accept a file or the beginning of a name for a document, in any case', async () => {
  const site = await filled();
  expect(await site.quickMust('show', 'SHORT.jpg')).toMatch(/^short-/);
  const name = (await site.list('--search', 'short')).map((row) => row.name)[0] ?? '';
  expect(await site.quickMust('resend', 'short')).toBe(
    `Queued "${name}" for endpoint ${(await site.list())[0]?.endpointUid}.\n`,
  );
  expect(await site.look('retry', 'rechnung')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/"Rechnung.* is already accepted/),
  });
  expect(await quickly(site, ['show', 'notes.txt', '--config', site.config])).toBeRefused(
    1,
    'DOCUMENT_UNKNOWN',
    'rejected',
  );
  await rm(site.file('inbox', 'short.jpg'));
  expect(await site.look('erase', 'short.jpg', '--yes')).toBeRefused(
    2,
    'USAGE',
    '"short.jpg" is not a full name',
  );
  expect(await site.look('erase', 'rechnung')).toBeRefused(2, 'CONFIRMATION_NEEDED', '1 document (Rechnung');
});

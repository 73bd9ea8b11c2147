/** Every question that a command asks, each kind on a real terminal. `Conversation` demands that the screen shows it while it waits; so it does for setup. */
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../support/cleanUp.ts';
import { KEYS, type Conversation } from '../support/conversation.ts';
import { drawReceipt } from '../support/images.ts';
import { freePort } from '../support/ports.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { Terminal, terminalIsHere, type TerminalOptions } from '../support/terminal.ts';
import { MAIN, prepare, type Site } from './support/agent.ts';
import { QuickTerminal } from './support/inProcess.ts';

const SECRET = 'e2e-secret';

function onTerminal(site: Site, args: readonly string[], options: Partial<TerminalOptions> = {}): Terminal {
  const terminal = new Terminal([process.execPath, MAIN, ...args, '--config', site.config], {
    cwd: site.dir,
    ...options,
    env: { PATH: process.env['PATH'] ?? '', HOME: site.dir, TERM: 'xterm', ...site.env, ...options.env },
  });
  cleanUp(() => terminal.close());
  return terminal;
}

/** The same in this process, for commands that ask as another one does on a real terminal. */
function quickly(site: Site, args: readonly string[], columns = 80): QuickTerminal {
  const env = { PATH: process.env['PATH'] ?? '', HOME: site.dir, TERM: 'xterm', ...site.env };
  const terminal = new QuickTerminal([...args, '--config', site.config], { cwd: site.dir, env }, columns);
  cleanUp(() => terminal.close());
  return terminal;
}

describe.skipIf(!terminalIsHere)('a command that asks', () => {
  // Narrow, so that questions are broken, and without cursor control; setup asks on an ordinary terminal.
  test('shows each question while it waits for the answer', async () => {
    const site = await prepare({ intake: { confirmAbove: 1 }, spool: 'never' });
    site.env = {};
    const begin = (...args: string[]) => onTerminal(site, args, { columns: 40, env: { TERM: 'dumb' } });
    const asked = async (
      terminal: Conversation,
      question: string,
      answer: string,
      how?: { echoes: boolean },
    ) => {
      await terminal.answers(question, answer, how);
      return terminal.ends();
    };
    const askedQuickly = (question: string, answer: string, ...args: string[]) =>
      asked(quickly(site, args, 40), question, answer, { echoes: false });

    const login = begin('login', '--store', 'file');
    await login.answers('Client identifier: ', 'e2e');
    expect(await asked(login, 'Client secret: ', SECRET, { echoes: false })).toBe(0);
    expect(login.shown).not.toContain(SECRET);
    const file = join(site.stateDir, 'credentials.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ clientId: 'e2e', clientSecret: SECRET });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const password = begin('console', 'password');
    await password.answers('Password (at least', 'a whole sentence', { echoes: false });
    expect(await asked(password, 'Once more: ', 'a whole sentence', { echoes: false })).toBe(0);

    for (const name of ['a', 'b'])
      await writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
    expect(await asked(begin('run', '--once'), 'all of them would be sent. Continue? [y/N]', 'y')).toBe(0);
    expect(await asked(begin('erase', '--before', '2999-01-01'), '? [y/N]', 'n')).toBe(2);

    // Waits without an image: its file is gone, and so is the service.
    await site.writeConfig({
      service: { baseUrl: `http://127.0.0.1:${await freePort()}` },
      folders: [{ path: site.file('inbox'), endpoint: 'office' }],
      spool: 'never',
    });
    await writeFile(site.file('inbox', 'c.jpg'), await drawReceipt({ type: 'jpeg', seed: 'c' }));
    expect((await site.quickOnce('--wait', '1s')).status).not.toBe(0);
    await rm(site.file('inbox', 'c.jpg'));
    const archive = site.file('move.receiptd');
    expect(await askedQuickly('Move anyway? [y/N]', 'y', 'backup', '--final', archive)).toBe(0);
    const { stateDir } = site;
    site.env = { RECEIPTD_STATE_DIR: site.file('elsewhere') };
    await site.quickMust('restore', archive);
    site.env = {};
    expect(await askedQuickly('Reopen this PC? [y/N]', 'y', 'backup', '--reopen')).toBe(0);
    expect(await askedQuickly('Restore it? [y/N]', 'n', 'restore', archive, '--older')).toBe(2);
    expect(await readdir(stateDir)).toContain('ledger.db');
  });

  test.skipIf(!needsPostgres())('shows the question for an agent that is retired', async () => {
    const { url } = await freshDatabase();
    const site = await prepare({ ledger: { kind: 'postgres', url, agent: 'front' } });
    await site.quickMust('ledger', 'prepare');
    const retire = quickly(site, ['fleet', 'retire', 'back']);
    await retire.answers('Retire agent back', 'n', { echoes: false });
    expect(await retire.ends()).toBe(2);
  });

  test('no other file of the program asks', async () => {
    const cli = fileURLToPath(new URL('../../src/cli', import.meta.url));
    const asking: string[] = [];
    for (const name of await readdir(cli))
      if (
        /\b(?:ask|askText|demandYes)\((?!io: Io)/.test(
          await readFile(join(cli, name), 'utf8').catch(() => ''),
        )
      )
        asking.push(name);
    expect(asking).toEqual([
      'ask.ts',
      'backup.ts',
      'confirm.ts',
      'console.ts',
      'erase.ts',
      'fleet.ts',
      'login.ts',
      'restore.ts',
    ]);
  });

  test('exits quietly with 130 at Ctrl-C or Ctrl-D instead of an answer, and changes nothing', async () => {
    const site = await prepare();
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await site.quickOnce();
    site.env = {};
    for (const [args, question, typed] of [
      [['erase', '--before', '2999-01-01'], '[y/N]', KEYS.ctrlC],
      [['login', '--store', 'file'], 'Client identifier', KEYS.ctrlD],
    ] as const) {
      const terminal = onTerminal(site, args);
      await terminal.sees(question);
      terminal.type(typed);
      expect(await terminal.ends()).toBe(130);
      expect(terminal.shown).not.toMatch(/defect|AbortError|warning/i);
      expect(terminal.shown.endsWith('\n')).toBe(true);
    }
    expect(await site.list('--state', 'accepted')).toHaveLength(1);
  });

  test('breaks its sentences between words, and leaves JSON whole', async () => {
    const site = await prepare();
    site.env = {};
    const check = quickly(site, ['check']);
    expect(await check.ends()).toBe(1);
    const lines = check.shown.split(/\r?\n/);
    // A path is longer than any line.
    expect(lines.filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
    expect(lines.filter((line) => /^ {6}\w/.test(line)).length).toBeGreaterThan(1);
    const refused = quickly(site, ['list', '--state', 'nonsense']);
    expect(await refused.ends()).toBe(2);
    expect(refused.shown.split(/\r?\n/).filter((line) => line.length > 80)).toEqual([]);
    const json = quickly(site, ['status', '--json']);
    expect(await json.ends()).toBe(0);
    expect(() => JSON.parse(json.shown) as unknown).not.toThrow();
  });
});

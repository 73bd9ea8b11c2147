import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { KEYS } from '../support/conversation.ts';
import { Terminal, terminalIsHere } from '../support/terminal.ts';
import { MAIN, prepare, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';

function onTerminal(site: Site, ...args: string[]): Terminal {
  const terminal = new Terminal([process.execPath, MAIN, ...args, '--config', site.config], {
    cwd: site.dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: site.dir, TERM: 'xterm', ...site.env },
  });
  cleanUp(() => terminal.close());
  return terminal;
}

describe.skipIf(!terminalIsHere)('a command on a terminal of 80 columns', () => {
  test.each([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ])('exits quietly with 130 at %s instead of an answer, and changes nothing', async (_key, typed) => {
    const site = await prepare();
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await site.quickOnce();
    const terminal = onTerminal(site, 'erase', '--before', '2999-01-01');
    await terminal.sees('[y/N]');
    terminal.type(typed);
    expect(await terminal.ends()).toBe(130);
    expect(terminal.shown).not.toMatch(/defect|AbortError|warning/i);
    expect(terminal.shown.endsWith('\n')).toBe(true);
    expect(await site.list('--state', 'accepted')).toHaveLength(1);

    site.env = {};
    const login = onTerminal(site, 'login', '--store', 'file');
    await login.sees('Client identifier');
    login.type(typed);
    expect(await login.ends()).toBe(130);
    expect(login.shown).not.toMatch(/defect|AbortError|warning/i);
  });

  test('breaks its sentences between words, and leaves JSON whole', async () => {
    const site = await prepare();
    site.env = {};
    const check = onTerminal(site, 'check');
    expect(await check.ends()).toBe(1);
    const lines = check.shown.split(/\r?\n/);
    // A path is longer than any line.
    expect(lines.filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
    expect(lines.filter((line) => /^ {6}\w/.test(line)).length).toBeGreaterThan(1);
    const refused = onTerminal(site, 'list', '--state', 'nonsense');
    expect(await refused.ends()).toBe(2);
    expect(refused.shown.split(/\r?\n/).filter((line) => line.length > 80)).toEqual([]);
    const json = onTerminal(site, 'status', '--json');
    expect(await json.ends()).toBe(0);
    expect(() => JSON.parse(json.shown) as unknown).not.toThrow();
  });
});

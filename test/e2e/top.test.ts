import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, prepare, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { quickly } from './support/commandLine.ts';

const pseudoTerminal = requirement(
  'A pseudo terminal (script)',
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0,
  'install bsdutils',
);

/** `top` on a terminal of 100 columns. */
function top(site: Site, ...args: readonly string[]) {
  const command = `stty rows 40 cols 100; exec ${process.execPath} ${MAIN} top --every 200ms ${args.join(' ')}`;
  const { PATH = '' } = process.env;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: site.dir,
    env: { PATH, TERM: 'xterm', NO_COLOR: '1', ...site.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanUp(async () => void child.kill('SIGKILL'));
  const shown = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (shown.text += part));
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { shown, ended, type: (keys: string) => void child.stdin.write(keys) };
}

async function drop(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

describe('top', () => {
  test.skipIf(!pseudoTerminal)(
    'shows new documents as they arrive, and restores the terminal at q',
    async () => {
      const site = await prepare();
      await site.quickStart();
      const { shown, ended, type } = top(site);
      await until(async () => shown.text.includes('The backlog is empty.'));
      expect(shown.text).toContain('\x1b[?1049h');
      expect(shown.text).toMatch(/Running since /);
      await drop(site, 'a.jpg');
      await until(async () => shown.text.includes('1 accepted.'));
      await until(async () => / [1-9][\d.,]* accepted per minute [▁▂▃▄▅▆▇█]+/.test(shown.text));
      type('q');
      expect(await ended).toBe(0);
      expect(shown.text.trimEnd().endsWith('\x1b[?1049l')).toBe(true);
    },
  );

  test.skipIf(!pseudoTerminal)('names each obstacle, and how much of the backlog waits for it', async () => {
    const site = await prepare();
    await site.quickOnce();
    site.sandbox.misbehave({ kind: 'status', status: 503 });
    await drop(site, 'a.jpg');
    await site.quickOnce('--wait', '1s');
    const { shown, ended, type } = top(site);
    await until(async () => shown.text.includes('Resolves itself:'));
    expect(shown.text).toContain('Not running. Start it with `receiptd run`.');
    await until(async () =>
      shown.text.includes('The backlog is 1; no estimate, because nothing was accepted'),
    );
    await site.quickMust('pause', 'office');
    await until(async () => shown.text.includes('The backlog is empty. 1 document is on hold.'));
    type('\x03');
    expect(await ended).toBe(0);
  });

  test('needs a terminal, and says what to use without one', async () => {
    const site = await prepare();
    expect(await quickly(site, ['top'])).toBeRefused(2, 'USAGE', 'terminal', 'receiptd status');
    expect(await quickly(site, ['top', '--every', '1ms'])).toBeRefused(2, 'USAGE', '--every', '200ms');
  });
});

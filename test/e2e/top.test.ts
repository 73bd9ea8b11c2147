import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, prepare, type Site, until } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { quickly } from './support/commandLine.ts';
import { drawnScreen } from '../support/drawnScreen.ts';
import { KEYS } from '../support/conversation.ts';
import { Terminal, terminalIsHere, type TerminalOptions } from '../support/terminal.ts';

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

describe('the progress line', () => {
  async function drop(site: Site, ...names: string[]): Promise<void> {
    for (const name of names)
      await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  }

  function onTerminal(site: Site, args: readonly string[], options: Partial<TerminalOptions> = {}): Terminal {
    const terminal = new Terminal([process.execPath, MAIN, ...args, '--config', site.config], {
      cwd: site.dir,
      ...options,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', NO_COLOR: '1', ...site.env, ...options.env },
    });
    cleanUp(() => terminal.close());
    return terminal;
  }

  const rowsOf = (terminal: Terminal, columns = 80): string[] =>
    drawnScreen(terminal.raw, columns).filter((row) => row !== '');

  describe.skipIf(!terminalIsHere)('receiptd run on a terminal', () => {
    test('redraws one line in place, which fits a terminal that changes its width, and ends with a summary', async () => {
      const site = await prepare();
      const terminal = onTerminal(site, ['run']);
      await terminal.sees('0 accepted, nothing waits');
      await drop(site, 'a receipt with a long name.jpg');
      await terminal.sees('1 accepted, nothing waits, last ');
      const whole = expect.stringMatching(
        /^1 accepted, nothing waits, last a receipt with a long name-\w{12}$/,
      );
      expect(rowsOf(terminal)).toEqual([
        'Watching 1 folder. Press Ctrl-C to stop; --verbose shows each step.',
        whole,
      ]);
      const afterResize = async (columns: number, shown: string): Promise<() => string[]> => {
        const before = terminal.raw.length;
        const rows = () => drawnScreen(terminal.raw.slice(before), columns).filter((row) => row !== '');
        await terminal.resize(columns);
        await until(() => rows().join('').includes(shown));
        return rows;
      };
      for (const [columns, shown] of [
        [34, '1 accepted, nothing waits, last …'],
        [20, '1 accepted, nothin…'],
      ] as const)
        expect((await afterResize(columns, shown))()).toEqual([shown]);
      const rows = await afterResize(80, 'long name');
      expect(rows()).toEqual([whole]);

      terminal.type(KEYS.ctrlC);
      expect(await terminal.ends()).toBe(0);
      expect(rows()).toEqual(['Stopped. 1 accepted since the start, nothing waits.']);
      expect(terminal.raw.endsWith('\n')).toBe(true);
      expect(await readFile(site.file('state', 'logs', 'receiptd.log'), 'utf8')).toContain('"Accepted"');
    });

    test('shows how many documents wait for which limit and for how long, and prints warnings above the line', async () => {
      const site = await prepare({ delivery: { rate: '2/min' } });
      await writeFile(site.file('inbox', 'list.jpg'), 'bread and butter');
      await drop(site, ...Array.from({ length: 8 }, (_, n) => `${n}.jpg`));
      const terminal = onTerminal(site, ['run']);
      // In either order.
      const said = ['limited to 2/min, about', 'Not sent: rejected'];
      await until(() => said.every((each) => terminal.shown.includes(each)));
      await until(() =>
        /^\d accepted, \d waiting, limited to 2\/min, about \d min left/.test(rowsOf(terminal).at(-1) ?? ''),
      );
      const rows = rowsOf(terminal);
      expect(rows[0]).toBe('Watching 1 folder. Press Ctrl-C to stop; --verbose shows each step.');
      expect(rows.filter((row) => row.includes(' waiting'))).toHaveLength(1);
      expect(terminal.shown).not.toContain('Admitted');
      terminal.type(KEYS.ctrlC);
      expect(await terminal.ends()).toBe(0);
      expect(rowsOf(terminal).at(-1)).toMatch(/^Stopped\. \d accepted since the start, \d waiting\.$/);
    });

    test('says that uploads are finishing, and ends at once on a new line at a second Ctrl-C', async () => {
      const site = await prepare();
      site.sandbox.misbehave({ kind: 'stall' });
      const terminal = onTerminal(site, ['run']);
      await terminal.sees('0 accepted');
      await drop(site, 'a.jpg');
      await until(() => site.sandbox.stats().uploadArrivals.length === 1);
      terminal.type(KEYS.ctrlC);
      await terminal.sees('Stopping; waiting for 1 upload to finish. Press Ctrl-C again to stop now.');
      terminal.type(KEYS.ctrlC);
      expect(await terminal.ends()).toBe(130);
      expect(terminal.raw.replace(/\^C$/, '').endsWith('\n')).toBe(true);
    });

    test('shows log lines with --verbose, and on a terminal without cursor control', async () => {
      const site = await prepare();
      const ways = [
        [['run', '--verbose'], {}],
        [['run'], { TERM: 'dumb' }],
      ] as const;
      for (const [args, env] of ways) {
        const terminal = onTerminal(site, args, { env });
        await terminal.sees('info receiptd has started');
        expect(terminal.raw).not.toContain('\x1b[');
        expect(terminal.shown).not.toContain('nothing waits');
        terminal.type(KEYS.ctrlC);
        await terminal.sees('receiptd has stopped');
        expect(await terminal.ends()).toBe(0);
      }
    });

    test('shows the same line with --once, and leaves only the summary', async () => {
      const site = await prepare();
      site.sandbox.misbehave({ kind: 'delay', delayMs: 1_500 });
      await drop(site, 'a.jpg', 'b.jpg');
      const terminal = onTerminal(site, ['run', '--once']);
      await terminal.sees('waiting');
      expect(await terminal.ends()).toBe(0);
      expect(rowsOf(terminal)).toEqual(['2 accepted.']);

      const again = onTerminal(site, ['run', '--once']);
      expect(await again.ends()).toBe(0);
      expect(rowsOf(again)).toEqual(['Nothing to send.']);
      expect(again.shown).not.toMatch(/\d of \d/);
    });
  });
});

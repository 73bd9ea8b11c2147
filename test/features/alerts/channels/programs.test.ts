import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCommandChannel } from '../../../../src/features/alerts/channels/command.ts';
import { createDesktopChannel, noticeOf } from '../../../../src/features/alerts/channels/desktop.ts';
import { createEventLogChannel, entryOf } from '../../../../src/features/alerts/channels/eventLog.ts';
import type { RunProgram } from '../../../../src/features/alerts/channels/program.ts';
import { runProgram } from '../../../../src/system/programs.ts';
import { NEVER, OPENED } from './anAlert.ts';
import { tempDir } from '../../../support/tempDir.ts';

const HOSTILE = `"; do shell script "id" -- $(id) \`id\` 'x' <b>&amp;</b> --help \0 \\n %s`;

const FAILED = { how: 'exited', status: 1, said: '' } as const;

const run: RunProgram = async (command, { stdin, env }, signal) => {
  const end = await runProgram(command, stdin, env, { timeoutMs: 5_000, graceMs: 100 }, signal);
  return end.how === 'exited' && end.status === 0 ? null : end;
};

async function script(text: string) {
  const dir = tempDir('program');
  const file = join(dir, 'tell me.sh');
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o700);
  return { file, out: join(dir, 'out') };
}

it.skipIf(process.platform === 'win32')(
  'a program gets the unchanged alert on its standard input and in its environment',
  async () => {
    const { file, out } = await script(
      'cat > "$1"; printf "%s" "$RECEIPTD_ALERT_KIND $RECEIPTD_ALERT_SUBJECT" >> "$1"',
    );
    const channel = createCommandChannel({ command: [file, out], run });
    await channel.send({ ...OPENED, subject: HOSTILE }, NEVER);
    const [line = '', variables] = (await readFile(out, 'utf8')).split('\n', 2);
    expect(JSON.parse(line)).toMatchObject({ type: 'alert.opened', data: { subject: HOSTILE } });
    expect(variables).toBe(`opened ${HOSTILE.replace('\0', '')}`);
  },
);

it.skipIf(process.platform === 'win32')(
  'a program that fails or is missing is reported in a sentence',
  async () => {
    const { file } = await script('exit 3');
    for (const [program, end] of [
      [file, { how: 'exited', status: 3 }],
      ['/no/such', { how: 'notStarted' }],
    ] as const)
      await expect(
        createCommandChannel({ command: [program], run }).send(OPENED, NEVER),
      ).rejects.toMatchObject({ key: 'ALERT_UNDELIVERED.command', params: { program, end } });
  },
);

it('a notice on Linux contains no markup or option from the text of others', async () => {
  const { command, env } = noticeOf({ ...OPENED, subject: HOSTILE, text: HOSTILE }, 'linux');
  const dashes = command.indexOf('--');
  expect(command.slice(0, dashes)).toEqual([
    'notify-send',
    '--app-name=receiptd',
    '--urgency=critical',
    '--icon=dialog-information',
  ]);
  const [title, body, ...more] = command.slice(dashes + 1);
  expect(more).toEqual([]);
  expect(title).toMatch(/^receiptd: "; do/);
  expect(body).toContain("'x' &lt;b&gt;&amp;amp;&lt;/b&gt; --help");
  expect(body).toContain(String.raw`\\n %s`);
  expect(command.join('')).not.toContain('\0');
  expect(env).toEqual({});
});

it('a notice on macOS passes its texts as arguments of a constant script', () => {
  const plain = noticeOf(OPENED, 'darwin').command;
  const hostile = noticeOf({ ...OPENED, subject: HOSTILE, text: HOSTILE }, 'darwin').command;
  expect(hostile.slice(0, -2)).toEqual(plain.slice(0, -2));
  expect(hostile.slice(0, -2).join(' ')).toBe(
    'osascript -e on run argv -e display notification (item 2 of argv) with title (item 1 of argv) -e end run',
  );
  // Neither is parsed as an option.
  for (const text of hostile.slice(-2)) expect(text).toMatch(/^receiptd: /);
});

it('a notice on Windows passes its texts in variables to a constant script', () => {
  const plain = noticeOf(OPENED, 'win32');
  const hostile = noticeOf({ ...OPENED, subject: HOSTILE, text: HOSTILE }, 'win32');
  expect(hostile.command).toEqual(plain.command);
  expect(hostile.env['RECEIPTD_ALERT_SUBJECT']).toContain('do shell script');
  const decoded = Buffer.from(plain.command.at(-1) ?? '', 'base64').toString('utf16le');
  expect(decoded).toContain('CreateTextNode($env:RECEIPTD_ALERT_SUBJECT)');
});

it('a desktop without notify-send is reported with the package to install', async () => {
  const absent: RunProgram = async ([program]) => ({ how: 'notStarted', said: `spawn ${program} ENOENT` });
  const channel = createDesktopChannel({ platform: 'linux', run: absent });
  await expect(channel.send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.desktop',
    params: { program: 'notify-send', end: { how: 'notStarted' }, isLinux: true },
  });
});

it('an entry of the Windows event log gets its texts from the environment, and a number and a type for each kind', async () => {
  const plain = entryOf(OPENED);
  const hostile = entryOf({ ...OPENED, subject: HOSTILE, text: HOSTILE });
  expect(hostile.command).toEqual(plain.command);
  expect(hostile.env['RECEIPTD_ALERT_TEXT']).toContain(HOSTILE.replace('\0', ' '));
  expect(plain.env).toMatchObject({ RECEIPTD_ALERT_EVENT: '1', RECEIPTD_ALERT_TYPE: 'Error' });
  expect(entryOf({ ...OPENED, kind: 'closed' }).env).toMatchObject({
    RECEIPTD_ALERT_EVENT: '2',
    RECEIPTD_ALERT_TYPE: 'Information',
  });
  const refused = createEventLogChannel({ platform: 'win32', run: async () => FAILED });
  await expect(refused.send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.eventLog',
    params: { program: 'powershell.exe', end: FAILED },
  });
  const elsewhere = createEventLogChannel({ platform: 'linux', run: async () => null });
  await expect(elsewhere.send(OPENED, NEVER)).rejects.toMatchObject({ key: 'ALERT_UNDELIVERED.noEventLog' });
});

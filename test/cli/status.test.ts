import { noteJson } from '../../src/control/protocol/noteJson.ts';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import type { Overview } from '../../src/cli/overview.ts';
import { printStatus } from '../../src/cli/statusText.ts';
import type { Config } from '../../src/config/config.ts';
import { FOLDER_STATES } from '../../src/control/protocol/protocol.ts';
import { local } from '../../src/core/domain/words.ts';
import { cureOf } from '../../src/texts/explain.ts';
import { textsIn } from '../../src/texts/texts.ts';
import {
  calm,
  config,
  daemon,
  hold,
  HOUR,
  many,
  NOW,
  OFFICE,
  problemsWith,
  watching,
} from '../support/calmAgent.ts';

async function textOf(
  overview: Partial<Overview>,
  used: Config = config,
  env: Record<string, string> = {},
): Promise<string> {
  const stdout = new PassThrough();
  await printStatus({ stdout, env } as unknown as Io, used, { ...calm, ...overview });
  return String(stdout.read());
}

describe('status', () => {
  it('shows the number waiting and for how long, what slows uploads, and the size of the spool', async () => {
    const text = await textOf({
      counts: [many('queued', 1500), many('uploading', 2)],
      oldestWaiting: NOW - 3 * HOUR,
      daemon: {
        ...daemon,
        notes: [noteJson({ kind: 'deferred', images: 1_204 })],
        spool: { mode: 'auto', used: 12_400_000, limit: 2_000_000_000, images: 3 },
        folders: [{ ...watching, mode: 'polled', fileSystem: 'nfs', settling: 2 }],
      },
    });
    expect(text).toContain('1,502 documents are waiting to be sent, the oldest for 3 hours.\n');
    expect(text).toContain('1,204 images were deferred while the ledger was unreachable,');
    expect(text).toContain('Copies of 3 images are kept in the state directory (12 MB of at most 2.0 GB).\n');
    expect(text).toContain('listed every 5 seconds; file system nfs;');
    expect(text).toContain('2 files are still settling.\n');
  });

  it('uses the singular for one copy, and reports where a ledger was moved', async () => {
    const spool = { mode: 'auto', used: 100, limit: 2_000_000_000, images: 1 } as const;
    expect(await textOf({ daemon: { ...daemon, spool } })).toContain(
      'A copy of 1 image is kept in the state',
    );
    const moved = await textOf({
      daemon: null,
      movedAway: 'The ledger was moved to another PC (2026-01-31T08:00:00.000Z), and receiptd runs there.',
    });
    expect(moved).toContain('moved to another PC (2026-01-31T08:00:00.000Z)');
    expect(moved).not.toContain('Start it');
  });

  it('shows which ledger is shared, and the name of this agent', async () => {
    const url = 'postgres://receiptd@db1.example.com,db2.example.com/scans?sslmode=verify-full';
    const ledger = { kind: 'postgres', url, passwordFile: null, ca: null, agent: 'front', leaseMs: 15_000 };
    const text = await textOf({}, { ...config, ledger } as unknown as Config);
    expect(text).toContain(
      'The ledger is the database scans at db1.example.com, db2.example.com, shared by several agents. This agent is front.',
    );
    expect(await textOf({})).not.toContain('which agents share');
  });

  it('shows no document counts while a shared ledger is unreachable', async () => {
    const code = 'LEDGER_UNREACHABLE' as const;
    const incident = { key: 'storage', code, params: { detail: 'No answer.' } };
    const incidents = [{ ...incident, since: daemon.startedAt }];
    const problems = problemsWith({ incidents: [{ ...incident, since: NOW }] });
    const text = await textOf({ daemon: { ...daemon, incidents }, problems, counts: [] });
    expect(text).not.toContain('Nothing seen yet');
    expect(text).toMatch(/ \[LEDGER_UNREACHABLE\]\n/);
    expect(await textOf({ counts: [] })).toContain('Nothing seen yet.');
  });

  it('does not report a folder that another agent watches as a problem', async () => {
    const folder = { ...watching, state: 'standby', message: 'Agent back picks up its scans.' } as const;
    const text = await textOf({ daemon: { ...daemon, folders: [folder] } });
    expect(text).toMatch(
      /On standby since .*; its documents are also sent from here; Agent back picks up its scans\.\n/,
    );
  });

  it('escapes terminal sequences and line breaks in file names and messages', async () => {
    const text = await textOf({ problems: problemsWith({ holds: [hold({ message: 'a\u001b[31m\nb' })] }) });
    expect(text).not.toContain('\u001b');
    expect(text).toContain('a\\u001b[31m\\nb');
  });

  it('has a sentence for every folder state', async () => {
    for (const state of FOLDER_STATES) {
      const text = await textOf({ daemon: { ...daemon, folders: [{ ...watching, state }] } });
      // The hold says since when it is paused.
      expect(text).toContain(state === 'paused' ? 'paused' : '2026-03-02 10:00:00');
      expect(text).not.toContain('undefined');
    }
  });

  it('lists what needs a person first, and words problems in the language of the terminal', async () => {
    const problems = problemsWith({
      holds: [hold({ scope: 'service', key: OFFICE.baseUrl }), hold({})],
    });
    const text = await textOf({ problems });
    expect([...text.matchAll(/\[([A-Z_]+)\]$/gm)].map(([, code]) => code)).toEqual([
      'ENDPOINT_HELD',
      'SERVICE_UNREACHABLE',
    ]);
    expect(text).not.toContain('Nothing is wrong');
    const texts = { en: await textsIn('en', local), de: await textsIn('de', local) };
    const [, held] = problems;
    for (const [env, language] of [
      [{}, 'en'],
      [{ LANG: 'de_AT.UTF-8' }, 'de'],
      [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, 'en'],
      [{ LC_MESSAGES: 'de_DE', LANG: 'fr_FR' }, 'de'],
    ] as const)
      expect(await textOf({ problems }, config, env)).toContain(held && cureOf(texts[language], held));
  });
});

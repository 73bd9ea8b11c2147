import { noteJson } from '../../src/control/protocol/noteJson.ts';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ProcessParts } from '../../src/cli/io.ts';
import { ioOf } from '../../src/cli/language.ts';
import type { Overview } from '../../src/cli/overview.ts';
import { printStatus } from '../../src/cli/statusText.ts';
import type { Config } from '../../src/config/config.ts';
import { FOLDER_STATES } from '../../src/control/protocol/protocol.ts';
import { local } from '../../src/core/domain/words.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';
import { noteWords, cureOf } from '../../src/texts/explain.ts';
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
  const io = await ioOf({ stdout, env } as unknown as ProcessParts);
  await printStatus(io, used, { ...calm, ...overview });
  return String(stdout.read());
}

const { status: words, folderWatch } = await cliTextsIn('en', local);

describe('status', () => {
  it('shows the number waiting and for how long, what slows uploads, and the size of the spool', async () => {
    const deferred = noteJson({ kind: 'deferred', images: 1_204 });
    const spool = { mode: 'auto', used: 12_400_000, limit: 2_000_000_000, images: 3 } as const;
    const text = await textOf({
      counts: [many('queued', 1500), many('uploading', 2)],
      oldestWaiting: NOW - 3 * HOUR,
      daemon: {
        ...daemon,
        notes: [deferred],
        spool,
        folders: [{ ...watching, mode: 'polled', fileSystem: 'nfs', settling: 2 }],
      },
    });
    expect(text).toContain(`${words.waiting(1502, 3 * HOUR)}\n`);
    expect(text).toContain(`${noteWords(await textsIn('en', local), deferred)}\n`);
    expect(text).toContain(`${words.spool(spool)}\n`);
    expect(text).toContain(`${folderWatch.polled(5_000)}; ${folderWatch.fileSystem('nfs')};`);
    expect(text).toContain(`${folderWatch.settling(2)}.\n`);
  });

  it('uses the singular for one copy, and reports where a ledger was moved', async () => {
    const spool = { mode: 'auto', used: 100, limit: 2_000_000_000, images: 1 } as const;
    expect(await textOf({ daemon: { ...daemon, spool } })).toContain(words.spool(spool));
    const movedAway = { at: '2026-01-31T08:00:00.000Z', file: '', isCopy: false };
    const moved = await textOf({ daemon: null, movedAway });
    expect(moved).toContain(words.movedAway(movedAway));
    expect(moved).not.toContain(words.startWith('receiptd run'));
  });

  it('shows which ledger is shared, and the name of this agent', async () => {
    const url = 'postgres://receiptd@db1.example.com,db2.example.com/scans?sslmode=verify-full';
    const ledger = { kind: 'postgres', url, passwordFile: null, ca: null, agent: 'front', leaseMs: 15_000 };
    const text = await textOf({}, { ...config, ledger } as unknown as Config);
    const hosts = ['db1.example.com', 'db2.example.com'];
    expect(text).toContain(words.shared({ database: 'scans', hosts, agent: 'front' }));
    expect(await textOf({})).not.toContain('front');
  });

  it('shows no document counts while a shared ledger is unreachable', async () => {
    const code = 'LEDGER_UNREACHABLE' as const;
    const incident = { key: 'storage', code, params: { detail: 'No answer.' } };
    const incidents = [{ ...incident, since: daemon.startedAt }];
    const problems = problemsWith({ incidents: [{ ...incident, since: NOW }] });
    const text = await textOf({ daemon: { ...daemon, incidents }, problems, counts: [] });
    expect(text).not.toContain(words.nothingSeen);
    expect(text).toMatch(/ \[LEDGER_UNREACHABLE\]\n/);
    expect(await textOf({ counts: [] })).toContain(words.nothingSeen);
  });

  it('does not report a folder that another agent watches as a problem', async () => {
    const folder = { ...watching, state: 'standby', message: 'Agent back picks up its scans.' } as const;
    const text = await textOf({ daemon: { ...daemon, folders: [folder] } });
    expect(text).toContain(`${folderWatch.states.standby(folder.since)}; ${folder.message}\n`);
  });

  it('escapes terminal sequences and line breaks in file names and messages', async () => {
    const text = await textOf({ problems: problemsWith({ holds: [hold({ message: 'a\u001b[31m\nb' })] }) });
    expect(text).not.toContain('\u001b');
    expect(text).toContain('a\\u001b[31m\\nb');
  });

  it('has a sentence for every folder state', async () => {
    for (const state of FOLDER_STATES) {
      const text = await textOf({ daemon: { ...daemon, folders: [{ ...watching, state }] } });
      expect(text).toContain(folderWatch.states[state](watching.since));
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
    expect(text).not.toContain(words.allWell);
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

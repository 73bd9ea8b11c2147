import type { Need } from '../../src/core/domain/problem.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { describe, expect, it } from 'vitest';
import { EXIT, exitStatusOf } from '../../src/cli/exitStatus.ts';
import { exitStatusOfOnce, summaryOf } from '../../src/cli/once.ts';
import { usageError } from '../../src/cli/usage.ts';
import type { OnceResult } from '../../src/daemon/agent.ts';
import { ERROR_CODES, ReceiptdError } from '../../src/core/domain/errors.ts';

const texts = await textsIn('en', String);

describe('the exit status', () => {
  it('is nonzero for every error code', () => {
    for (const code of ERROR_CODES)
      expect(exitStatusOf(new ReceiptdError({ code, message: 'x' }))).toBeGreaterThan(0);
  });

  it.each([
    ['USAGE', EXIT.usage],
    ['CONFIG_INVALID', EXIT.usage],
    ['SERVICE_UNREACHABLE', EXIT.unreachable],
    ['ALREADY_RUNNING', EXIT.alreadyRunning],
    ['LEDGER_DAMAGED', EXIT.failed],
  ] as const)('of %s is %d', (code, status) => {
    expect(exitStatusOf(new ReceiptdError({ code, message: 'x' }))).toBe(status);
  });

  const done: OnceResult = {
    missingFolders: [],
    unreadableDirs: 0,
    found: [],
    earlier: [],
    waiting: 0,
    accepted: 3,
    orphaned: 0,
    unreachable: false,
  };
  const need = (state: Need['state'], count: number, reason: string | null = null): Need => ({
    state,
    count,
    reason,
  });
  it.each<[Partial<OnceResult>, number, string]>([
    [{}, EXIT.ok, '3 accepted.'],
    [{ found: [need('rejected', 1, 'TOO_LARGE')] }, EXIT.refused, '3 accepted, 1 not sent (Too large: 1).'],
    [
      { found: [need('lost', 1), need('failed', 2)], waiting: 1 },
      EXIT.refused,
      '3 accepted, 1 waiting, 3 not sent (Refused by the service: 2, Lost before it could be sent: 1).',
    ],
    [{ waiting: 1 }, EXIT.waiting, '3 accepted, 1 waiting.'],
    [
      { found: [need('incomplete', 1, 'INCOMPLETE'), need('unreadable', 2, 'EACCES')], unreadableDirs: 1 },
      EXIT.waiting,
      '3 accepted, 3 not sent (Not readable: 2, Incomplete: 1), 1 unreadable directory.',
    ],
    [
      { found: [need('unconfirmed', 1)] },
      EXIT.waiting,
      '3 accepted, 1 not sent (May already be at the service: 1).',
    ],
    [
      { earlier: [need('failed', 2), need('rejected', 1, 'DAMAGED')] },
      EXIT.ok,
      '3 accepted.\nFrom earlier runs: Refused by the service: 2, Damaged, or not an image: 1. `receiptd list --needs-person` lists everything that needs a person.',
    ],
    [
      { orphaned: 2 },
      EXIT.waiting,
      '3 accepted. 2 documents wait for an endpoint that is no longer in the config. `receiptd status` says what to do.',
    ],
    [{ missingFolders: ['/a'] }, EXIT.waiting, "3 accepted, /a can't be listed."],
    [
      { unreachable: true, waiting: 4 },
      EXIT.unreachable,
      '3 accepted, 4 waiting, the service could not be reached.',
    ],
  ])('of a single run that left %j', (left, status, summary) => {
    const result = { ...done, ...left };
    expect(exitStatusOfOnce(result)).toBe(status);
    expect(summaryOf(result, texts)).toBe(summary);
  });
});

it('suggests `--` for a name that begins with a dash, but not for an unknown option', () => {
  const said = (option: string) =>
    usageError({ code: 'commander.unknownOption', message: `error: unknown option '${option}'` }).sentence();
  expect(said('-scan-5e8ff9bf55ba')).toContain('`receiptd show -- -scan-5e8ff9bf55ba`');
  expect(said('--scan-5e8ff9bf55ba')).toContain('`receiptd show -- --scan-5e8ff9bf55ba`');
  expect(said('--jsn')).not.toContain('show');
});

it('turns an error of the argument parser into one sentence with its suggestion and a code', () => {
  const message = "error: unknown command 'lst'\n(Did you mean list?)";
  expect(usageError({ code: 'commander.unknownCommand', message }).sentence()).toBe(
    'Unknown command "lst". Did you mean list? `receiptd --help` shows the commands. [USAGE]',
  );
});

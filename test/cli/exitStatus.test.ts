import type { Need } from '../../src/core/domain/problem.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { describe, expect, it } from 'vitest';
import { EXIT, exitStatusOf } from '../../src/cli/exitStatus.ts';
import { exitStatusOfOnce, summaryOf } from '../../src/cli/once.ts';
import { usageError } from '../../src/cli/usage.ts';
import type { OnceResult } from '../../src/daemon/agent.ts';
import { ERROR_CODES, ReceiptdError } from '../../src/core/domain/errors.ts';

const { needs } = await textsIn('en', String);
const texts = await cliTextsIn('en', String);

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
  const { once } = texts;
  const { summary } = needs;
  const afterwards = (...parts: string[]) => `${[once.accepted(3), ...parts].join(', ')}.`;
  const [tooLarge, lost, open] = [
    [need('rejected', 1, 'TOO_LARGE')],
    [need('lost', 1), need('failed', 2)],
    [need('incomplete', 1, 'INCOMPLETE'), need('unreadable', 2, 'EACCES')],
  ];
  it.each<[Partial<OnceResult>, number, string]>([
    [{}, EXIT.ok, afterwards()],
    [{ found: tooLarge }, EXIT.refused, afterwards(once.notSent(1, summary(tooLarge)))],
    [{ found: lost, waiting: 1 }, EXIT.refused, afterwards(once.waiting(1), once.notSent(3, summary(lost)))],
    [{ waiting: 1 }, EXIT.waiting, afterwards(once.waiting(1))],
    [
      { found: open, unreadableDirs: 1 },
      EXIT.waiting,
      afterwards(once.notSent(3, summary(open)), once.unreadable(1)),
    ],
    [{ earlier: lost }, EXIT.ok, `${afterwards()}\n${once.earlier(summary(lost))}`],
    [{ orphaned: 2 }, EXIT.waiting, `${afterwards()} ${once.orphaned(2)}`],
    [{ missingFolders: ['/a'] }, EXIT.waiting, afterwards(once.unlisted('/a'))],
    [{ unreachable: true, waiting: 4 }, EXIT.unreachable, afterwards(once.waiting(4), once.unreachable)],
    [{ accepted: 0 }, EXIT.ok, `${once.nothing}.`],
  ])('of a single run that left %j', (left, status, said) => {
    const result = { ...done, ...left };
    expect(exitStatusOfOnce(result)).toBe(status);
    expect(summaryOf(result, needs, once)).toBe(said);
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
  const { key, params } = usageError({ code: 'commander.unknownCommand', message });
  expect({ key, params }).toEqual({ key: 'USAGE.unknownCommand', params: { typed: 'lst', meant: ['list'] } });
});

import { problemsOf, patienceOf, type Action, type Condition } from '../core/domain/problem.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { WordedCode } from '../texts/codes.ts';
import english, { type Texts } from '../texts/en.ts';
import { ASIDES, BUTTONS, INTRODUCTION, NOTES } from '../texts/en/errorsPage.ts';
import type { ErrorKey } from '../texts/errors.ts';
import { ERROR_EXAMPLES, PROBLEM_EXAMPLES } from '../texts/examples.ts';
import { explain, urgencyOf, wordsOf } from '../texts/explain.ts';
import { ERROR_GROUPS, type ErrorCode } from '../texts/facts.ts';
import { formatOf } from '../texts/format.ts';
import { EXIT, exitStatusOf } from './exitStatus.ts';

function buttonOf(code: ErrorCode, action: Action): string | null {
  switch (action.operation) {
    case 'resume':
      return code === 'UPLOADS_PAUSED' ? BUTTONS.resume(action.target ?? '') : BUTTONS.confirmFolder;
    case 'tryHeld':
      return BUTTONS.retry;
    case 'list':
      return BUTTONS.list;
    case 'changeConfig':
      return action.folder === null ? BUTTONS.open(BUTTONS.pages[action.section]) : BUTTONS.editFolder;
    case 'move':
      return BUTTONS.move;
    case 'log':
      return null;
  }
}

/** The text of docs/errors.md. */
export function errorsPage(): string {
  const texts = english(formatOf('en', (at) => String(at).slice(0, 16).replace('T', ' ')));
  const groups = Object.entries(ERROR_GROUPS).map(([subject, codes]) =>
    [`## ${subject}\n`, ...codes.map((code) => section(code, texts))].join('\n'),
  );
  return [INTRODUCTION, ...groups].join('\n');
}

function section(code: ErrorCode, texts: Texts): string {
  const said = saidBy(code, texts).map(([what, cure]) => (cure === '' ? what : `${what}\n**Do:** ${cure}`));
  const [first, ...others] = said;
  const shown =
    others.length === 0 ? (first ?? '') : said.map((each) => `- ${each.replace('\n', '\n  ')}`).join('\n');
  return [
    `### ${code}\n`,
    `${shown}\n`,
    ...[asides(code), NOTES[code]].filter(Boolean).map((each) => `${each}\n`),
  ].join('\n');
}

/** What is wrong, as sentences, and what to do; that is empty if there is nothing to do. */
function saidBy(code: ErrorCode, texts: Texts): [what: string, cure: string][] {
  const params: readonly (object | undefined)[] = Object.hasOwn(PROBLEM_EXAMPLES, code)
    ? PROBLEM_EXAMPLES[code as keyof typeof PROBLEM_EXAMPLES]
    : [undefined];
  const problems = params.flatMap((each): [string, string][] => {
    const words = explain(texts, code, each);
    return words === null ? [] : [[`${words.what}.`, words.cure]];
  });
  const examples: readonly (readonly [key: ErrorKey, params?: object])[] =
    ERROR_EXAMPLES[code as WordedCode] ?? [];
  return [
    ...problems,
    ...examples.map(([key, its = null]): [string, string] => {
      const [what, cure = ''] = wordsOf(texts, key, its);
      return [what, cure];
    }),
  ];
}

/** What the console offers, whether it ends by itself, and the exit status. */
function asides(code: ErrorCode): string {
  const [params = { detail: '' }] = Object.hasOwn(PROBLEM_EXAMPLES, code)
    ? PROBLEM_EXAMPLES[code as keyof typeof PROBLEM_EXAMPLES]
    : [];
  // The examples are those of the code.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const condition = { code, params } as Condition;
  const incidents = [{ ...condition, key: code, since: 0 }];
  const [problem] = problemsOf({ now: 0, incidents, folders: [], holds: [], counts: [], endpoints: [] });
  const buttons = (problem?.actions ?? []).flatMap((action) => buttonOf(code, action) ?? []);
  const patience = patienceOf(condition);
  const status = exitStatusOf(new ReceiptdError({ code, message: '' }));
  return [
    ...(buttons.length === 0 ? [] : [ASIDES.console(buttons)]),
    ...(problem !== undefined && urgencyOf(problem) === 'passing' ? [ASIDES.passing] : []),
    ...(typeof patience === 'number' ? [ASIDES.alerted(patience / 60_000)] : []),
    ...(status === EXIT.failed ? [] : [ASIDES.exitStatus(status)]),
  ].join(' ');
}

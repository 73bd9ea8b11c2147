/** P4: one file's trouble is its own. P5: an outage fails nothing. P7: secrets stay secret. */
import { isVerdict } from './answers.ts';
import { hasAnswer, moved } from './nothingLost.ts';
import type { Rule } from './rule.ts';
import type { Seen } from './seen.ts';

export const OTHERS: readonly Rule[] = [
  {
    promise: 'P4',
    rule: 'a good image passes beside trouble',
    on: {
      *due({ uid, sha256, what }, seen) {
        const { state = 'not named yet' } = seen.books.documentOf(uid, sha256) ?? {};
        if (state !== 'accepted') yield `${what} is ${state}`;
      },
    },
  },
  {
    promise: 'P5',
    rule: 'failed only by a verdict',
    on: {
      *entry(_, seen) {
        for (const { uid, name } of moved(seen, 'failed')) yield* wronglyFailed(seen, uid, name);
      },
    },
    *end(seen) {
      for (const { state, uid, name } of seen.standings())
        if (state === 'failed') yield* wronglyFailed(seen, uid, name);
    },
  },
  {
    promise: 'P7',
    rule: 'no secret is written down or shown',
    on: {
      *entry({ entry }, seen) {
        yield* told(seen, `the journal (${entry.kind})`, JSON.stringify(entry));
      },
      *text({ where, text }, seen) {
        yield* told(seen, where, text);
      },
      *ended({ ended: { run, output } }, seen) {
        yield* told(seen, run, output);
      },
    },
  },
];

function* wronglyFailed(seen: Seen, uid: string, name: string | null): Generator<string> {
  if (!hasAnswer(seen, uid, name, isVerdict)) yield `${name} failed without a verdict from the service`;
  const arrivals = seen.arrivalsOf(uid, name);
  if (arrivals.some(({ isStored }) => isStored)) yield `${name} counts as failed, but the service has it`;
}

function* told({ secrets }: Seen, where: string, text: string): Generator<string> {
  if (secrets.some((secret) => text.includes(secret))) yield `a secret is in ${where}: ${text.slice(0, 300)}`;
}

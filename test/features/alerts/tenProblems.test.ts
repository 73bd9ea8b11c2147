/** Ten problems of an office: status and mail tell each in the same words, in both languages. test/e2e/problems.test.ts has them happen, and ends them. */
import { describe, expect, it } from 'vitest';
import { PassThrough } from 'node:stream';
import type { ProcessParts } from '../../../src/cli/io.ts';
import { ioOf } from '../../../src/cli/language.ts';
import { printStatus } from '../../../src/cli/statusText.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { conditionOf, type Facts, type Problem } from '../../../src/core/domain/problem.ts';
import { local } from '../../../src/core/domain/words.ts';
import { mailOf } from '../../../src/features/alerts/channels/mail.ts';
import { recordOf, worded } from '../../../src/features/alerts/message.ts';
import { noteText } from '../../../src/features/attention/note.ts';
import { cureOf, explain } from '../../../src/texts/explain.ts';
import { LANGUAGES } from '../../../src/texts/language.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { calm, config, hold, many, NOW, OFFICE, problemsWith, SCANS } from '../../support/calmAgent.ts';

const folder = (state: Facts['folders'][number]['state']): Partial<Facts> => ({
  folders: [{ path: SCANS, state, why: null, since: NOW }],
});
const incident = (condition: ReturnType<typeof conditionOf>): Partial<Facts> => ({
  incidents: [{ key: condition.code, since: NOW, ...condition }],
});
const silent = { folder: SCANS, last: '2026-03-02T08:40:00Z', minutes: 200, pause: 60 };

const TEN = {
  'a folder that is gone': ['FOLDER_MISSING', folder('missing')],
  'no permission': ['FOLDER_UNREADABLE', folder('unreadable')],
  'a wrong secret': [
    'CREDENTIALS_REFUSED',
    { holds: [hold({ scope: 'credentials', key: OFFICE.baseUrl, reason: 'HTTP_401' })] },
  ],
  'a wrong uid': ['ENDPOINT_HELD', { holds: [hold({ reason: 'HTTP_404' })] }],
  'a quota that is spent': ['ENDPOINT_BUSY', { holds: [hold({ reason: 'HTTP_402' })] }],
  'a full disk': [
    'DISK_FULL',
    incident(conditionOf(new ReceiptdError('DISK_FULL.ofLedger', { path: SCANS, detail: 'ENOSPC' }).facts())),
  ],
  'a damaged file': [
    'PERSON_NEEDED',
    { counts: [{ ...many('rejected', 1), needsPerson: true, reason: 'CORRUPT' }] },
  ],
  'a share that is mounted wrong': ['FOLDER_UNREACHABLE', folder('unreachable')],
  'a silent scanner': ['FOLDER_SILENT', incident({ code: 'FOLDER_SILENT', params: silent })],
  'two agents': ['FOLDER_TAKEN', folder('taken')],
} satisfies Readonly<Record<string, readonly [Problem['code'], Partial<Facts>]>>;

const LOCALES = { en: 'en_GB.UTF-8', de: 'de_DE.UTF-8' } as const;

describe.each(Object.entries(TEN))('%s', (_, [code, facts]) => {
  it('is told by status and by mail, in both languages, with the same words and what to do', async () => {
    const [problem, ...others] = problemsWith(facts);
    if (problem === undefined) throw new Error('there is no problem');
    expect([problem.code, others]).toEqual([code, []]);
    const told = new Set<string>();
    for (const language of LANGUAGES) {
      const texts = await textsIn(language, local);
      const words = explain(texts, problem.code, problem.params);
      expect(words).not.toBeNull();
      const pieces = [words?.what ?? '', cureOf(texts, problem)];
      const stdout = new PassThrough();
      const io = await ioOf({ stdout, env: { LANG: LOCALES[language] } } as unknown as ProcessParts);
      await printStatus(io, config, { ...calm, problems: [problem] });
      const inStatus = flat(String(stdout.read()));
      const cause = { key: problem.key, condition: problem, since: NOW, until: null };
      const causes = [{ ...cause, count: null, times: 1, returns: 0, awayMs: 0 }];
      const about = { id: 'id', kind: 'opened' as const, causes, follows: [], about: null, endedUntold: 0 };
      const alert = worded(recordOf(about, { host: 'pc', now: NOW }), texts);
      const mail = mailOf(alert, texts.alertTexts.mail);
      for (const piece of pieces) {
        expect(piece).not.toBe('');
        expect(inStatus).toContain(flat(piece));
        expect(flat(mail.text)).toContain(flat(piece));
        told.add(piece);
      }
      // It may be cut off.
      expect(mail.subject).toContain(words?.what.slice(0, 40));
    }
    expect(told.size).toBe(2 * LANGUAGES.length);
    expect(problem.actions).not.toEqual([]);
  });
});

it('a damaged file is told by a note beside it, in both languages', async () => {
  const amiss = { state: 'rejected', reason: 'CORRUPT', message: '' } as const;
  const notes = LANGUAGES.map(async (language) =>
    noteText({ path: 'a.jpg', bytes: 1, amiss, at: NOW }, await textsIn(language, local)),
  );
  const [first, second] = await Promise.all(notes);
  for (const note of [first, second]) expect(note).toMatch(/a\.jpg[^]*\[CORRUPT\]/);
  expect(first?.split('\r\n')[1]).not.toBe(second?.split('\r\n')[1]);
});

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

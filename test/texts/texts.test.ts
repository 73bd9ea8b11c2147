import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ReceiptdError } from '../../src/core/domain/errors.ts';
import { LANGUAGES } from '../../src/texts/language.ts';
import { NEEDING_STATES } from '../../src/core/domain/needsPerson.ts';
import type { Condition } from '../../src/core/domain/problem.ts';
import german from '../../src/texts/de.ts';
import germanCli from '../../src/texts/de/cli.ts';
import { setupTexts as germanSetup } from '../../src/texts/de/setup.ts';
import english from '../../src/texts/en.ts';
import englishCli from '../../src/texts/en/cli.ts';
import { setupTexts as englishSetup } from '../../src/texts/en/setup.ts';
import { ERROR_EXAMPLES, PROBLEM_EXAMPLES } from '../../src/texts/examples.ts';
import type { ErrorKey } from '../../src/texts/errors.ts';
import { explain, findingWords, sentencesOf, whatIsWrong, wordsOf } from '../../src/texts/explain.ts';
import { formatOf } from '../../src/texts/format.ts';
import { asWord } from '../../src/texts/phrase.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { hold, many, NOW, problemsWith } from '../support/calmAgent.ts';
import { MARKS, shapeOf, textsOf } from '../support/catalogue.ts';

const [en, de] = await Promise.all(LANGUAGES.map((language) => textsIn(language, (at) => `⟨${at}⟩`)));
if (en === undefined || de === undefined) throw new Error('a language is missing');

/** Of each code that has parameters of its own. */
const CONDITIONS = Object.entries(PROBLEM_EXAMPLES).flatMap(([code, examples]) =>
  examples.map((params) => ({ code, params }) as unknown as Condition),
);

it('an error inside another text is worded in the language of that text', () => {
  const inner = new ReceiptdError('CONFIG_NOT_FOUND.chosen', { path: '/etc/r.yaml', isOption: true });
  const found = { is: 'notCheckedAs', user: 'anna', ...inner.within() } as const;
  const refused = { account: 'anna', subject: 'state', ...inner.within() };
  for (const texts of [en, de]) {
    const words = wordsOf(texts, 'CONFIG_NOT_FOUND.chosen', inner.params).join(' ');
    expect(findingWords(texts, { fact: found })).toContain(`${words} [CONFIG_NOT_FOUND]`);
    expect(wordsOf(texts, 'INSTALL_REFUSED.finding', refused)[0]).toContain(words);
  }
});

/** Examples of texts that tell something else, too. */
const TELLING = [
  ...Object.values(ERROR_EXAMPLES)
    .flat()
    .map(([key, params]: readonly [key: string, params?: object]) => ({ key, params, code: null })),
  ...CONDITIONS.map(({ code, params }) => ({ key: null, params, code })),
].filter((each): each is typeof each & { params: { detail: unknown } } =>
  Object.hasOwn(each.params ?? {}, 'detail'),
);

it.each(TELLING)(
  '$code$key tells an error, or why something is so, in the language of the text',
  ({ key, params, code }) => {
    const error = new ReceiptdError('CONFIG_NOT_FOUND.chosen', { path: '/etc/r.yaml', isOption: true });
    for (const its of [error.within(), { why: { is: 'missing', folder: '/srv' } }]) {
      const told = { ...params, ...its, detail: 'ENGLISH' };
      const words =
        key === null
          ? whatIsWrong(de, { code, params: told } as Condition)
          : wordsOf(de, key as ErrorKey, told).join(' ');
      expect(words).not.toContain('ENGLISH');
    }
  },
);

describe('the catalogue', () => {
  const both = [
    ['of the agent', english(MARKS), german(MARKS)],
    ['of the commands', englishCli(MARKS), germanCli(MARKS)],
    ['of setup', englishSetup, germanSetup],
  ] as const;

  it.each(both)('%s names in every language the same values, settings and commands', (_, its, translated) => {
    expect(Object.fromEntries(shapeOf(translated))).toEqual(Object.fromEntries(shapeOf(its)));
  });

  it.each(both)('%s leaves no sentence untranslated', (_, its, translated) => {
    const originals = textsOf(its);
    const same = [...textsOf(translated)].filter(
      ([key, text]) => originals.get(key) === text && / \p{L}/u.test(text),
    );
    expect(same).toEqual([]);
  });

  it('has words for every problem', () => {
    expect(CONDITIONS.filter(({ code }) => !Object.hasOwn(en.codes, code))).toEqual([]);
  });

  it.each([
    ['en', en],
    ['de', de],
  ])('words every problem and every error in %s, and names what it is about', (_, texts) => {
    for (const condition of CONDITIONS) {
      const { what = '', cure = '' } = explain(texts, condition.code, condition.params) ?? {};
      expect(what).toMatch(/^\S.{5,}[^.!?]$/s);
      expect(cure).toMatch(/^\S.{10,}\.$/s);
      expect(what + cure).not.toMatch(/undefined|null|NaN|\[object/);
      for (const name of ['folder', 'place', 'agent', 'program', 'target', 'endpoint', 'dir'] as const) {
        const value: unknown = Reflect.get(condition.params, name);
        expect(what).toContain(typeof value === 'string' ? value : '');
      }
    }
    const derived = new Set(CONDITIONS.map(({ code }) => code));
    for (const code of ERROR_CODES.filter((each) => !derived.has(each) && Object.hasOwn(en.codes, each)))
      expect(explain(texts, code)?.cure).toMatch(/\.$/);
  });

  it('has words for every state that may need attention', () => {
    for (const state of NEEDING_STATES)
      expect(en.needs.cures([{ state, reason: null, count: 1 }])).not.toBe('');
    const needs = [
      { state: 'incomplete', reason: null, count: 1 },
      { state: 'failed', reason: null, count: 1204 },
      { state: 'unreadable', reason: 'EACCES', count: 2 },
    ] as const;
    expect(en.needs.summary(needs)).toBe('Refused by the service: 1,204, Not readable: 2, Incomplete: 1');
    expect(de.needs.summary(needs)).toBe('Vom Dienst abgelehnt: 1.204, Nicht lesbar: 2, Unvollständig: 1');
  });

  it('says what is wrong, since when, what waits, what to do, and when it is tried again', () => {
    const problems = problemsWith({ holds: [hold({})], counts: [many('held', 3)] });
    const [problem] = problems;
    if (problem === undefined) throw new Error('no problem');
    expect(sentencesOf(en, problem, NOW)).toEqual([
      'Endpoint office does not accept uploads: The service does not allow uploads to this endpoint.',
      `Since ⟨${problem.since}⟩.`,
      '3 documents wait for this.',
      'Contact the service’s support or correct the configuration, then try again with `receiptd retry --all`.',
      expect.stringMatching(/^Next try: ⟨.+⟩\.$/),
    ]);
    expect(sentencesOf(en, problem, NOW + 120_000).at(-1)).toBe('It is being retried now.');
    expect(sentencesOf(en, problem, null).at(-1)).toBe('It is retried when the agent runs.');
    expect(sentencesOf(de, problem, NOW)[2]).toBe('3 Belege warten darauf.');
  });

  it('shows the general words of a code for an error that does not say which folder it is about', () => {
    expect(whatIsWrong(en, { code: 'DISK_FULL', params: { detail: 'No space on /state' } })).toBe(
      'The disk is full: No space on /state.',
    );
    expect(explain(en, 'FOLDER_MISSING')?.what).toBe('The folder does not exist');
    expect(explain(en, 'FOLDER_MISSING', { detail: 'x' })?.what).toBe('The folder does not exist');
    expect([explain(en, 'NOT_INSTALLED'), explain(en, 'ENDPOINT_GONE')]).toEqual([null, null]);
  });
});

describe('commands in texts', () => {
  it.each([
    ['/srv/Büro/2024-05', '/srv/Büro/2024-05'],
    ['/srv/my scans', "'/srv/my scans'"],
    ["/srv/ann's $HOME", String.raw`'/srv/ann'\''s $HOME'`],
    [String.raw`/srv/a\b`, String.raw`'/srv/a\b'`],
    [String.raw`C:\Scans`, String.raw`C:\Scans`],
    [String.raw`\\nas\my scans`, String.raw`"\\nas\my scans"`],
    ['#1-0a1b', "'#1-0a1b'"],
    ['http://127.0.0.1:8470#1111-22', 'http://127.0.0.1:8470#1111-22'],
  ])('name %s so that a shell reads it as one word', (text, word) => {
    expect(asWord(text)).toBe(word);
  });
});

describe('numbers in texts', () => {
  it('are grouped and counted as the language does', () => {
    const [here, there] = [formatOf('en', String), formatOf('de', String)];
    expect([here.counted(1, 'file', 'files'), there.counted(1204, 'Datei', 'Dateien')]).toEqual([
      '1 file',
      '1.204 Dateien',
    ]);
    expect([here.bytes(1_250_000), there.bytes(1_250_000)]).toEqual(['1.3 MB', '1,3 MB']);
    expect([here.duration(7_500_000), there.duration(60_000)]).toEqual(['2 hours 5 minutes', '1 Minute']);
  });
});

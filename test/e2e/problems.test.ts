/** What is wrong, as people see it: the same words everywhere, in their language, and a cure that ends it. */
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/texts/language.ts';
import type { Problem } from '../../src/core/domain/problem.ts';
import { cureOf, explain } from '../../src/texts/explain.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { hasChromium, startBrowser, startChromium, type Chromium } from '../console/app/support/browser.ts';
import { mailServer } from '../features/alerts/channels/receivers.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { drawReceipt } from '../support/images.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { DEPOT, OFFICE, prepare, Site } from './support/agent.ts';
import { begin, giveAway, ordinaryUserCanRun, receiptd } from './support/commandLine.ts';

/** Root would be allowed everything. */
const ORDINARY = { ordinary: true } as const;
const MISTYPED = '99999999-2222-4333-8444-555555555555';
const LOCALES = { en: 'en_GB', de: 'de_DE' } as const;
const NOT_SENT = { en: 'was not sent', de: 'wurde nicht gesendet' } as const;

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
/** Without commands and keys, which the console turns into links. */
const piecesOf = (text: string): string[] => text.split(/`[^`]*`/).map((each) => flat(each).trim());

describe.skipIf(!hasChromium || !ordinaryUserCanRun)('eight problems at once', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium?.close());

  test.each(LANGUAGES)(
    'are told by status, console, mail and note in "%s", and their cures end them',
    async (language) => {
      const { mails, port } = await mailServer();
      const site = await prepare();
      site.env['LANG'] = `${LOCALES[language]}.UTF-8`;
      Object.assign(site.env, { RECEIPTD_CLIENT_ID_B: 'b', RECEIPTD_CLIENT_SECRET_B: 'wrong' });
      const at = (name: string, endpoint = 'office', more = {}) => ({
        path: site.file(name),
        endpoint,
        settle: { long: '50ms' },
        ...more,
      });
      const folders = [
        at('gone'),
        at('shut'),
        at('taken'),
        at('kept', 'office', { afterUpload: 'archive' }),
        at('unsent', 'office', { needsAttention: 'look here', recursive: true }),
        at('spent'),
        at('secret', 'depot'),
      ];
      const endpoints = { office: { uid: OFFICE } };
      const email = {
        server: `smtp://127.0.0.1:${port}`,
        from: 'scans@example.com',
        to: ['ann@example.com'],
      };
      const common = { language, intake: { takeOverAfter: '1s' }, alerts: { after: '0s', email } };
      await site.configure({
        ...common,
        folders: [...folders, at('mistyped', 'mistyped')],
        endpoints: { ...endpoints, depot: { uid: DEPOT, account: 'b' }, mistyped: { uid: MISTYPED } },
        accounts: { b: {} },
      });
      const other = new Site(site.file('other'), site.sandbox);
      await mkdir(other.dir);
      await other.configure({ folders: [at('taken')] });
      const holder = await other.quickStart();
      await holder.logged('Watching');
      for (const name of ['spent', 'secret', 'mistyped'])
        await writeFile(site.file(name, `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
      await writeFile(site.file('unsent', 'text.jpg'), 'this is no image at all');
      await writeFile(site.file('kept', 'archive'), 'a file');
      site.sandbox.misbehave({ kind: 'status', status: 402, nameIncludes: 'spent' });
      await rm(site.file('gone'), { recursive: true });
      await giveAway(site.dir);
      await chmod(site.file('shut'), 0);
      const agent = begin(site, ['run', '--config', site.config], ORDINARY);
      await agent.logged('receiptd has started');

      const ask = async (...args: string[]): Promise<string> =>
        (await receiptd(site, [...args, '--config', site.config], ORDINARY)).stdout;
      const problems = async (): Promise<Problem[]> =>
        (JSON.parse(await ask('status', '--json')) as { problems: Problem[] }).problems;
      const codes = async () => (await problems()).map(({ code }) => code).toSorted();
      await expect
        .poll(codes)
        .toEqual([
          'CREDENTIALS_REFUSED',
          'ENDPOINT_BUSY',
          'ENDPOINT_HELD',
          'FOLDER_MISSING',
          'FOLDER_TAKEN',
          'FOLDER_UNREADABLE',
          'FOLDER_UNWRITABLE',
          'PERSON_NEEDED',
        ]);
      const texts = await textsIn(language, String);
      const worded = (await problems()).map((problem) => ({
        code: problem.code,
        pieces: [explain(texts, problem.code, problem.params)?.what ?? '', cureOf(texts, problem)].flatMap(
          piecesOf,
        ),
      }));
      const inStatus = flat(await ask('status'));
      const link = (await ask('console', '--no-open')).trim();
      const browser = await startBrowser({ url: new URL(link).origin, link: async () => link }, chromium);
      cleanUp(() => browser.close());
      const page = await browser.open('#/', { locale: LOCALES[language].replace('_', '-') });
      await page.locator('#problems').waitFor();
      const inConsole = async () => flat(await page.locator('main').innerText());
      const lacking = () => {
        const mailed = flat(mails.map(({ text }) => text).join('\n'));
        // A quota that is spent ends by itself, and is worth a mail after a quarter of an hour.
        const meant = worded.filter(({ code }) => code !== 'ENDPOINT_BUSY');
        return meant.flatMap(({ pieces: its }) => its.filter((piece) => !mailed.includes(piece)));
      };
      await expect.poll(lacking).toEqual([]);
      for (const piece of worded.flatMap(({ pieces: its }) => its)) {
        expect.soft(inStatus).toContain(piece);
        await expect.poll(inConsole).toContain(piece);
      }
      const note = await readFile(site.file('unsent', 'look here', 'text.jpg - why.txt'), 'utf8');
      expect(note).toContain(NOT_SENT[language]);

      const { uid, gid } = ordinaryOwner();
      await mkdir(site.file('gone'));
      await chown(site.file('gone'), uid, gid);
      await chmod(site.file('shut'), 0o755);
      await rm(site.file('kept', 'archive'));
      await holder.stop();
      site.sandbox.behave();
      await site.configure({
        ...common,
        folders: [...folders, at('mistyped')],
        endpoints: { ...endpoints, depot: { uid: DEPOT } },
      });
      await ask('reload');
      expect(await codes()).toContain('ENDPOINT_GONE');
      await ask('move', MISTYPED, 'office');
      await ask('retry', '--all');
      await ask('dismiss', '--all');
      await expect.poll(codes, { timeout: 60_000 }).toEqual([]);
      expect(
        site.sandbox
          .received()
          .map(({ name }) => name.slice(0, 6))
          .toSorted(),
      ).toEqual(['mistyp', 'secret', 'spent-']);
      expect((await agent.stop()).status).toBe(0);
    },
  );
});

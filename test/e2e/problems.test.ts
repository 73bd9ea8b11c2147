/** What is wrong, as people see it: the same words everywhere, in their language, and a cure that ends it. */
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/core/domain/problem.ts';
import type { Language } from '../../src/texts/language.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { hasChromium, startBrowser, startChromium, type Chromium } from '../console/app/support/browser.ts';
import { mailServer, type ReceivedMail } from '../features/alerts/channels/receivers.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { drawReceipt } from '../support/images.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { canMount } from '../support/ownMount.ts';
import { DEPOT, OFFICE, practiceService, prepare, Site, temporaryDirectory, until } from './support/agent.ts';
import { begin, giveAway, ordinaryUserCanRun } from './support/commandLine.ts';
import { expectInConsole, flat, LOCALES, wordsOf } from './support/problemWords.ts';
import { OWN_TIME, scannedDayAndNight } from './support/silentScanner.ts';
import { SmallDiskSite } from './support/smallDisk.ts';

/** Root would be allowed everything. */
const ORDINARY = { ordinary: true } as const;
const MISTYPED = '99999999-2222-4333-8444-555555555555';

type Ask = (...args: string[]) => Promise<string>;

const problemsBy = async (ask: Ask): Promise<Problem[]> =>
  (JSON.parse(await ask('status', '--json')) as { problems: Problem[] }).problems;
const codesBy = async (ask: Ask): Promise<string[]> =>
  (await problemsBy(ask)).map(({ code }) => code).toSorted();

const receipt = async (file: string): Promise<void> =>
  writeFile(file, await drawReceipt({ type: 'jpeg', seed: file }));

describe.skipIf(!hasChromium)('problems', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium?.close());

  /** Status and console say what is wrong with the same words in both languages, and what to do; so does the mail, in the agent's. */
  async function expectTold(site: Site, language: Language, ask: Ask, mails: readonly ReceivedMail[]) {
    const link = (await ask('console', '--no-open')).trim();
    const browser = await startBrowser({ url: new URL(link).origin, link: async () => link }, chromium);
    cleanUp(() => browser.close());
    const problems = await problemsBy(ask);
    // A quota that is spent ends by itself, and is worth a mail after a quarter of an hour.
    const mailable = await wordsOf(
      language,
      problems.filter(({ code }) => code !== 'ENDPOINT_BUSY'),
    );
    const lacking = () => {
      const mailed = flat(mails.map(({ text }) => text).join('\n'));
      return mailable.filter((piece) => !mailed.includes(piece));
    };
    await expect.poll(lacking, { timeout: 30_000 }).toEqual([]);
    const { alertTexts } = await textsIn(language, () => '');
    for (const { text } of mails) expect(text).toContain(alertTexts.mail.from(hostname()));
    for (const each of ['en', 'de'] as const) {
      site.env['LANG'] = `${LOCALES[each]}.UTF-8`;
      const inStatus = flat(await ask('status'));
      for (const piece of await wordsOf(each, problems)) expect.soft(inStatus).toContain(piece);
      await expectInConsole(browser, each, problems);
    }
    site.env['LANG'] = `${LOCALES[language]}.UTF-8`;
  }

  const mailTo = (port: number) => ({
    server: `smtp://127.0.0.1:${port}`,
    from: 'scans@example.com',
    to: ['ann@example.com'],
  });

  test.skipIf(!ordinaryUserCanRun)(
    'eight at once are told by status and console, by mail and note in German, and their cures end them',
    async () => {
      const { mails, port } = await mailServer();
      const site = await prepare();
      site.env['LANG'] = 'de_DE.UTF-8';
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
      const alerts = { after: '0s', email: mailTo(port) };
      const common = { language: 'de', intake: { takeOverAfter: '1s' } };
      const wrong = {
        ...common,
        folders: [...folders, at('mistyped', 'mistyped')],
        endpoints: { ...endpoints, depot: { uid: DEPOT, account: 'b' }, mistyped: { uid: MISTYPED } },
        accounts: { b: {} },
      };
      await site.configure(wrong);
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

      const ask: Ask = (...args) => site.quickMust(...args);
      const codes = () => codesBy(ask);
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
      // Alerts look into the ledger as soon as there are recipients, then every half a minute.
      await site.writeConfig({ ...wrong, alerts });
      await ask('reload');
      await expectTold(site, 'de', ask, mails);
      const why = await readFile(site.file('unsent', 'look here', 'text.jpg - why.txt'), 'utf8');
      expect(why).toContain('wurde nicht gesendet');

      const { uid, gid } = ordinaryOwner();
      await mkdir(site.file('gone'));
      await chown(site.file('gone'), uid, gid);
      await chmod(site.file('shut'), 0o755);
      await rm(site.file('kept', 'archive'));
      await holder.stop();
      site.sandbox.behave();
      await site.configure({
        ...common,
        alerts,
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

  test.skipIf(!canMount())(
    'a full disk, a folder under another file system and one that is not mounted are told, and end',
    async () => {
      const { mails, port } = await mailServer();
      const dir = await temporaryDirectory();
      const site = new SmallDiskSite(dir, await practiceService({ dir: join(dir, 'sandbox') }));
      site.env['LANG'] = 'en_GB.UTF-8';
      await site.mount('16m');
      const [covered, mounted] = [site.file('covered'), site.file('mounted')];
      await site.configure({
        folders: [covered, mounted].map((path) => ({ path, endpoint: 'office', settle: { long: '50ms' } })),
        alerts: { after: '0s', email: mailTo(port) },
        storage: { reserve: '2MB', backups: 0 },
      });
      await site.mountOver(mounted);
      for (const folder of [covered, mounted]) await receipt(join(site.seen(folder), 'first.jpg'));
      const agent = await site.start();
      const sent = () => site.sandbox.received().length;
      await until(() => sent() === 2, 'the first receipt of each folder to be sent');
      const ask: Ask = (...args) => site.quickMust(...args);
      const codes = () => codesBy(ask);
      expect(await codes()).toEqual([]);

      await site.mountOver(covered);
      await site.unmount(mounted);
      const away = ['FOLDER_UNREACHABLE', 'FOLDER_UNREACHABLE'];
      await expect.poll(codes, { timeout: 30_000 }).toEqual(away);
      site.fill();
      await receipt(join(mounted, 'second.jpg'));
      await expect.poll(codes, { timeout: 30_000 }).toEqual(['DISK_FULL', ...away]);
      await expectTold(site, 'en', ask, mails);

      site.leave(3_200_000);
      await expect.poll(codes, { timeout: 30_000 }).toEqual(away);
      await site.unmount(covered);
      await expect.poll(codes, { timeout: 60_000 }).toEqual(['FOLDER_UNREACHABLE']);
      const [{ actions } = { actions: [] }] = await problemsBy(ask);
      expect(actions).toContainEqual({ operation: 'resume', target: mounted });
      await ask('resume', mounted);
      await expect.poll(codes, { timeout: 30_000 }).toEqual([]);
      await receipt(join(covered, 'third.jpg'));
      await until(() => sent() === 4, 'what came meanwhile and what comes now to be sent');
      expect((await agent.stop()).status).toBe(0);
    },
  );

  test('a silent scanner is told of until its next scan', async () => {
    const { mails, port } = await mailServer();
    const site = await prepare();
    site.env['LANG'] = 'en_GB.UTF-8';
    const inbox = site.file('inbox');
    await site.configure({
      folders: [{ path: inbox, endpoint: 'office', silentAfter: '1h' }],
      alerts: { after: '0s', email: mailTo(port) },
    });
    await scannedDayAndNight(site.stateDir, inbox);
    const agent = begin(site, ['run', '--config', site.config], {
      env: { NODE_OPTIONS: `--import=${OWN_TIME.href}` },
    });
    await agent.logged('Watching');
    const ask: Ask = (...args) => site.quickMust(...args);
    const codes = () => codesBy(ask);
    expect(await codes()).toEqual([]);
    const later = () => {
      agent.signal('SIGUSR2');
      return codes();
    };
    await expect.poll(later, { timeout: 30_000, interval: 500 }).toEqual(['FOLDER_SILENT']);
    await expectTold(site, 'en', ask, mails);
    await receipt(join(inbox, 'at last.jpg'));
    await until(() => site.sandbox.received().length === 1, 'the scan to be sent');
    agent.signal('SIGUSR2');
    await expect.poll(codes, { timeout: 60_000 }).toEqual([]);
    expect((await agent.stop()).status).toBe(0);
  });
});

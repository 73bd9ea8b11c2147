import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import YAML from 'yaml';
import { defaultConfigText } from '../../src/config/template.ts';
import { KEYS, type Conversation } from '../support/conversation.ts';
import { terminalIsHere } from '../support/terminal.ts';
import { chosenOf } from '../support/everyCase.ts';
import { OFFICE } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { SECRET, desk, runsServices, type Desk } from './support/desk.ts';

/** A path to one question: the earlier answers, and the text of the question. */
interface Way {
  readonly question: string;
  readonly args: (here: Desk) => readonly string[];
  readonly before?: (terminal: Conversation) => Promise<void>;
}

const service = ({ sandbox }: Desk) => ['--base-url', sandbox.url];
const id = (here: Desk) => [...service(here), '--client-id', 'e2e'];
const secret = (here: Desk) => [...id(here), '--client-secret-file', join(here.dir, 'secret')];
const endpoint = (here: Desk) => [...secret(here), '--endpoint-uid', OFFICE];
const folder = (here: Desk) => [...endpoint(here), '--folder', here.scans];
const attention = (here: Desk) => [...folder(here), '--needs-attention', 'none'];
const rate = (here: Desk) => [...attention(here), '--rate', '10/min'];
const alerts = (here: Desk) => [...rate(here), '--alert-email', 'none'];
const install = (here: Desk) => [...alerts(here), '--service', 'no'];

const FIRST: Way = { question: 'Where should the receipts go?', args: () => [] };
const WAYS: readonly Way[] = [
  FIRST,
  {
    question: 'Address of the service:',
    args: () => [],
    before: (terminal) => terminal.chooses('Where should the receipts go?', 'To our'),
  },
  { question: 'Client identifier:', args: service },
  { question: 'Client secret:', args: id },
  { question: 'Which endpoint?', args: secret },
  { question: 'Its uid:', args: secret, before: (terminal) => terminal.chooses('Which endpoint?', 'I have') },
  { question: 'the scans arrive in', args: endpoint },
  { question: 'Show people at the scanner', args: folder },
  { question: 'How many receipts', args: attention },
  { question: 'E-mail address for alerts', args: rate },
  ...(runsServices ? [{ question: 'Install receiptd', args: alerts }] : []),
  { question: 'Send a test receipt', args: install },
  { question: 'Go ahead?', args: (here) => [...install(here), '--test-receipt'] },
];

/** All files of the desk, except those of the service. */
async function filesOf({ dir }: Desk): Promise<Record<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.startsWith(join(dir, 'sandbox')));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')])),
  );
}

async function withSecret(): Promise<Desk> {
  const here = await desk();
  await writeFile(join(here.dir, 'secret'), `${SECRET}\n`);
  return here;
}

async function asked<T extends Conversation>(terminal: T, { question, before }: Way): Promise<T> {
  await before?.(terminal);
  await terminal.sees(question);
  return terminal;
}

const STEPS = ['Created the folder', 'Created the endpoint', 'Stored the credentials', 'Wrote', 'Sending'];

/** All questions end in the same way; these differ in how they read keys, or in how they are ended. */
const DIFFERENT = [FIRST.question, 'Client secret:', 'Which endpoint?', 'Its uid:', 'Go ahead?'];

describe.skipIf(!terminalIsHere)('ending receiptd setup', () => {
  test.each(chosenOf(WAYS, ({ question }) => DIFFERENT.includes(question)))(
    'by Ctrl-C at "$question" changes nothing, which is reported',
    async (way) => {
      const here = await withSecret();
      const before = await filesOf(here);
      // The first question uses a real terminal; all questions end in the same way.
      const isReal = way === FIRST;
      const args = way.args(here);
      const terminal = await asked(isReal ? here.setup(args) : here.quickSetup(args), way);
      terminal.type(way.question === 'Its uid:' ? KEYS.ctrlD : KEYS.ctrlC);
      await terminal.sees('Setup was canceled; nothing was changed.');
      expect(await terminal.ends()).toBe(130);
      expect(await filesOf(here)).toEqual(before);
    },
  );

  // The files after Ctrl-C at each question show that none is written before the last answer.
  test.each(chosenOf(WAYS, (way) => way === WAYS.at(-1)))(
    'by kill -9 at "$question" leaves the configuration as it was',
    async (way) => {
      const here = await withSecret();
      const values = { baseUrl: 'https://old.example', uid: OFFICE, folder: join(here.dir, 'old') };
      await writeFile(here.config, defaultConfigText(values));
      const before = await filesOf(here);
      const terminal = await asked(here.setup(way.args(here)), way);
      await terminal.kill();
      expect(await filesOf(here)).toEqual(before);
    },
  );

  // On a busy machine, the kill may come during a later step or after the end; the same must hold.
  test.each(chosenOf(STEPS, (step) => step === 'Wrote'))(
    'by kill -9 at the step "%s" leaves complete files, and setup continues when it is run again',
    async (step) => {
      const here = await withSecret();
      const inbox = join(here.dir, 'inbox');
      const args = [...secret(here), '--create-endpoint', 'Office 1', '--folder', inbox, '--create-folder'];
      const rest = ['--needs-attention', 'none', '--rate', '10/min', '--alert-email', 'none'];
      const all = [...args, ...rest, '--service', 'no', '--test-receipt'];
      const offices = () => here.sandbox.endpoints().filter(({ name }) => name === 'Office 1');
      const terminal = here.setup(all);
      await terminal.answers('Go ahead?');
      await terminal.sees(step);
      await terminal.kill();
      // Each file is missing or complete; a partial file could not be parsed.
      const config = await readFile(here.config, 'utf8').catch(() => null);
      const whole = { delivery: { rate: '10/min' } };
      expect(config === null ? whole : YAML.parse(config)).toMatchObject(whole);
      const credentials = await readFile(join(here.dir, 'state', 'credentials.json'), 'utf8').catch(
        () => null,
      );
      expect(credentials === null ? null : (JSON.parse(credentials) as unknown)).toEqual(
        config === null && credentials === null ? null : { clientId: 'e2e', clientSecret: SECRET },
      );
      const last = await quickly(here.site, ['setup', '--yes', '--config', here.config, ...all]);
      expect(last).toMatchObject({ status: 0, stderr: '' });
      // No second endpoint is created once setup has reported the first; a kill during the request may cost one.
      expect(offices().length).toBeLessThanOrEqual(step === 'Created the folder' ? 2 : 1);
      expect(await here.settings()).toMatchObject({ endpoints: { office: { uid: offices().at(-1)?.uid } } });
      expect(here.sandbox.stats().stored).toBeGreaterThan(0);
    },
  );
});

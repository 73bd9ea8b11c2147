/** A support bundle contains no name that people chose, wherever it was. */
import { appendFile, chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import YAML from 'yaml';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { shell } from './support/commandLine.ts';
import { listen } from '../support/ports.ts';

const SYLLABLES = ['ba', 'xo', 'zu', 'qui', 'wo', 'ja', 'vri', 'ku', 'plo', 'gne', 'hy', 'tsa'];
let state = Number(process.env['RECEIPTD_PROPERTY_SEED'] ?? 1);

function drawn(below: number): number {
  // The generator of Numerical Recipes: the same names for the same seed.
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

/** Planted names by their place; each consists of words that occur nowhere else. */
class Planted {
  readonly #words = new Map<string, string>();

  #word(place: string): string {
    for (;;) {
      const word = Array.from({ length: 3 + drawn(2) }, () => SYLLABLES[drawn(SYLLABLES.length)]).join('');
      if (this.#words.has(word)) continue;
      this.#words.set(word, place);
      return word;
    }
  }

  /** Such as `xobaku`. */
  word(place: string): string {
    return this.#word(place);
  }

  /** Such as `Xobaku Hyploba`, like names of people and companies. */
  name(place: string): string {
    const words = [this.#word(place), this.#word(place)];
    return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  }

  /** The places whose words occur in the text, in any case. */
  foundIn(text: string): string[] {
    const lower = text.toLowerCase();
    const found = [...this.#words].filter(([word]) => lower.includes(word));
    return found.map(
      ([word, place]) => `${place}: …${lower.substring(lower.indexOf(word) - 60, lower.indexOf(word) + 60)}…`,
    );
  }
}

async function textOf(bundle: string): Promise<string> {
  return gunzipSync(await readFile(bundle)).toString('latin1');
}

/** The sandbox, but with another company and another text for refused uploads. */
async function renamed(site: Site, company: () => string, refusal: () => string | null): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const words = request.url?.includes('/documents') ? refusal() : null;
      if (words !== null) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: words }));
        return;
      }
      const headers = Object.entries(request.headers).flatMap(([key, value]) =>
        typeof value === 'string' && !/^(?:host|connection|content-length|transfer-encoding)$/.test(key)
          ? [[key, value] as [string, string]]
          : [],
      );
      const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
      void fetch(`${site.sandbox.url}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers,
        ...body,
      }).then(
        async (answer) => {
          const text = (await answer.text()).replaceAll('Sandbox Company', company());
          response.writeHead(answer.status, {
            'content-type': answer.headers.get('content-type') ?? 'text/plain',
          });
          response.end(text);
        },
        () => response.destroy(),
      );
    });
  });
  const { port, close } = await listen(server);
  cleanUp(close);
  return `http://127.0.0.1:${port}`;
}

async function plantedSite(planted: Planted, company: string) {
  const site = await prepare();
  const refused = planted.name('what the service says of an upload');
  let refuses = false;
  const baseUrl = await renamed(
    site,
    () => company,
    () => (refuses ? refused : null),
  );
  const alias = planted.word('alias');
  const account = planted.word('account');
  const domain = `${planted.word('mail domain')}.example`;
  const inbox = site.file(planted.name('folder'));
  const gone = site.file(planted.name('folder that is missing'), planted.name('folder within'));
  await writeFile(site.file('mail'), 'pass-phrase\n', { mode: 0o600 });
  await site.writeConfig({
    service: { baseUrl, proxy: 'direct' },
    accounts: { [account]: {} },
    endpoints: {
      [alias]: { uid: '11111111-2222-4333-8444-555555555555' },
      [planted.word('second alias')]: { uid: '66666666-7777-4888-9999-aaaaaaaaaaaa', account },
    },
    folders: [
      {
        path: inbox,
        endpoint: alias,
        archiveTo: site.file(planted.name('archive')),
        needsAttention: site.file(planted.name('folder for people')),
        ignore: [`${planted.name('pattern')}*`],
        name: `{date}-${planted.word('template')}-{hash}`,
      },
      { path: gone, endpoint: alias },
    ],
    alerts: {
      command: [site.file(planted.name('program')), planted.name('argument')],
      webhook: { url: `https://${planted.word('webhook host')}.${domain}/hook` },
      email: {
        server: `smtp://${planted.word('mail host')}.${domain}:9`,
        user: planted.word('mail user'),
        passwordFile: site.file('mail'),
        from: `${planted.word('sender')}@${domain}`,
        to: [`${planted.word('mail address')}@${domain}`],
      },
    },
    results: { command: [site.file(planted.name('program for results'))] },
    console: { hosts: [`${planted.word('console host')}.example`] },
    log: { level: 'debug' },
  });
  await appendFile(site.config, `# ${planted.name('comment')}\n`);
  await mkdir(inbox);
  await mkdir(join(site.stateDir, 'logs'), { recursive: true, mode: 0o700 });
  await chmod(site.stateDir, 0o700);
  site.env[`RECEIPTD_CLIENT_ID_${planted.word('variable').toUpperCase()}`] = 'someone';
  Object.assign(site.env, {
    HTTPS_PROXY: `http://${planted.word('proxy')}.example:3128`,
    NO_PROXY: `.${planted.word('no proxy')}.example`,
    SUDO_USER: planted.word('sudo user'),
    USER: planted.word('user'),
    HOSTNAME: planted.word('host name'),
    LANG: planted.word('language'),
    TERM: planted.word('terminal'),
  });
  return { site, inbox, refuse: () => (refuses = true), account };
}

async function plantFiles(site: Site, inbox: string, planted: Planted): Promise<void> {
  const elsewhere = site.file(planted.name('target of a link'));
  await mkdir(elsewhere);
  await symlink(elsewhere, join(inbox, planted.name('link')));
  await writeFile(join(inbox, `${planted.name('text file')}.txt`), 'no image');
  await writeFile(join(site.stateDir, `${planted.word('file in the state directory')}.txt`), '');
  await writeFile(
    join(inbox, `${planted.name('image')}.jpg`),
    await drawReceipt({ type: 'jpeg', seed: 'a' }),
  );
}

async function plantLog(site: Site, planted: Planted): Promise<void> {
  const lines = [
    { level: 'error', message: `${planted.name('log message')} was sent`, time: new Date().toISOString() },
    {
      level: 'warn',
      message: 'A file was sent',
      of: planted.name('log field'),
      [planted.word('log key')]: 1,
    },
    {
      level: 'error',
      message: 'A file was sent',
      code: planted.word('log code').toUpperCase(),
      time: new Date().toISOString(),
    },
    {
      level: 'warn',
      message: 'A file was sent',
      reason: planted.word('log reason'),
      kind: planted.word('log kind'),
    },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await appendFile(join(site.stateDir, 'logs', 'receiptd.log'), `${text}${planted.name('log text')}\n`);
}

test('the bundle contains no planted name, with a running agent and without', async () => {
  const planted = new Planted();
  const company = planted.name('company');
  const { site, inbox, refuse } = await plantedSite(planted, company);
  const agent = await site.quickStart();
  await plantFiles(site, inbox, planted);
  await until(() => site.sandbox.received().length === 1, 'the first image');
  refuse();
  await writeFile(
    join(inbox, `${planted.name('refused image')}.jpg`),
    await drawReceipt({ type: 'jpeg', seed: 'b' }),
  );
  await until(async () => (await site.list('--state', 'failed')).length === 1, 'the refusal');
  await plantLog(site, planted);
  const bundle = site.file('running.tar.gz');
  const { stdout } = await site.look('doctor', '--output', bundle);
  expect(stdout).toContain(company);
  const text = await textOf(bundle);
  expect(planted.foundIn(text)).toEqual([]);
  // It is still useful.
  expect(text).toMatch(
    /^ok {2}service: .* accepts the credentials from the environment store: name-[0-9a-f]{8}\.$/m,
  );
  expect(text).toMatch(/^fail {2}alerts: alerts\.command: .* can't be run: it is not there\. Use a program/m);
  expect(text).toContain('[CREDENTIALS_MISSING]');
  await agent.stop();

  await site.look('doctor', '--output', site.file('stopped.tar.gz'));
  expect(planted.foundIn(await textOf(site.file('stopped.tar.gz')))).toEqual([]);
  await site.look('doctor', '--with-names', '--output', site.file('named.tar.gz'));
  expect(await textOf(site.file('named.tar.gz'))).toContain(company);
});

test('the bundle contains no company name that consists of words of the program', async () => {
  const { site } = await plantedSite(new Planted(), 'Service Folder Limits');
  const bundle = site.file('help.tar.gz');
  expect((await site.look('doctor', '--output', bundle)).stdout).toContain('Service Folder Limits');
  expect(await textOf(bundle)).not.toContain('Service Folder Limits');
});

test('the bundle contains no name from an invalid configuration', async () => {
  const planted = new Planted();
  const { site, account } = await plantedSite(planted, 'Sandbox Company');
  const good = YAML.parse(await readFile(site.config, 'utf8')) as Record<string, unknown>;
  const wrong: Record<string, unknown>[] = [
    { [planted.word('unknown key')]: planted.name('its value') },
    { delivery: { concurrency: planted.name('value') } },
    { endpoints: { [planted.name('wrong alias')]: { uid: planted.name('uid') } } },
    { folders: [{ path: site.file('inbox'), endpoint: planted.word('unknown endpoint') }] },
    {
      folders: [
        { path: site.file(planted.name('archive')), endpoint: 'a', name: `{${planted.word('field')}}` },
      ],
    },
    { service: { baseUrl: `http://${planted.word('service host')}.example` } },
    { [account]: {} },
    { control: { group: planted.word('group') } },
  ];
  for (const [n, part] of wrong.entries()) {
    await writeFile(site.config, YAML.stringify({ ...good, ...part }));
    const bundle = site.file(`wrong-${n}.tar.gz`);
    expect((await site.look('doctor', '--offline', '--output', bundle)).stdout).toMatch(
      /^\d+ problems? to fix, /,
    );
    expect(planted.foundIn(await textOf(bundle))).toEqual([]);
  }
  await writeFile(site.config, `service: [ ${planted.name('broken text')}\n ${planted.word('more')}: ]`);
  await site.look('doctor', '--offline', '--output', site.file('broken.tar.gz'));
  expect(planted.foundIn(await textOf(site.file('broken.tar.gz')))).toEqual([]);
});

test('the bundle is written even if the reader of the output ends early', async () => {
  const site = await prepare();
  const script = `$RECEIPTD doctor --offline --config '${site.config}' --output help.tar.gz | head -1`;
  const { stdout } = await shell(site, script);
  expect(stdout).toMatch(/^(?:receiptd works; .*|All is well\.)\n$/);
  expect(await textOf(site.file('help.tar.gz'))).toContain('findings.txt');
  // The reader reads nothing.
  await shell(site, `$RECEIPTD doctor --offline --config '${site.config}' --output other.tar.gz | true`);
  expect(await textOf(site.file('other.tar.gz'))).toContain('findings.txt');
});

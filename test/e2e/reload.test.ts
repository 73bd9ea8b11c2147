import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { EXAMPLE_UID } from '../../src/config/exampleUid.ts';
import { DEPOT, OFFICE, prepare, type Running, type Site, storedOnce, until } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { changeConfig, drop, replaceBy, stored } from './support/changing.ts';

async function edit(site: Site, edited: (text: string) => string): Promise<void> {
  await replaceBy(site, edited(await readFile(site.config, 'utf8')));
}

function times(agent: Running, message: string): number {
  return agent.stderr.split(message).length - 1;
}

const IN_EFFECT = 'The configuration was changed and applied';

it('a replaced file takes effect by itself, at SIGHUP and with `receiptd reload`; an invalid file changes nothing, and is one incident until it is valid again; a kill during a change loses nothing', async () => {
  const site = await prepare({ intake: { reconcileEvery: '1s' }, delivery: { concurrency: 2, grace: '1m' } });
  const agent = await site.start();
  await drop(site, 'inbox', 'a.jpg');
  await until(() => stored(site).length === 1);

  await edit(site, (text) =>
    text.replace('endpoint: office', 'endpoint: office\n    name: "by-editor-{hash:8}"'),
  );
  await agent.logged(IN_EFFECT);
  await drop(site, 'inbox', 'b.jpg');
  await until(() => stored(site).some((name) => name.startsWith('by-editor-')));

  await edit(site, (text) => text.replace('by-editor', 'by-signal'));
  agent.signal('SIGHUP');
  await until(() => times(agent, IN_EFFECT) === 2);
  await drop(site, 'inbox', 'c.jpg');
  await until(() => stored(site).some((name) => name.startsWith('by-signal-')));

  await edit(site, (text) => text.replace('by-signal', 'by-command'));
  expect(await site.must('reload')).toBe(`${site.config} is in effect.\n`);
  await drop(site, 'inbox', 'd.jpg');
  await until(() => stored(site).some((name) => name.startsWith('by-command-')));

  // A new comment replaces nothing.
  const watching = times(agent, '"Watching"');
  await edit(site, (text) => `# mine\n${text}`);
  expect(await site.quickMust('reload')).toContain('is in effect');
  expect([times(agent, IN_EFFECT), times(agent, '"Watching"')]).toEqual([3, watching]);

  const good = await readFile(site.config, 'utf8');
  await replaceBy(site, `${good.replace('endpoint: office', 'endpoint: offfice')}unheardOf: 1\n`);
  await agent.logged('offfice');
  const { incidents } = await callControl(site.stateDir, 'status', {});
  expect(incidents).toMatchObject([{ code: 'CONFIG_INVALID' }]);
  expect(incidents[0]?.params['detail']).toContain(`${site.config}:`);
  await writeFile(site.file('good.yaml'), good);
  for (const [LANG, more] of Object.entries({ C: '(and 1 more)', 'de_DE.UTF-8': '(und 1 weiterer)' })) {
    site.env['LANG'] = LANG;
    for (const command of ['status', 'check']) {
      const { stdout } = await quickly(site, [command, '--config', site.file('good.yaml')]);
      expect(stdout).toContain(more);
      expect(stdout).not.toContain('\\n');
    }
  }
  site.env['LANG'] = 'C';
  expect(agent.stderr).not.toMatch(/A problem began.*\\n/);
  expect((await callControl(site.stateDir, 'config', {})).problem).toContain('offfice');
  expect(await site.look('reload')).toMatchObject({ status: 2 });
  const reloads = times(agent, 'Reloading the configuration file');
  agent.signal('SIGHUP');
  await until(() => times(agent, 'Reloading the configuration file') > reloads);
  await drop(site, 'inbox', 'e.jpg');
  await until(() => stored(site).length === 5);
  expect(times(agent, 'A problem began')).toBe(1);

  // The same goes for the uid of the example.
  await replaceBy(site, good.replace(OFFICE, EXAMPLE_UID));
  const refused = expect.stringContaining('[ENDPOINT_IS_EXAMPLE]') as string;
  expect(await site.look('reload')).toMatchObject({ status: 2, stderr: refused });
  await drop(site, 'inbox', 'f.jpg');
  await until(() => stored(site).length === 6);

  await replaceBy(site, good);
  await until(async () => (await callControl(site.stateDir, 'status', {})).incidents.length === 0);
  expect((await callControl(site.stateDir, 'config', {})).problem).toBeNull();

  await until(async () => (await site.list('--state', 'accepted')).length === 6);
  site.sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
  for (let n = 0; n < 4; n += 1) await drop(site, 'inbox', `${n}.jpg`);
  await until(() => site.sandbox.stats().uploadsInFlight === 2);
  const change = changeConfig(site, [{ kind: 'set', path: ['folders', 0, 'name'], value: 'new-{hash:8}' }]);
  change.catch(() => {});
  await until(async () => (await readFile(site.config, 'utf8')).includes('new-{hash:8}'));
  await agent.kill();
  await expect(change).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  site.sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(10);
});

it('a change over the socket keeps comments, is recorded, and is in effect when it is answered', async () => {
  const site = await prepare();
  await edit(site, (text) => `# ours\n${text}`);
  const before = await readFile(site.config, 'utf8');
  const agent = await site.quickStart();
  await callControl(site.stateDir, 'pause', { target: 'office', by: 'ann' });

  const wrong = changeConfig(site, [{ kind: 'set', path: ['folders', 0, 'recursive'], value: 'perhaps' }]);
  await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const stale = callControl(site.stateDir, 'changeConfig', {
    revision: 'another',
    edits: [{ kind: 'set', path: ['spool'], value: 'always' }],
  });
  await expect(stale).rejects.toMatchObject({ code: 'CONFIG_CHANGED' });
  expect(await readFile(site.config, 'utf8')).toBe(before);

  await mkdir(site.file('second'));
  await drop(site, 'second', 'lay there.jpg');
  const after = await changeConfig(site, [
    { kind: 'append', path: ['folders'], value: { path: site.file('second'), endpoint: 'depot' } },
    { kind: 'set', path: ['delivery', 'rate'], value: '50/s' },
  ]);
  expect(after).toMatchObject({ problem: null, restartNeeded: [], writable: true });
  expect(after.text).toBe(await readFile(site.config, 'utf8'));
  expect(after.text.startsWith(before.trimEnd().split('\nstateDir')[0] ?? '')).toBe(true);
  const { folders } = await callControl(site.stateDir, 'status', {});
  expect(folders.map(({ path }) => path)).toEqual([site.file('inbox'), site.file('second')]);
  await until(() => site.sandbox.received().some(({ endpointUid }) => endpointUid === DEPOT));

  // The pause continues, and its documents are sent afterwards.
  await drop(site, 'inbox', 'a.jpg');
  await until(async () => (await site.list('--state', 'held')).length === 1);
  await callControl(site.stateDir, 'resume', { by: 'ann' });
  await until(() => stored(site).length === 2);

  await changeConfig(site, [{ kind: 'remove', path: ['folders', 1] }]);
  await drop(site, 'second', 'not any more.jpg');
  const left = await callControl(site.stateDir, 'status', {});
  expect(left.folders).toHaveLength(1);
  expect(await readdir(join(site.stateDir, 'config-history'))).toHaveLength(2);
  const later = await changeConfig(site, [{ kind: 'set', path: ['log', 'level'], value: 'debug' }]);
  expect(later.restartNeeded).toEqual(['log.level']);
  expect((await callControl(site.stateDir, 'status', {})).notes).toMatchObject([
    { about: { kind: 'restart', keys: ['log.level'] } },
  ]);
  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(2);
  expect(await readFile(join(site.stateDir, 'ledger.journal'), 'utf8')).toMatch(/"config".*append folders/);
});

it('waiting documents of a folder are sent after the folder was removed from the configuration', async () => {
  const site = await prepare({ folders: [] });
  await site.configure({
    folders: ['inbox', 'second'].map((name) => ({ path: site.file(name), endpoint: 'office' })),
  });
  const agent = await site.quickStart();
  await callControl(site.stateDir, 'pause', { target: 'office' });
  await drop(site, 'second', 'a.jpg');
  await until(async () => (await site.list('--state', 'held')).length === 1);
  await changeConfig(site, [{ kind: 'remove', path: ['folders', 1] }]);
  await callControl(site.stateDir, 'resume', {});
  await until(() => stored(site).length === 1);
  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(1);
});

it('a test of a folder records nothing', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  await mkdir(site.file('fresh'));
  await drop(site, 'fresh', 'a.jpg');
  await writeFile(site.file('fresh', 'notes.txt'), 'not an image');
  const settings = { endpoint: 'depot', name: '{stem}-{hash:8}' };
  const found = await callControl(site.stateDir, 'testFolder', { path: 'fresh', settings });
  expect(found).toMatchObject({ path: site.file('fresh'), files: 2, mode: 'events' });
  expect(found.fileSystem).toEqual(expect.any(String));
  const [image] = found.samples.filter(({ name }) => name !== null);
  expect(image).toMatchObject({
    file: site.file('fresh', 'a.jpg'),
    name: expect.stringMatching(/^a-[0-9a-f]{8}$/),
  });
  expect(found.samples.find(({ name }) => name === null)?.why).toContain('Not an image');
  expect(await callControl(site.stateDir, 'testFolder', { path: site.file('none'), settings })).toMatchObject(
    {
      findings: [{ level: 'warn' }],
      files: null,
    },
  );
  const inside = { path: join(site.file('inbox'), 'below'), settings: { endpoint: 'depot' } };
  const nested = await callControl(site.stateDir, 'testFolder', inside);
  expect(nested.findings[0]?.level).toBeDefined();
  const broken = await callControl(site.stateDir, 'testFolder', {
    path: 'fresh',
    settings: { name: '{stam}' },
  });
  expect(broken.findings.map(({ level }) => level)).toContain('fail');
  expect(broken.findings.map(({ message }) => message).join()).toContain('{stam}');
  expect(await site.list()).toEqual([]);
  expect(await agent.stop()).toMatchObject({ status: 0 });
});

it('a configuration change keeps the time of each folder state', async () => {
  const site = await prepare();
  const gone = site.file('gone');
  const folders = [site.file('inbox'), gone].map((path) => ({ path, endpoint: 'office' }));
  await site.configure({ folders });
  await rm(gone, { recursive: true });
  const agent = await site.quickStart();
  const since = async () => {
    const { folders: shown } = await callControl(site.stateDir, 'status', {});
    return shown.map(({ state, since: at }) => [state, at]);
  };
  const isKnown = async () => String(await since()).match(/^watching,[^,]+,missing,[^,]+$/) !== null;
  await until(isKnown, 'both states');
  const before = await since();
  await edit(site, (text) => `${text}delivery: { concurrency: 3 }\n`);
  await agent.logged(IN_EFFECT);
  await until(isKnown, 'both states again');
  expect(await since()).toEqual(before);
});

describe('a new endpoint', () => {
  it('is created at the service and added to the configuration', async () => {
    const site = await prepare();
    const agent = await site.quickStart();
    const taken = callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'office' });
    await expect(taken).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const wrong = callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'a b' });
    await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const odd = callControl(site.stateDir, 'createEndpoint', {
      name: 'Shop',
      alias: 'shop',
      language: 'German',
    });
    await expect(odd).rejects.toMatchObject({ code: 'USAGE', hint: expect.stringContaining('de-DE') });
    expect(site.sandbox.stats().requests['createEndpoint']).toBeUndefined();
    const made = await callControl(site.stateDir, 'createEndpoint', {
      name: 'Shop',
      alias: 'shop',
      by: 'ann',
    });
    expect(made.config.values).toMatchObject({ endpoints: { shop: { uid: made.uid } } });
    expect(await site.quickMust('endpoint', 'list')).toMatch(new RegExp(`shop +${made.uid} +Shop`));
    await mkdir(site.file('shop'));
    await drop(site, 'shop', 'a.jpg');
    await changeConfig(site, [
      { kind: 'append', path: ['folders'], value: { path: site.file('shop'), endpoint: 'shop' } },
    ]);
    await until(() => site.sandbox.received().some(({ endpointUid }) => endpointUid === made.uid));

    // One that was created is not lost if the configuration can no longer be written.
    const good = await readFile(site.config, 'utf8');
    site.sandbox.misbehave({ kind: 'delay', route: 'createEndpoint', delayMs: 3_600_000 });
    const late = callControl(site.stateDir, 'createEndpoint', { name: 'Stall', alias: 'stall' });
    late.catch(() => {});
    // The endpoint is created, but the answer is delayed.
    await until(() => site.sandbox.endpoints().some(({ name }) => name === 'Stall'));
    await replaceBy(site, `${good}\nunknown: 1\n`);
    site.sandbox.behave();
    const error: unknown = await late.catch((each: unknown) => each);
    const { uid } = site.sandbox.endpoints().find(({ name }) => name === 'Stall') ?? {};
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(`${uid}`) });
    await replaceBy(site, good);
    expect(await site.quickMust('endpoint', 'list')).toContain(uid);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });

  it('leaves folders without an explicit endpoint at the first one', async () => {
    const site = await prepare({ folders: [] });
    await site.configure({ endpoints: { office: { uid: OFFICE } }, folders: [{ path: site.file('inbox') }] });
    const agent = await site.quickStart();
    const { config } = await callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'shop' });
    expect(config.problem).toBeNull();
    expect(config.values['folders']).toEqual([{ path: site.file('inbox'), endpoint: 'office' }]);
    await drop(site, 'inbox', 'a.jpg');
    await until(() => stored(site).length === 1);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });
});

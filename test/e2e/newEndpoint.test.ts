import { mkdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { OFFICE, prepare, until } from './support/agent.ts';
import { changeConfig, drop, replaceBy, stored } from './support/changing.ts';

it('a new endpoint is created at the service and added to the configuration', async () => {
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
  const made = await callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'shop', by: 'ann' });
  expect(made.config.values).toMatchObject({ endpoints: { shop: { uid: made.uid } } });
  expect(await site.quickMust('endpoint', 'list')).toMatch(new RegExp(`shop +${made.uid} +Shop`));
  await mkdir(site.file('shop'));
  await drop(site, 'shop', 'a.jpg');
  await changeConfig(site, [
    { kind: 'append', path: ['folders'], value: { path: site.file('shop'), endpoint: 'shop' } },
  ]);
  await until(() => site.sandbox.received().some(({ endpointUid }) => endpointUid === made.uid));
  expect(await agent.stop()).toMatchObject({ status: 0 });
});

it('a second endpoint leaves folders without an explicit endpoint at the first one', async () => {
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

it('a created endpoint is not lost if the configuration can no longer be written', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  const good = await readFile(site.config, 'utf8');
  site.sandbox.misbehave({ kind: 'delay', route: 'createEndpoint', delayMs: 3_000 });
  const made = callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'shop' });
  made.catch(() => {});
  // The endpoint is created, but the answer is delayed.
  await until(() => site.sandbox.endpoints().some(({ name }) => name === 'Shop'));
  await replaceBy(site, `${good}\nunknown: 1\n`);
  const error: unknown = await made.catch((each: unknown) => each);
  const { uid } = site.sandbox.endpoints().find(({ name }) => name === 'Shop') ?? {};
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(`${uid}`) });
  await replaceBy(site, good);
  expect(await site.quickMust('endpoint', 'list')).toContain(uid);
  expect(await agent.stop()).toMatchObject({ status: 0 });
});

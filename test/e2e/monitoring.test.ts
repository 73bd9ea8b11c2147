import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { hostname } from 'node:os';
import { connect, createServer as createPlainServer } from 'node:net';
import parse from 'parse-prometheus-text-format';
import { describe, expect, it, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { callControl } from '../../src/control/client.ts';
import { METRICS } from '../../src/features/metrics/metricList.ts';
import { prepare, type Site, until } from './support/agent.ts';
import { freePort, listen } from '../support/ports.ts';
import { quickly } from './support/commandLine.ts';
import { cleanUp } from '../support/cleanUp.ts';

async function prepared(port: number): Promise<Site> {
  const site = await prepare();
  const settle = { short: '50ms', long: '50ms' };
  await site.configure({
    folders: [{ path: site.file('inbox'), endpoint: 'office', settle }],
    monitoring: { listen: `127.0.0.1:${port}` },
  });
  return site;
}

const ask = (port: number, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, init);

interface Sample {
  readonly labels?: Record<string, string>;
  readonly value?: string;
  readonly buckets?: Record<string, string>;
}

async function scrape(port: number) {
  const response = await ask(port, '/metrics');
  expect(response.headers.get('content-type')).toContain('text/plain');
  const text = await response.text();
  const families = new Map(parse(text).map((family) => [family.name, family]));
  const samples = (name: string): readonly Sample[] => families.get(name)?.metrics ?? [];
  const value = (name: string, labels: Record<string, string> = {}): number =>
    samples(name)
      .filter((each) => Object.entries(labels).every(([key, wanted]) => each.labels?.[key] === wanted))
      .reduce((sum, each) => sum + Number(each.value ?? each.buckets?.['+Inf']), 0);
  return { text, families, value };
}

it('metrics count uploaded, refused and waiting documents under the documented names, and show pauses and missing folders', async () => {
  const port = await freePort();
  const site = await prepared(port);
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused', times: 1 });
  await site.quickStart();
  for (const name of ['one', 'two', 'refused'])
    await writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
  await writeFile(site.file('inbox', 'letter.jpg'), 'Dear office, this is no image at all.');
  await writeFile(site.file('inbox', 'copy of one.jpg'), await readFile(site.file('inbox', 'one.jpg')));
  await until(async () => {
    const { value } = await scrape(port);
    return (
      value('receiptd_documents') === 5 &&
      value('receiptd_files_total') === 5 &&
      value('receiptd_attempts_total') === 3 &&
      value('receiptd_acceptance_seconds') === 2
    );
  });

  const { text, families, value } = await scrape(port);
  expect(value('receiptd_upload_requests_total', { endpoint: 'office', status: '200' })).toBe(2);
  expect(value('receiptd_upload_requests_total', { status: '422' })).toBe(1);
  expect(value('receiptd_upload_seconds')).toBe(3);
  expect(value('receiptd_attempts_total', { outcome: 'accepted' })).toBe(2);
  expect(value('receiptd_attempts_total', { outcome: 'refused' })).toBe(1);
  expect(value('receiptd_acceptance_seconds')).toBe(2);
  expect(value('receiptd_files_total', { verdict: 'rejected' })).toBe(1);
  expect(value('receiptd_files_total', { verdict: 'duplicate' })).toBe(1);
  expect(value('receiptd_documents', { endpoint: 'office', state: 'accepted' })).toBe(2);
  expect(value('receiptd_documents', { state: 'failed' })).toBe(1);
  expect(value('receiptd_documents', { endpoint: '', state: 'rejected' })).toBe(1);
  expect(value('receiptd_folder_watched', { folder: site.file('inbox') })).toBe(1);
  expect(value('receiptd_ledger_write_seconds')).toBeGreaterThan(6);
  expect(value('receiptd_upload_bytes_total')).toBeGreaterThan(1_000);
  expect(value('receiptd_oldest_waiting_seconds')).toBe(0);
  const own = [...families.keys()].filter((name) => name.startsWith('receiptd_'));
  expect(own.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  // Neither names of documents nor secrets belong here.
  expect(text).not.toContain('refused-');
  expect(text).not.toContain(site.env['RECEIPTD_CLIENT_SECRET']);
  // The library's own metrics of the process.
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);

  await site.quickMust('pause', 'office');
  await writeFile(site.file('inbox', 'waits.jpg'), await drawReceipt({ type: 'jpeg', seed: 'waits' }));
  await until(async () => (await scrape(port)).value('receiptd_documents', { state: 'held' }) === 1);
  const waiting = await scrape(port);
  expect(waiting.value('receiptd_oldest_waiting_seconds')).toBeGreaterThan(0);
  expect(waiting.value('receiptd_holds', { scope: 'endpoint', reason: 'PAUSED' })).toBe(1);
  await rename(site.file('inbox'), site.file('away'));
  await until(async () => (await scrape(port)).value('receiptd_folder_watched') === 0);
});

it('the metrics server separates health from readiness, only allows reading, and answers only to this machine', async () => {
  const port = await freePort();
  const site = await prepared(port);
  await site.quickStart();
  await until(async () => (await ask(port, '/readyz')).status === 200);
  expect(await (await ask(port, '/readyz')).json()).toEqual({ status: 'ready' });
  expect(await (await ask(port, '/healthz')).json()).toEqual({ status: 'alive' });
  expect((await ask(port, '/metrics', { method: 'HEAD' })).status).toBe(200);
  expect((await ask(port, '/metrics', { method: 'POST', body: 'x' })).status).toBe(405);
  expect((await ask(port, '/v1/status')).status).toBe(404);
  expect((await ask(port, '/../../etc/passwd')).status).toBe(404);

  // Only to this machine, whatever a page calls it.
  const status = (path: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ port, path, headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on(
        'error',
        reject,
      );
    });
  const good = [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', '[::1]', '192.0.2.7:80', hostname()];
  const bad = [
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    `127.0.0.1:${port}@evil.example`,
    'evil.example#localhost',
    'localhost.',
    `${hostname()}.evil.example`,
    'evil]',
  ];
  for (const path of ['/metrics', '/healthz', '/readyz', '/other']) {
    for (const host of good) expect([path, host, await status(path, host)]).not.toContain(421);
    for (const host of bad) expect([path, host, await status(path, host)]).toEqual([path, host, 421]);
  }
  await site.configure({
    folders: [{ path: site.file('inbox'), endpoint: 'office' }],
    monitoring: { listen: `127.0.0.1:${port}` },
    console: { hosts: ['prometheus.example'] },
  });
  await until(async () => (await status('/metrics', `prometheus.example:${port}`)) === 200);
});

it('a used metrics address is an incident that delays no receipt, and metrics are served once it is free', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  const site = await prepared(port);
  await site.quickStart();
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'goes' }));
  await until(() => site.sandbox.received().length === 1);
  const { incidents } = await callControl(site.stateDir, 'status', {});
  expect(incidents).toMatchObject([
    { code: 'PORT_IN_USE', params: { detail: expect.stringContaining(String(port)) as string } },
  ]);
  const moved = await freePort();
  await writeFile(
    `${site.config}~`,
    (await readFile(site.config, 'utf8')).replace(`127.0.0.1:${port}`, `127.0.0.1:${moved}`),
  );
  await rename(`${site.config}~`, site.config);
  await until(async () =>
    ask(moved, '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  expect((await callControl(site.stateDir, 'status', {})).incidents).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});

/** Console, receiver and metrics: exposed or used addresses delay no receipt, and `check` names them. */
describe('addresses', () => {
  function isListening(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  }

  async function occupy(): Promise<number> {
    const { port, close } = await listen(createPlainServer());
    cleanUp(close);
    return port;
  }

  /** Lines of `check` about listening addresses. */
  async function linesOf(site: Site): Promise<string[]> {
    const { stdout } = await site.look('check', '--offline');
    return stdout.split('\n').filter((line) => line.includes('.listen: '));
  }

  test('a console or receiver that others could reach without encryption stays closed, and receipts are sent', async () => {
    const ports = [await freePort(), await freePort()];
    const [console = 0, results = 0] = ports;
    const site = await prepare({
      console: { listen: `0.0.0.0:${console}` },
      results: { listen: `0.0.0.0:${results}` },
      // An address for documentation, which no machine has.
      monitoring: { listen: '192.0.2.1:9' },
    });
    const checked = await site.look('check', '--offline');
    expect(checked.status).toBe(1);
    expect(checked.stdout).toContain(
      'FAIL  console.listen: The console does not listen on 0.0.0.0 without a certificate. Set one in console.tls (cert, key), or listen on 127.0.0.1. [CONSOLE_UNAVAILABLE]\n',
    );
    expect(checked.stdout).toContain(
      'FAIL  results.listen: The receiver of results does not listen on 0.0.0.0 without a certificate. Set one in results.tls (cert, key), or listen on 127.0.0.1. [RESULTS_UNAVAILABLE]\n',
    );

    expect(checked.stdout).toMatch(/^FAIL  monitoring\.listen: .* \[MONITORING_UNAVAILABLE\]$/m);

    const agent = await site.quickStart();
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await until(() => site.sandbox.received().length === 1);
    const { stdout } = await site.look('status');
    expect(stdout).toContain('The console does not listen on 0.0.0.0 without a certificate.');
    expect(stdout).toContain('The receiver of results does not listen on 0.0.0.0 without a certificate.');
    expect(await Promise.all(ports.map(isListening))).toEqual([false, false]);
    expect(await quickly(site, ['console', '--no-open', '--config', site.config])).toBeRefused(
      1,
      'CONSOLE_UNAVAILABLE',
      'without a certificate',
    );
    expect((await agent.stop()).status).toBe(0);
  });

  test('`check` names an address that another program uses, but not one of the running agent', async () => {
    const taken = [await occupy(), await occupy(), await occupy()];
    const [console, results, monitoring] = taken.map((port) => ({ listen: `127.0.0.1:${port}` }));
    const site = await prepare({ console: console!, results: results!, monitoring: monitoring! });
    expect(await linesOf(site)).toEqual([
      `FAIL  console.listen: The console can't listen on 127.0.0.1:${taken[0]}, because another program uses that port. Set console.listen to another port, or to onDemand. [PORT_IN_USE]`,
      `FAIL  results.listen: The receiver of results can't listen on 127.0.0.1:${taken[1]}, because another program uses that port. Set results.listen to another port, or stop that program. [PORT_IN_USE]`,
      `FAIL  monitoring.listen: Monitoring can't listen on 127.0.0.1:${taken[2]}, because another program uses that port. Set monitoring.listen to another port, or stop that program. [PORT_IN_USE]`,
    ]);
    // The running agent reports the same about addresses that it could not use.
    const agent = await site.quickStart();
    expect(await linesOf(site)).toHaveLength(3);
    await agent.stop();

    const free = [await freePort(), await freePort(), await freePort()];
    const [first, second, third] = free.map((port) => ({ listen: `127.0.0.1:${port}` }));
    await site.configure({ console: first!, results: second!, monitoring: third! });
    const expected = ['console', 'results', 'monitoring'].map(
      (key, n) => `ok    ${key}.listen: 127.0.0.1:${free[n]} is free.`,
    );
    expect(await linesOf(site)).toEqual(expected);
    const again = await site.quickStart();
    await until(async () => (await Promise.all(free.map(isListening))).every(Boolean), 'all to listen');
    expect(await linesOf(site)).toEqual(
      expected.map((line) => line.replace('is free', 'is used by the running agent')),
    );
    await again.stop();
  });
});

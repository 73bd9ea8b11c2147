/** Console, receiver and metrics: exposed or used addresses delay no receipt, and `check` names them. */
import { writeFile } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { quickly } from './support/commandLine.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { freePort, listen } from '../support/ports.ts';

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function occupy(): Promise<number> {
  const { port, close } = await listen(createServer());
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

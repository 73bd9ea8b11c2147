import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { compiledSources } from '../support/compiled.ts';
import { Client, OFFICE, scratch, sha256, start } from './harness.ts';

/** The built sandbox in a separate process that can be killed. */
async function spawnSandbox(dir: string): Promise<{ child: ChildProcess; url: string }> {
  const server = join(await compiledSources(), 'src/sandbox/server.js');
  const script = `
    import { startSandbox } from ${JSON.stringify(server)};
    const endpoints = [{ uid: ${JSON.stringify(OFFICE)}, name: 'Office' }];
    const sandbox = await startSandbox({ dir: ${JSON.stringify(dir)}, endpoints });
    console.log(sandbox.url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: String(url) };
}

test('a killed sandbox has stored all that it acknowledged, and no partial document', async () => {
  const dir = await scratch();
  const { child, url } = await spawnSandbox(dir);
  const client = await new Client(url, 20).login();
  const answered = new Map<string, string>();
  const sent = new Map<string, string>();
  const sendForEver = async (lane: number): Promise<void> => {
    for (let index = 0; ; index += 1) {
      const name = `lane ${lane} scan ${index}`;
      const bytes = randomBytes(50_000 + index);
      sent.set(name, sha256(bytes));
      if ((await client.upload(name, bytes)).status === 200) answered.set(name, sha256(bytes));
      if (answered.size === 50) child.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 20 }, (_, lane) => sendForEver(lane)));
  expect(answered.size).toBeGreaterThanOrEqual(50);

  const sandbox = await start({ dir });
  const kept = new Map(sandbox.received().map((document) => [document.name, document.sha256]));
  for (const [name, hash] of answered) expect(kept.get(name)).toBe(hash);
  for (const [name, hash] of kept) expect(sent.get(name)).toBe(hash);
  for (const file of await readdir(join(dir, OFFICE))) {
    expect(`${sha256(await readFile(join(dir, OFFICE, file)))}.bin`).toBe(basename(file));
  }
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
});

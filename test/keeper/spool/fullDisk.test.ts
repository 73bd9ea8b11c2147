/** The spool on a disk of one megabyte, and under `kill -9`. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../../support/scripts.ts';
import { canMount, withSmallDisk } from '../../support/ownMount.ts';

let compiled: Awaited<ReturnType<typeof compile>>;
let dir: string;

beforeAll(async () => {
  compiled = await compile('keeper/spool/openSpool.ts');
  dir = await mkdtemp(join(tmpdir(), 'receiptd-spool-'));
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe.skipIf(!canMount())('on a disk of one megabyte', () => {
  it('rejects a copy that does not fit with the system error code, leaves nothing behind, and accepts it once there is space', () => {
    const code = `
      import { openSpool } from ${JSON.stringify(compiled.url)};
      import { createHash, randomBytes } from 'node:crypto';
      import { readdirSync, rmSync, writeFileSync } from 'node:fs';
      const spool = await openSpool({ dir: '/mnt/spool', limitBytes: 1e9 });
      const image = () => { const bytes = randomBytes(200_000); return [createHash('sha256').update(bytes).digest('hex'), bytes]; };
      writeFileSync('/mnt/other', randomBytes(300_000));
      const ends = [];
      let last;
      for (let i = 0; i < 5; i += 1) {
        last = image();
        ends.push(await spool.put(...last).catch((error) => [error.code, error.message, error.hint]));
      }
      const files = () => readdirSync('/mnt/spool', { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).length;
      const before = [files(), spool.usedBytes];
      rmSync('/mnt/other');
      const again = await spool.put(...last);
      console.log(JSON.stringify({ ends, before, again, readable: (await spool.read(last[0])).equals(last[1]), files: files() }));`;
    const run = [process.execPath, '--input-type=module', '-e', code];
    const out = execFileSync(...withSmallDisk('/mnt', '1m', run)).toString();
    const told = JSON.parse(out) as Record<string, unknown>;
    const refusal = [
      'SPOOL_UNWRITABLE',
      "The spool in /mnt/spool can't be written (ENOSPC).",
      'Free some space on the disk of the state directory.',
    ];
    expect(told).toEqual({
      ends: [true, true, true, refusal, refusal],
      before: [3, 600_000],
      again: true,
      readable: true,
      files: 4,
    });
  });
});

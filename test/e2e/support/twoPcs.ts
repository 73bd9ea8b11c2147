import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { drawReceipt } from '../../support/images.ts';
import { prepare, Site, type ConfigKeys } from './agent.ts';

/** Another PC with a separate state directory and the same service. */
export async function otherPc(site: Site, keys: ConfigKeys = {}, name = 'other'): Promise<Site> {
  const dir = site.file(name);
  await mkdir(dir, { recursive: true });
  const other = new Site(dir, site.sandbox);
  await other.configure(keys);
  return other;
}

/** Puts receipts from number `from` up to `to` into the watched folder. */
export async function scan(site: Site, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1)
    await writeFile(site.file('inbox', `SCAN${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `m${n}` }));
}

export async function pcThatSent(count: number): Promise<Site> {
  const site = await prepare();
  await scan(site, 0, count);
  expect((await site.quickOnce()).status).toBe(0);
  return site;
}

/**
 * A minimal uploader, as a developer might write in an afternoon: reads and posts files, several at once. No ledger, checks or retries.
 *
 *   node undici.js FOLDER URL [--hash]
 */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'undici';

const AT_ONCE = 8;
const [folder = '', url = '', option] = process.argv.slice(2);
const pool = new Pool(url, { connections: AT_ONCE });
const files = await readdir(folder);
let next = 0;
const digests = new Set<string>();

async function work(): Promise<void> {
  for (let file = files[next++]; file !== undefined; file = files[next++]) {
    const body = await readFile(join(folder, file));
    if (option === '--hash') digests.add(hash('sha256', body));
    const path = `/v2/endpoints/bench/documents?name=${encodeURIComponent(file)}`;
    const answer = await pool.request({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'image/jpeg' },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) process.exit(1);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await pool.close();

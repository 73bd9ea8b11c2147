import { join } from 'node:path';
import { test, expect } from 'vitest';
import { writeArchive, type NewMember } from '../../../src/system/tar/write.ts';
import { tempDir } from '../../support/tempDir.ts';

async function target(): Promise<string> {
  const dir = tempDir('write');
  return join(dir, 'archive');
}

test("an archive fails with the error of a part that can't be read", async () => {
  const file = await target();
  const parts: NewMember[] = [
    { name: 'a', from: Buffer.alloc(3_000_000, 'a') },
    { name: 'b', from: { file: `${file}.missing`, size: 10 } },
  ];
  await expect(writeArchive(file, parts, new Date(0))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an archive fails with the error of its source, after any number of parts', async () => {
  async function* parts(): AsyncGenerator<NewMember> {
    for (let n = 0; n < 50; n += 1) yield { name: `${n}`, from: Buffer.alloc(100_000, n) };
    throw new Error('no more');
  }
  await expect(writeArchive(await target(), parts(), new Date(0))).rejects.toThrow('no more');
});

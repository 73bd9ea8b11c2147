import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Header, type Pack } from 'tar-stream';

/** A file of an archive: bytes at hand, or a file that keeps its size. */
export interface Part {
  /** Its path in the archive, with `/`. */
  readonly name: string;
  readonly from: Buffer | { readonly file: string; readonly size: number };
}

/**
 * Writes a new .tar.gz that its owner alone may read; durable when this resolves. One part is in memory at a time. What is left of
 * one that failed is the caller's to remove. @throws what the file system says; EEXIST where there is one already
 */
export async function writeArchive(
  file: string,
  parts: Iterable<Part> | AsyncIterable<Part>,
  modifiedAt: Date,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  // What fails first takes the rest along, which then only say that they were ended.
  const failures: unknown[] = [];
  const noting = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  try {
    const tar = pack();
    const filled = noting(fill(tar, parts, modifiedAt)).catch((error: unknown) => {
      tar.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    filled.catch(() => {});
    // Images are compressed already, ledgers are mostly text: more effort gains little.
    const gzip = createGzip({ level: 3 });
    await pipeline(Readable.from(tar), gzip, async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) await noting(handle.writeFile(chunk));
    });
    await filled;
    await handle.sync();
  } catch (error) {
    throw failures[0] ?? error;
  } finally {
    await handle.close();
  }
}

async function fill(tar: Pack, parts: Iterable<Part> | AsyncIterable<Part>, mtime: Date): Promise<void> {
  for await (const { name, from } of parts) {
    const header = { name, mode: 0o600, mtime, uid: 0, gid: 0 };
    if (Buffer.isBuffer(from)) await put(tar, { ...header, size: from.length }, [from]);
    else await put(tar, { ...header, size: from.size }, createReadStream(from.file));
  }
  tar.finalize();
}

/** tar-stream's streams are no streams of Node's: its pipeline would wait for them forever. */
async function put(
  tar: Pack,
  header: Partial<Header> & { name: string },
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  let entry: ReturnType<Pack['entry']> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  });
  // Anyone who waits for it is told; until then nobody listens.
  done.catch(() => {});
  entry?.on('error', () => {});
  for await (const chunk of chunks) if (entry?.write(chunk) === false) await once(entry, 'drain');
  entry?.end(null);
  await done;
}

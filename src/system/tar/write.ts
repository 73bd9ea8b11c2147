import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Header, type Pack } from 'tar-stream';

/** A member to write: bytes, or a file whose size must not change. */
export interface NewMember {
  /** Its path in the archive, with `/`. */
  readonly name: string;
  readonly from: Buffer | { readonly file: string; readonly size: number };
}

/**
 * Writes a new .tar.gz that only its owner may read; durable when this resolves. Holds one part in memory at a time. After a
 * failure, the caller must remove the partial file. @throws system errors; EEXIST if the file exists
 */
export async function writeArchive(
  file: string,
  parts: Iterable<NewMember> | AsyncIterable<NewMember>,
  modifiedAt: Date,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  // The first failure ends the other streams, whose errors then only say that they were ended.
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
    // Images are already compressed and ledgers are mostly text: a higher level gains little.
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

async function fill(
  tar: Pack,
  parts: Iterable<NewMember> | AsyncIterable<NewMember>,
  mtime: Date,
): Promise<void> {
  for await (const { name, from } of parts) {
    const header = { name, mode: 0o600, mtime, uid: 0, gid: 0 };
    if (Buffer.isBuffer(from)) await put(tar, { ...header, size: from.length }, [from]);
    else await put(tar, { ...header, size: from.size }, createReadStream(from.file));
  }
  tar.finalize();
}

/** Writes one member by hand: tar-stream's streams are not Node streams, so `pipeline` would wait forever. */
async function put(
  tar: Pack,
  header: Partial<Header> & { name: string },
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  let entry: ReturnType<Pack['entry']> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  });
  // Awaited only at the end: avoids an unhandled rejection before that.
  done.catch(() => {});
  entry?.on('error', () => {});
  for await (const chunk of chunks) if (entry?.write(chunk) === false) await once(entry, 'drain');
  entry?.end(null);
  await done;
}

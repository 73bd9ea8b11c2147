import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** Something in an archive that keeps it from being used; the message follows "FILE can't be used: ". */
export class BadArchive extends Error {}

/** Of an archive, while it is read. */
export interface Member {
  readonly name: string;
  readonly size: number;
  /** To be read to its end, or not at all, before the next one is asked for. */
  readonly content: AsyncIterable<Buffer>;
}

/** Headers, padding and the end of a tar file, for each member. */
const AROUND = 4 * 512;
const END_BYTES = 64 * 1024;

/**
 * The members of a .tar.gz, one after the other. Plain files only: links, devices and directories are refused, whatever they are called.
 * Names are handed on as they stand there; nothing may be written under a name that was not expected. `budget` says how many bytes
 * the members may have in all, asked again as they come, so that a small file cannot unpack to a huge one.
 * @throws BadArchive; system errors of the file itself
 */
export async function* readArchive(
  file: string,
  budget: () => { readonly bytes: number; readonly members: number },
): AsyncGenerator<Member> {
  let unpacked = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      const { bytes, members } = budget();
      if (unpacked > bytes + members * AROUND + END_BYTES)
        done(new BadArchive('it unpacks to more than it says'));
      else done(null, chunk);
    },
  });
  const source = (await openFile(file)).createReadStream();
  const gunzip = createGunzip();
  const tar = extract();
  // A stream that ends early would leave the next one waiting forever.
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('error', (error) => limited.destroy(error));
  limited.on('error', (error) => tar.destroy(error));
  source.pipe(gunzip).pipe(limited).pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      if (type !== 'file')
        throw new BadArchive(`it holds something that is no plain file (${type ?? 'of no kind'})`);
      yield { name, size, content: bytesOf(entry as AsyncIterable<Buffer>) };
      entry.resume();
    }
  } catch (error) {
    throw asBad(error);
  } finally {
    source.destroy();
    gunzip.destroy();
    limited.destroy();
    tar.destroy();
  }
}

/** Opening a FIFO would wait forever, and a device never ends. */
async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw Object.assign(new Error('not a file'), { code: 'EISDIR', syscall: 'open' });
}

/** What goes wrong while a member is read reaches its reader alone. */
async function* bytesOf(entry: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* entry;
  } catch (error) {
    throw asBad(error);
  }
}

/** What zlib and tar-stream say of bytes; the file system's own errors stay what they are. */
function asBad(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BadArchive || 'syscall' in error) return error;
  const isPacked = 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
  return new BadArchive(
    `it is no ${isPacked ? 'gzip' : 'tar'} file, or was cut off or changed (${error.message})`,
  );
}

import type { FileHandle } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { ArchiveFlaw } from '../../core/domain/errors.ts';
import { NotAFile, openPlainFile } from '../plainFile.ts';

/** The archive is unusable. */
export class BadArchive extends Error {
  readonly flaw: ArchiveFlaw;

  constructor(flaw: ArchiveFlaw) {
    super(flaw.flaw);
    this.flaw = flaw;
  }
}

/** A member of an archive being read. */
export interface TarMember {
  readonly name: string;
  readonly size: number;
  /** Read it to its end, or not at all, before requesting the next member. */
  readonly content: AsyncIterable<Buffer>;
}

/** Allowance per member for tar headers and padding, in bytes. */
const AROUND = 4 * 512;
const END_BYTES = 64 * 1024;

/**
 * Yields the members of a .tar.gz in order. `file`: its path, or a handle, which is closed at the end. Only plain files are
 * allowed; links, devices and directories are refused. Names are untrusted: never write to a path made from an unexpected one.
 * `budget` limits the members' total size and number, and is checked for every chunk, so that a small file can't unpack to a
 * huge one.
 * @throws BadArchive; system errors of the file itself
 */
export async function* readArchive(
  file: string | FileHandle,
  budget: () => { readonly bytes: number; readonly members: number },
): AsyncGenerator<TarMember> {
  let unpacked = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      const { bytes, members } = budget();
      if (unpacked > bytes + members * AROUND + END_BYTES) done(new BadArchive({ flaw: 'grows' }));
      else done(null, chunk);
    },
  });
  const source = (typeof file === 'string' ? await openArchive(file) : file).createReadStream();
  const gunzip = createGunzip();
  const tar = extract();
  // Pass errors on: otherwise the next stream would wait forever.
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('error', (error) => limited.destroy(error));
  limited.on('error', (error) => tar.destroy(error));
  source.pipe(gunzip).pipe(limited).pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      if (type !== 'file') throw new BadArchive({ flaw: 'notPlain', about: type ?? null });
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

/** Opens an archive. What is no regular file is the system error EISDIR: a device never ends. */
export async function openArchive(file: string): Promise<FileHandle> {
  return openPlainFile(file).catch((error: unknown) => {
    if (!(error instanceof NotAFile)) throw error;
    throw Object.assign(new Error('not a file'), { code: 'EISDIR', syscall: 'open' });
  });
}

/** Converts errors here too, since those during a member reach only its reader. */
async function* bytesOf(entry: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* entry;
  } catch (error) {
    throw asBad(error);
  }
}

/** Converts errors of zlib and tar-stream to BadArchive; system errors stay unchanged. */
function asBad(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BadArchive || 'syscall' in error) return error;
  const isPacked = 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
  return new BadArchive({ flaw: isPacked ? 'notGzip' : 'notTar', about: error.message });
}

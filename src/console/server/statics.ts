import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodingFor, type Encoding } from '../../http/compression.ts';

/** Other file types are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
/** The build writes compressed copies of larger files beside them. */
const ENDINGS: ReadonlyMap<Encoding, string> = new Map([
  ['br', '.br'],
  ['gzip', '.gz'],
]);
/** `app-4f0c2b1a.js`: the name contains a hash of the content. */
const HASHED = /-(?=[\w-]*\d)[\w-]{8,}\.\w+$/;

interface Variant {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding: Encoding | null;
}

interface File {
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Variant;
  readonly compressed: ReadonlyMap<Encoding, Variant>;
}

/**
 * The console's pages, read once at the first request. A request is looked up among their names, so that no spelling of
 * a path can reach another file.
 */
export class Statics {
  readonly #directory: URL;
  #files: Promise<ReadonlyMap<string, File>> | null = null;

  constructor(directory: URL) {
    this.#directory = directory;
  }

  /** `path`: raw URL path. @returns false if there is no such page */
  async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    const files = await this.#load();
    const file = files.get(path === '/' ? '/index.html' : path);
    if (file === undefined) return false;
    const { headers } = file;
    const wanted = encodingFor(request.headers);
    const { bytes, etag, encoding } = (wanted && file.compressed.get(wanted)) ?? file.plain;
    const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
    if (known.some((each) => each.replace(/^W\//, '') === etag)) {
      response
        .writeHead(304, { etag, 'cache-control': headers['cache-control'], vary: 'accept-encoding' })
        .end();
    } else {
      if (encoding !== null) response.setHeader('content-encoding', encoding);
      response.writeHead(200, { ...headers, etag, 'content-length': bytes.length });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    }
    return true;
  }

  /** Whether there are pages at all. */
  async arePresent(): Promise<boolean> {
    return (await this.#load()).size > 0;
  }

  async #load(): Promise<ReadonlyMap<string, File>> {
    this.#files ??= readAll(this.#directory);
    try {
      const files = await this.#files;
      // Empty: read again at the next request.
      if (files.size === 0) this.#files = null;
      return files;
    } catch {
      this.#files = null;
      return new Map();
    }
  }
}

async function readAll(directory: URL): Promise<ReadonlyMap<string, File>> {
  const root = fileURLToPath(directory);
  const files = new Map<string, File>();
  const names = new Set(await readdir(root, { recursive: true }));
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.replaceAll('\\', '/')}`;
    const caching = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    const compressed = new Map<Encoding, Variant>();
    for (const [encoding, ending] of ENDINGS)
      if (names.has(name + ending))
        compressed.set(encoding, variant(await readFile(join(root, name + ending)), encoding));
    files.set(path, {
      headers: { 'content-type': type, 'cache-control': caching, vary: 'accept-encoding' },
      plain: variant(await readFile(join(root, name)), null),
      compressed,
    });
  }
  return files;
}

/** The ETag is derived from the bytes. */
function variant(bytes: Buffer, encoding: Encoding | null): Variant {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, etag, encoding };
}

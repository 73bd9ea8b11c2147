import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** A line of the index: bytes received under a name. A name with several different contents has several lines. */
const ENTRY = z.object({
  uid: z.string(),
  endpointUid: z.string(),
  /** Verbatim from the query parameter. */
  name: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  contentType: z.string().nullable(),
  /** ISO 8601, UTC; when the bytes first arrived. */
  receivedAt: z.string(),
  /** How often these bytes were received under this name. */
  tries: z.number(),
  /** False if every upload of these bytes got 409. */
  accepted: z.boolean(),
});
export type DocumentEntry = z.infer<typeof ENTRY>;

/** `file`: absolute path of the bytes as received. */
export type StoredDocument = DocumentEntry & { readonly file: string };

/** A body on disk that was not given a name yet. */
export interface Incoming {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** How an upload compares to what is stored under its name. */
export type KeptUpload = 'new' | 'sameBytes' | 'otherBytes';

/**
 * The documents that the sandbox received. A body on disk is one of:
 *
 *   `incoming/<run>-<id>.part`      arriving, hashed on the way; deleted at the next start if it was cut off
 *   `<endpointUid>/<sha256>.bin`    whole (renamed into place), perhaps without a line yet
 *   the same, and a line in `documents.jsonl`: stored. Only then does the client get its answer.
 *
 * So a killed sandbox never loses a document that it confirmed. It does not sync, so a power failure may. The index is also kept in
 * memory (about 500 bytes per document), to recognize repeats.
 */
export class DocumentStore {
  readonly #dir: string;
  readonly #index: FileHandle;
  readonly #run = randomUUID();
  readonly #byName = new Map<string, DocumentEntry[]>();
  readonly #directories = new Set<string>();
  #torn = false;
  #tail: Promise<unknown> = Promise.resolve();
  /** Distinct documents; uploads beyond the first of a name; of those, the ones with other bytes. */
  readonly totals = { documents: 0, repeats: 0, repeatsWithOtherBytes: 0, accepted: 0 };

  private constructor(dir: string, index: FileHandle) {
    this.#dir = dir;
    this.#index = index;
  }

  static async open(dir: string): Promise<DocumentStore> {
    await mkdir(join(dir, 'incoming'), { recursive: true });
    const index = await open(join(dir, 'documents.jsonl'), 'a+');
    const store = new DocumentStore(dir, index);
    await store.#load();
    return store;
  }

  /** Deletes incomplete bodies of earlier runs. Call only once the port is ours: until then, that run may still be alive. */
  async deleteLeftovers(): Promise<void> {
    const incoming = join(this.#dir, 'incoming');
    for (const entry of await readdir(incoming)) {
      if (!entry.startsWith(this.#run)) await rm(join(incoming, entry), { force: true });
    }
  }

  /** Streams a body to disk, always reading it to its end. Null if it is longer than `limit` bytes. */
  async receive(body: AsyncIterable<Buffer>, limit: number): Promise<Incoming | null> {
    const file = join(this.#dir, 'incoming', `${this.#run}-${randomUUID()}.part`);
    const handle = await open(file, 'wx');
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > limit) continue;
        hash.update(chunk);
        await handle.appendFile(chunk);
      }
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    if (bytes <= limit) return { file, sha256: hash.digest('hex'), bytes };
    await rm(file, { force: true });
    return null;
  }

  async discard(incoming: Incoming): Promise<void> {
    await rm(incoming.file, { force: true });
  }

  /**
   * Stores received bytes under a name, durably against a kill. Different bytes are stored next to the first. Runs one at a time,
   * so that exactly one of two concurrent uploads of a name is the first. `document` is the name's first.
   */
  keep(
    incoming: Incoming,
    as: {
      endpointUid: string;
      name: string;
      contentType: string | null;
      now: number;
      acceptRepeats: boolean;
    },
  ): Promise<{ document: DocumentEntry; kept: KeptUpload }> {
    const result = this.#tail.then(async () => {
      const versions = this.#byName.get(key(as)) ?? [];
      const known = versions.find((version) => version.sha256 === incoming.sha256);
      const entry: DocumentEntry = {
        uid: known?.uid ?? randomUUID(),
        endpointUid: as.endpointUid,
        name: as.name,
        sha256: incoming.sha256,
        bytes: incoming.bytes,
        contentType: as.contentType,
        receivedAt: new Date(as.now).toISOString(),
        tries: (known?.tries ?? 0) + 1,
        accepted: versions.length === 0 || as.acceptRepeats,
      };
      await this.#directory(as.endpointUid);
      await rename(incoming.file, this.#file(entry));
      await this.#append(entry);
      return this.#apply(entry);
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }

  *entries(): IterableIterator<DocumentEntry> {
    for (const versions of this.#byName.values()) yield* versions;
  }

  documents(): StoredDocument[] {
    return Array.from(this.entries(), (entry) => ({ ...entry, file: this.#file(entry) }));
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#index.close();
  }

  #apply(entry: DocumentEntry): { document: DocumentEntry; kept: KeptUpload } {
    const versions = this.#byName.get(key(entry)) ?? [];
    const at = versions.findIndex((version) => version.sha256 === entry.sha256);
    const known = versions[at];
    const kept =
      versions.length === 0 ? 'new' : versions[0]?.sha256 === entry.sha256 ? 'sameBytes' : 'otherBytes';
    if (known) versions[at] = { ...known, tries: entry.tries, accepted: known.accepted || entry.accepted };
    else versions.push(entry);
    this.#byName.set(key(entry), versions);
    if (!known) this.totals.documents += 1;
    if (kept !== 'new') this.totals.repeats += 1;
    if (kept === 'otherBytes') this.totals.repeatsWithOtherBytes += 1;
    if (entry.accepted) this.totals.accepted += 1;
    return { document: versions[0] ?? entry, kept };
  }

  async #append(entry: DocumentEntry): Promise<void> {
    // Some line readers, including newer versions of Node's readline, split lines at U+2028 and U+2029, which JSON does not escape.
    const line = JSON.stringify(entry).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    const text = `${this.#torn ? '\n' : ''}${line}\n`;
    this.#torn = true;
    await this.#index.appendFile(text);
    this.#torn = false;
  }

  async #load(): Promise<void> {
    const { size } = await this.#index.stat();
    if (size === 0) return;
    const last = await this.#index.read({ buffer: Buffer.alloc(1), position: size - 1 });
    this.#torn = last.buffer[0] !== 0x0a;
    const lines = createInterface({
      input: createReadStream(join(this.#dir, 'documents.jsonl'), { end: size - 1 }),
      crlfDelay: Infinity,
    });
    for await (const text of lines) {
      const entry = parse(text);
      if (entry) this.#apply(entry);
    }
  }

  #file(of: { endpointUid: string; sha256: string }): string {
    return join(this.#dir, of.endpointUid, `${of.sha256}.bin`);
  }

  async #directory(endpointUid: string): Promise<void> {
    if (this.#directories.has(endpointUid)) return;
    await mkdir(join(this.#dir, endpointUid), { recursive: true });
    this.#directories.add(endpointUid);
  }
}

/** Null for a line that a kill cut short: its upload was never answered. */
function parse(text: string): DocumentEntry | null {
  try {
    return ENTRY.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function key(of: { endpointUid: string; name: string }): string {
  return `${of.endpointUid}/${of.name}`;
}

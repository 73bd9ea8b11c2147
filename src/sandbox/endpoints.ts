import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { timestamp } from './clock.ts';

/** The company that owns everything here; the same after a restart. */
export const COMPANY = { uid: '5a4db0c5-0000-4000-8000-000000000001', name: 'Sandbox Company' } as const;

/** An endpoint that exists from the start. `uid` is a UUID in lower case. */
export interface EndpointSeed {
  readonly uid: string;
  readonly name: string;
  readonly outgoingUrl?: string;
  readonly dominantLanguage?: string;
}

// A uid becomes the name of a directory, so only a UUID may pass.
const UID = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'expected a UUID in lower case');
/** Interface 2.1. Fields that the client left out are null: which ones are required is not shown. */
const ENDPOINT = z
  .object({
    uid: UID,
    name: z.string(),
    outgoingUrl: z.string().nullable(),
    dominantLanguage: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    companyUid: z.string(),
  })
  .readonly();
export type SandboxEndpoint = z.infer<typeof ENDPOINT>;

/** The endpoints, in `<dir>/endpoints.json`. Saved to a new file, which is then renamed over the old one. */
export class SandboxEndpoints {
  readonly #file: string;
  readonly #known = new Map<string, SandboxEndpoint>();
  #saving: Promise<void> = Promise.resolve();

  private constructor(file: string) {
    this.#file = file;
  }

  static async load(dir: string): Promise<SandboxEndpoints> {
    const endpoints = new SandboxEndpoints(join(dir, 'endpoints.json'));
    const text = await readFile(endpoints.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '[]';
      throw error;
    });
    for (const endpoint of z.array(ENDPOINT).parse(JSON.parse(text)))
      endpoints.#known.set(endpoint.uid, endpoint);
    return endpoints;
  }

  /** Adds missing endpoints; existing ones stay unchanged. */
  async seed(seeds: readonly EndpointSeed[], now: number): Promise<void> {
    const missing = seeds.filter((seed) => !this.#known.has(UID.parse(seed.uid)));
    for (const seed of missing) this.#add(seed, now);
    if (missing.length > 0) await this.#save();
  }

  /** Resolves when the endpoint is on disk. */
  async create(request: Omit<EndpointSeed, 'uid'>, now: number): Promise<SandboxEndpoint> {
    const endpoint = this.#add({ ...request, uid: randomUUID() }, now);
    await this.#save();
    return endpoint;
  }

  has(uid: string): boolean {
    return this.#known.has(uid);
  }

  list(): readonly SandboxEndpoint[] {
    return [...this.#known.values()];
  }

  #add(seed: EndpointSeed, now: number): SandboxEndpoint {
    const endpoint: SandboxEndpoint = {
      uid: seed.uid,
      name: seed.name,
      outgoingUrl: seed.outgoingUrl ?? null,
      dominantLanguage: seed.dominantLanguage ?? null,
      createdAt: timestamp(now),
      updatedAt: timestamp(now),
      companyUid: COMPANY.uid,
    };
    this.#known.set(endpoint.uid, endpoint);
    return endpoint;
  }

  /** Saves one at a time, because two at once would rename each other's incomplete file into place. */
  #save(): Promise<void> {
    const write = async (): Promise<void> => {
      const temporary = `${this.#file}.new`;
      await writeFile(temporary, `${JSON.stringify(this.list(), null, 2)}\n`);
      await rename(temporary, this.#file);
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }
}

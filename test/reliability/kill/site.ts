import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import YAML from 'yaml';
import type { KnownAs } from '../../oracle/evidence.ts';
import { Books, readJournal, type Journal } from '../../oracle/journal.ts';
import { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import { ALIASES, UIDS } from '../support/office.ts';
import type { Scan } from '../support/scanner.ts';
import { Service } from '../support/service.ts';
import { LossyDisk } from './lossyDisk.ts';
import type { Plan, Settings } from './plan.ts';

/** Usually not on the file system of the temporary directory. */
const ELSEWHERE = '/dev/shm';

export interface SiteFolder {
  readonly path: string;
  readonly archive: string;
  readonly endpoint: string;
  readonly uid: string;
}

/** What the agent has recorded in its state directory. */
interface Known {
  readonly books: Books;
  /** Hashes of the complete copies in the spool. */
  readonly copies: ReadonlySet<string>;
}

const open = new Set<Site>();

/** Removes what an interrupted campaign would leave behind, except sites kept for a breach. */
export function removeOpen(): void {
  for (const { dirs, disk } of open) {
    disk?.abandon();
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A directory with watched folders, a state directory and a config, and a service to send to. */
export class Site {
  readonly dir: string;
  readonly stateDir: string;
  readonly config: string;
  readonly settings: Settings;
  readonly folders: readonly SiteFolder[];
  readonly service: Service;
  /** All its directories on the machine. */
  readonly dirs: readonly string[];
  /** Holds the state directory and the archives that are not in the folders, for power failures; null if only processes are killed. */
  readonly disk: LossyDisk | null;
  #durable: Known = { books: new Books(), copies: new Set() };

  private constructor(
    dir: string,
    elsewhere: string | null,
    disk: LossyDisk | null,
    plan: Plan,
    service: Service,
  ) {
    this.dir = dir;
    this.disk = disk;
    this.stateDir = join(disk?.path ?? dir, 'state');
    this.config = join(dir, 'receiptd.yaml');
    this.settings = plan.settings;
    this.service = service;
    this.dirs = elsewhere === null ? [dir] : [dir, elsewhere];
    this.folders = ALIASES.slice(0, plan.settings.folders).map((alias) => {
      const path = join(dir, `scans-${alias}`);
      const archives = {
        inside: path,
        beside: join(disk?.path ?? dir, `kept-${alias}`),
        elsewhere: join(disk?.path ?? elsewhere ?? dir, alias),
      };
      const archive = join(archives[plan.settings.archive], 'archive');
      return { path, archive, endpoint: alias, uid: UIDS[alias] };
    });
  }

  /** `power`: simulate a power failure with each kill. */
  static async open(plan: Plan, { power }: { readonly power: boolean }): Promise<Site> {
    const { seed, settings, faults } = plan;
    const dir = await mkdtemp(join(tmpdir(), `receiptd-kill-${seed}-`));
    const elsewhere =
      !power && settings.archive === 'elsewhere' && isElsewhere(dir)
        ? await mkdtemp(join(ELSEWHERE, `receiptd-kill-${seed}-`))
        : null;
    const { onRepeat } = settings;
    const service = await Service.start(join(dir, 'sandbox'), Dice.of(seed, 'service'), { onRepeat });
    const site = new Site(dir, elsewhere, power ? new LossyDisk(dir) : null, plan, service);
    open.add(site);
    for (const { path } of site.folders) await mkdir(path);
    service.misbehave(faults);
    return site;
  }

  /** `limited`: apply the plan's daily budget. */
  async configure({ limited }: { readonly limited: boolean }): Promise<void> {
    const { spool, afterUpload, watch, concurrency, perSecond, perDay, template } = this.settings;
    const patience = this.settings.impatient ? '700ms' : '30s';
    const config = {
      service: {
        baseUrl: this.service.sandbox.url,
        proxy: 'direct',
        timeouts: { headers: patience, body: patience },
      },
      endpoints: Object.fromEntries(this.folders.map(({ endpoint, uid }) => [endpoint, { uid }])),
      folders: this.folders.map(({ path, archive, endpoint }) => ({
        path,
        endpoint,
        watch,
        settle: { short: '20ms', long: '100ms', patience: '300ms' },
        name: template,
        afterUpload,
        archiveTo: archive,
      })),
      delivery: {
        concurrency,
        grace: '500ms',
        ...(perSecond !== null && { rate: `${perSecond}/s` }),
        ...(limited && perDay !== null && { perDay }),
      },
      intake: { reconcileEvery: '400ms', pollEvery: '100ms' },
      spool,
      storage: { reserve: '1MB' },
      stateDir: this.stateDir,
    };
    await writeFile(this.config, YAML.stringify(config));
  }

  /** No entries if there is no journal yet. */
  async journal(): Promise<Journal> {
    return readJournal((await unlessGone(readFile(join(this.stateDir, 'ledger.journal'), 'utf8'))) ?? '');
  }

  /** What the agent has durably on record of an image; with power failures, the state after the last one. */
  async knownAs({ uid, sha256: hash }: Scan): Promise<KnownAs> {
    const { books, copies } = this.disk === null ? await this.#known() : this.#durable;
    const document = books.documentOf(uid, hash);
    if (!document) return 'unseen';
    if (document.state === 'accepted') return 'accepted';
    return copies.has(hash) ? 'copied' : 'named';
  }

  /** Simulates a power failure, if this site has them. The agent must not be running. */
  async failPower(): Promise<void> {
    if (this.disk === null) return;
    await this.disk.fail();
    this.#durable = await this.#known();
  }

  /** Leaves the directories in place if they are to be `kept`. */
  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    await this.service.close();
    await this.disk?.close({ kept });
    open.delete(this);
    if (kept) return;
    for (const dir of this.dirs) await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Works while the agent is running. */
  async #known(): Promise<Known> {
    const { entries } = await this.journal();
    const spool = join(this.stateDir, 'spool');
    const copies = new Set<string>();
    for (const file of (await unlessGone(readdir(spool, { recursive: true, withFileTypes: true }))) ?? []) {
      if (!file.isFile()) continue;
      const bytes = await unlessGone(readFile(join(file.parentPath, file.name)));
      if (bytes && sha256(bytes) === file.name) copies.add(file.name);
    }
    return { books: Books.of(entries), copies };
  }
}

function isElsewhere(dir: string): boolean {
  try {
    accessSync(ELSEWHERE, constants.W_OK);
    return statSync(ELSEWHERE).dev !== statSync(dir).dev;
  } catch {
    return false;
  }
}

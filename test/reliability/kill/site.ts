import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import YAML from 'yaml';
import { startSandbox, type Sandbox } from '../../../src/sandbox/server.ts';
import { Dice } from '../support/dice.ts';
import { ALIASES, CLIENT, ENDPOINTS, UIDS } from '../support/office.ts';
import { Books } from '../../oracle/journal.ts';
import { knownIn, type Known } from './known.ts';
import { LossyDisk } from './lossyDisk.ts';
import type { Plan, Settings } from './plan.ts';

/** Usually not on the file system of the temporary directory. */
const ELSEWHERE = '/dev/shm';

export interface SiteFolder {
  readonly path: string;
  readonly archive: string;
  readonly endpoint: string;
  readonly endpointUid: string;
}

/** An upload request from the sandbox's view; times are monotonic milliseconds. */
export interface Upload {
  readonly arrivedAt: number;
  readonly endpointUid: string;
  readonly name: string;
  readonly ending: string;
  readonly fault: string | null;
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
  readonly sandbox: Sandbox;
  readonly uploads: readonly Upload[];
  readonly #stalls = monitorEventLoopDelay({ resolution: 5 });
  /** All its directories on the machine. */
  readonly dirs: readonly string[];
  /** Holds the state directory and the archives that are not in the folders, for power failures; null if only processes are killed. */
  readonly disk: LossyDisk | null;
  #durable: Known = { books: new Books(), copies: new Set() };
  readonly #answers: Answers;

  private constructor(
    dir: string,
    elsewhere: string | null,
    disk: LossyDisk | null,
    plan: Plan,
    sandbox: Sandbox,
    seen: Seen,
  ) {
    this.dir = dir;
    this.disk = disk;
    this.stateDir = join(disk?.path ?? dir, 'state');
    this.config = join(dir, 'receiptd.yaml');
    this.settings = plan.settings;
    this.sandbox = sandbox;
    this.uploads = seen.uploads;
    this.#answers = seen.answers;
    this.dirs = elsewhere === null ? [dir] : [dir, elsewhere];
    this.folders = ALIASES.slice(0, plan.settings.folders).map((alias) => {
      const path = join(dir, `scans-${alias}`);
      const archives = {
        inside: path,
        beside: join(disk?.path ?? dir, `kept-${alias}`),
        elsewhere: join(disk?.path ?? elsewhere ?? dir, alias),
      };
      return {
        path,
        archive: join(archives[plan.settings.archive], 'archive'),
        endpoint: alias,
        endpointUid: UIDS[alias],
      };
    });
    this.#stalls.enable();
  }

  /** `power`: simulate a power failure with each kill. */
  static async open(plan: Plan, { power }: { readonly power: boolean }): Promise<Site> {
    const dir = await mkdtemp(join(tmpdir(), `receiptd-kill-${plan.seed}-`));
    const elsewhere =
      !power && plan.settings.archive === 'elsewhere' && isElsewhere(dir)
        ? await mkdtemp(join(ELSEWHERE, `receiptd-kill-${plan.seed}-`))
        : null;
    const dice = Dice.of(plan.seed, 'service');
    const seen: Seen = { uploads: [], answers: new Answers() };
    const sandbox = await startSandbox({
      dir: join(dir, 'sandbox'),
      credentials: CLIENT,
      endpoints: ENDPOINTS,
      onRepeat: plan.settings.onRepeat,
      random: () => dice.next(),
      onRequest: ({ route, path, name, ending, tookMs, fault }) => {
        if (route !== 'upload' || name === null) return;
        const endpointUid = /^\/v2\/endpoints\/([^/]+)\//.exec(path)?.[1] ?? '';
        const arrivedAt = performance.now() - tookMs;
        seen.uploads.push({ arrivedAt, endpointUid, name, ending: String(ending), fault });
        if (typeof ending === 'number') seen.answers.count();
      },
    });
    const site = new Site(dir, elsewhere, power ? new LossyDisk(dir) : null, plan, sandbox, seen);
    open.add(site);
    for (const { path } of site.folders) await mkdir(path);
    sandbox.misbehave(...plan.faults);
    return site;
  }

  /** `limited`: apply the plan's daily budget. */
  async configure({ limited }: { readonly limited: boolean }): Promise<void> {
    const { spool, afterUpload, watch, concurrency, perSecond, perDay, template } = this.settings;
    const patience = this.settings.impatient ? '700ms' : '30s';
    const config = {
      service: {
        baseUrl: this.sandbox.url,
        proxy: 'direct',
        timeouts: { headers: patience, body: patience },
      },
      endpoints: Object.fromEntries(
        this.folders.map(({ endpoint, endpointUid: uid }) => [endpoint, { uid }]),
      ),
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

  /** What the agent has durably on record; with power failures, the state after the last one. */
  async known(): Promise<Known> {
    return this.disk === null ? knownIn(this.stateDir) : this.#durable;
  }

  /** Simulates a power failure, if this site has them. The agent must not be running. */
  async failPower(): Promise<void> {
    if (this.disk === null) return;
    await this.disk.fail();
    this.#durable = await knownIn(this.stateDir);
  }

  /** True at the n-th answer from now; false if `givenUp` resolves first. */
  async answer(nth: number, givenUp: Promise<void>): Promise<boolean> {
    return Promise.race([this.#answers.next(nth).then(() => true), givenUp.then(() => false)]);
  }

  /** The longest delay in this process's noticing of arrivals. */
  get stallMs(): number {
    return this.#stalls.max / 1e6;
  }

  /** Leaves the directories in place if they are to be `kept`. */
  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    this.#stalls.disable();
    await this.sandbox.close();
    await this.disk?.close({ kept });
    open.delete(this);
    if (kept) return;
    for (const dir of this.dirs) await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Seen {
  readonly uploads: Upload[];
  readonly answers: Answers;
}

class Answers {
  #left = 0;
  #come: () => void = () => {};

  next(nth: number): Promise<void> {
    this.#left = nth;
    return new Promise((resolve) => (this.#come = resolve));
  }

  count(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#come();
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

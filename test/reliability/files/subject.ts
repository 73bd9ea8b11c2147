import { mkdir } from 'node:fs/promises';
import { composeFolders } from '../../../src/wiring/folders.ts';
import { openConfiguredSpool, openLedger } from '../../../src/wiring/ledger.ts';
import { composePipeline, type Pipeline } from '../../../src/wiring/pipeline.ts';
import type { Config } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { createFolderHints } from '../../../src/intake/folder/hints.ts';
import { RememberedFolders } from '../../../src/intake/remembered.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { OpenFolder } from '../../../src/keeper/locateBytes.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import type { Dice } from '../support/dice.ts';
import type { Answer } from '../../../src/core/domain/outcome.ts';
import type { UploadProgress, UploadRequest } from '../../../src/core/ports/service.ts';
import { accept, ScriptedService, ScriptedTokens, status } from '../../support/scriptedService.ts';
import { sha256 } from '../support/digest.ts';

/** A service that keeps what it receives and answers after some milliseconds, or with 503 while it is away. */
export class RecordingService extends ScriptedService {
  readonly stored: {
    readonly uid: string;
    readonly name: string;
    readonly hash: string;
    readonly bytes: Buffer;
  }[] = [];
  isAway = false;
  readonly #dice: Dice;
  readonly #slowestMs: number;

  /** @param slowestMs maximum delay of an answer: what happens to a file meanwhile happens before its disposal */
  constructor(dice: Dice, slowestMs: number) {
    super(systemClock);
    this.#dice = dice;
    this.#slowestMs = slowestMs;
  }

  override async upload(
    request: UploadRequest,
    signal: AbortSignal,
    progress: UploadProgress = {},
  ): Promise<Answer> {
    progress.onStart?.();
    const bytes = Buffer.from(request.bytes);
    progress.onTaken?.();
    await new Promise((resolve) => setTimeout(resolve, this.#dice.int(0, this.#slowestMs)));
    signal.throwIfAborted();
    if (this.isAway) return status(503);
    this.stored.push({ uid: request.endpoint.uid, name: request.name, hash: sha256(bytes), bytes });
    return accept(request);
  }

  has(uid: string, hash: string): boolean {
    return this.stored.some((each) => each.uid === uid && each.hash === hash);
  }
}

interface Running {
  readonly ledger: Ledger;
  readonly pipeline: Pipeline;
  readonly stop: () => Promise<void>;
}

/** The whole agent on real folders, a real ledger and a real spool; it can be stopped and restarted. */
export class Subject {
  readonly log = new RecordedLog();
  /** Opens folders from the agent's view. */
  readonly open: OpenFolder;
  readonly #config: Config;
  readonly #service: RecordingService;
  readonly #dice: Dice;
  #running: Running | null = null;
  #logBefore = 0;

  constructor(config: Config, service: RecordingService, dice: Dice) {
    this.#config = config;
    this.#service = service;
    this.#dice = dice;
    this.open = composeFolders(config);
  }

  get running(): Pick<Running, 'ledger' | 'pipeline'> | null {
    return this.#running;
  }

  /** Whether an operation interfered with a disposal since the last start, so that the agent waits some minutes before a retry. */
  get putOffDisposals(): boolean {
    return this.log.lines
      .slice(this.#logBefore)
      .some(({ message }) => message.startsWith('An original could not be archived or deleted'));
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#logBefore = this.log.lines.length;
    const config = this.#config;
    const { log } = this;
    const clock = systemClock;
    await mkdir(config.stateDir, { recursive: true, mode: 0o700 });
    const buffers = new ImageBuffers(() => {});
    const tokens = new ScriptedTokens();
    const ledger = await openLedger(config, {
      version: 'trial',
      log,
      onMended: (story) => log.error('ledgerRebuilt', { detail: story }),
      onWentBack: (story) => log.error('ledgerWentBack', { detail: story }),
    });
    const pipeline = await composePipeline(
      config,
      {
        clock,
        random: () => this.#dice.next(),
        log,
        incidents: new OpenIncidents({ clock, log }),
        ledger,
        remembered: new RememberedFolders(clock, config.folders),
        spool: await openConfiguredSpool(config, log),
        service: this.#service,
        tokens: () => tokens,
        credentialsChanged: async () => false,
        folders: composeFolders(config, { buffers }),
        buffers,
        hints: createFolderHints({
          exclude: [config.stateDir, ...config.folders.map(({ archiveTo }) => archiveTo)],
        }),
        inspector: createImageInspector(),
        host: 'office-pc',
        background: [],
      },
      { once: false },
    );
    const stopping = new AbortController();
    const ended = pipeline.agent.run(stopping.signal);
    // `stop` reports the error; this avoids an unhandled rejection before.
    ended.catch(() => {});
    this.#running = {
      ledger,
      pipeline,
      async stop() {
        stopping.abort(new Error('stopped by the campaign'));
        await ended;
        await pipeline.payloads.close();
        await ledger.close();
      },
    };
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.stop();
  }
}

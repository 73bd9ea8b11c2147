import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
import { changedMeanwhile, replaceConfigFile } from '../config/configFile.ts';
import type { Config } from '../config/config.ts';
import { applyEdits } from '../config/edit.ts';
import { withPasswords } from '../config/hidePasswords.ts';
import type { LiveConfig } from '../config/live.ts';
import { readConfig } from '../config/load.ts';
import { showPath } from '../config/show.ts';
import { readYaml } from '../config/yamlSource.ts';
import type { Consequence } from '../control/protocol/consequences.ts';
import type { ConfigEdit, ConfigState, Request } from '../control/protocol/protocol.ts';
import { SOMEBODY } from '../control/protocol/shapes.ts';
import { isOfLedger, ReceiptdError } from '../core/domain/errors.ts';
import { formerOriginals, type FormerOriginals } from '../intake/dispose/originalsRule.ts';
import { forgetPins, pinPlaces, type Pins } from '../intake/folder/pinnedPlaces.ts';
import type { FileJudgement } from '../system/fileWatch.ts';
import { placesOf, refuseKeysBeyondConsole, refusePathsBeyondConsole, type Reach } from './consoleReach.ts';
import { SettingsInEffect, withoutMark, type FileText, type InEffectDeps } from './settingsInEffect.ts';

export interface SettingsDeps extends InEffectDeps {
  /** The immediate side effects of a change. */
  readonly foresee: (before: Config, after: Config) => Promise<Consequence[]>;
  /** Where the agent can't write, although the configuration tells it to. */
  readonly unwritable: (config: Config) => Promise<Consequence[]>;
}

interface How {
  readonly dryRun?: boolean | undefined;
  readonly by?: string | undefined;
}

interface Change {
  readonly former: FileText;
  readonly text: string;
  readonly read: LiveConfig;
  readonly keys: readonly string[];
  /** For the journal. */
  readonly detail: string;
  /** Places that were chosen in the console. */
  readonly pins?: Pins;
}

/** The last change made by this process: its revision, and the file's former text. */
interface LastChange extends FileText, Pick<Change, 'keys'> {
  readonly at: Date;
  readonly by: string;
}

/** Set by the console server, so that a page can't claim otherwise. */
export const BY_CONSOLE = 'console';

/** Changes of the configuration file while the agent runs. They and reads of the file run one at a time. */
export class Settings {
  readonly inEffect: SettingsInEffect;
  readonly #deps: SettingsDeps;
  #last: LastChange | null = null;
  readonly #queue = new PQueue({ concurrency: 1 });

  private constructor(deps: SettingsDeps, inEffect: SettingsInEffect) {
    this.#deps = deps;
    this.inEffect = inEffect;
  }

  /** Reads the file for the first time. @throws ReceiptdError what is wrong with it */
  static async read(deps: SettingsDeps): Promise<Settings> {
    const inEffect = await SettingsInEffect.read(deps);
    const { stateDir, folders } = inEffect.config;
    await forgetPins(
      stateDir,
      folders.flatMap(placesOf).map(([, path]) => path),
    );
    return new Settings(deps, inEffect);
  }

  /** Limits on changes made through the console. */
  get reach(): Reach {
    const { file, context } = this.#deps;
    return { file, platform: context.platform, now: this.inEffect.config };
  }

  /** @throws ReceiptdError CONSOLE_REFUSED if the console may not use that folder */
  async refuseBeyondConsole(folder: Config['folders'][number]): Promise<void> {
    await refusePathsBeyondConsole({ folders: [folder] }, this.reach);
  }

  state(): Promise<ConfigState> {
    return this.#queue.add(() => this.#state());
  }

  /** Reloads the file, as SIGHUP does. @throws ReceiptdError if the file is invalid; nothing changes then */
  reload(): Promise<ConfigState> {
    return this.#queue.add(async () => {
      await this.inEffect.readAgain();
      const { config } = this.inEffect;
      const consequences = await this.#deps.unwritable(config);
      return { ...(await this.#state()), originals: await this.#originals(config), consequences };
    });
  }

  /** Handles a changed file. An invalid one is reported to people only if `isLast`. Never rejects for an invalid file. */
  fileChanged(isLast: boolean): Promise<FileJudgement> {
    return this.#queue.add(async () => {
      try {
        await this.inEffect.readAgain({ isQuiet: !isLast });
        return 'right';
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        return this.#deps.lasting.ledger.storage.trouble() === null ? 'wrong' : 'later';
      }
    });
  }

  /**
   * Applies edits to the file, which must have the given revision, if any.
   * @throws ReceiptdError with the reason, and nothing is changed
   */
  edit(edits: readonly ConfigEdit[], how: How & { readonly revision?: string }): Promise<ConfigState> {
    return this.#queue.add(async () => {
      const { file } = this.#deps;
      const former = await this.#look(how.revision);
      let { text } = former;
      for (const edit of withPasswords(edits)) {
        text = applyEdits(text, [edit], file);
        // A large file blocks the thread for long; lets answers of the service through.
        await nextTurn();
      }
      if (how.by === BY_CONSOLE)
        refuseKeysBeyondConsole(dataOf(former.text, file), dataOf(text, file), this.reach);
      const read = this.inEffect.parse(text);
      const isMoved = (keys: readonly string[]): boolean => keys.includes('stateDir');
      if (isMoved(read.restartNeeded) && !isMoved(this.inEffect.restartNeeded)) throw notWhileRunning();
      const pins = how.by === BY_CONSOLE ? await refusePathsBeyondConsole(read.config, this.reach) : {};
      const keys = [...new Set(edits.map(({ path }) => showPath(path)))];
      return this.#change({ former, text, read, keys, detail: told(edits), pins }, how);
    });
  }

  /** The operation. The console can undo only its own changes. */
  undo({ revision, ...how }: Request<'undoConfig'>): Promise<ConfigState> {
    return this.#queue.add(async () => {
      const last = this.#last;
      const former = await this.#look(revision);
      const isForeign = how.by === BY_CONSOLE && last?.by !== BY_CONSOLE;
      if (last === null || last.revision !== revision || isForeign) throw nothingToUndo();
      const { text, keys } = last;
      const read = this.inEffect.parse(text);
      return this.#change({ former, text, read, keys, detail: `undo ${keys.join('; ')}` }, how);
    });
  }

  async #look(revision: string | undefined): Promise<FileText> {
    const found = await this.inEffect.look();
    if (revision !== undefined && revision !== found.revision) throw changedMeanwhile(this.#deps.file);
    return found;
  }

  /** Writes and applies an allowed change, or only reports what it would do. */
  async #change({ former, text, read, keys, detail, pins = {} }: Change, how: How): Promise<ConfigState> {
    const { file, lasting } = this.#deps;
    const originals = await this.#originals(read.config);
    if (how.dryRun)
      return { ...(await this.#state()), originals, consequences: await this.#consequences(text) };
    if (text === former.text) {
      await this.inEffect.readAgain();
      return { ...(await this.#state()), originals };
    }
    const history = join(this.inEffect.config.stateDir, 'config-history');
    const at = new Date(lasting.clock.now());
    const by = how.by ?? SOMEBODY;
    await pinPlaces(this.inEffect.config.stateDir, pins);
    const revision = await replaceConfigFile(file, { revision: former.revision, text, history, at });
    try {
      await lasting.ledger.recordAct({ at: at.getTime(), kind: 'config', by, detail });
      await this.inEffect.take(revision, read);
    } catch (error) {
      await replaceConfigFile(file, { revision, text: former.text, history: null, at });
      throw error;
    }
    this.#last = { revision, text: former.text, at, by, keys };
    return { ...(await this.#state()), originals };
  }

  /** Side effects of a text as after a restart; empty if the ledger is unavailable. */
  #consequences(text: string): Promise<Consequence[]> {
    const { file, context, foresee } = this.#deps;
    const { config } = readConfig(withoutMark(text), file, context);
    return foresee(this.inEffect.config, config).catch(noneWithoutLedger);
  }

  /** Empty if the ledger is unavailable: nothing is archived or deleted then. */
  async #originals({ folders }: Config): Promise<FormerOriginals[]> {
    const { ledger } = this.#deps.lasting;
    const all = Promise.all(folders.map((folder) => formerOriginals(ledger, folder)));
    const found: (FormerOriginals | null)[] = await all.catch(noneWithoutLedger);
    return found.filter((each) => each !== null);
  }

  async #state(): Promise<ConfigState> {
    const state = await this.inEffect.state();
    if (this.#last === null || this.#last.revision !== state.revision) return { ...state, undo: null };
    const { at, by, keys } = this.#last;
    return { ...state, undo: { at: at.toISOString(), by, keys: [...keys] } };
  }
}

function noneWithoutLedger(error: unknown): never[] {
  if (isOfLedger(error)) return [];
  throw error;
}

function dataOf(text: string, file: string): unknown {
  return readYaml(withoutMark(text), file).data;
}

const TOLD = 20;

/** Lists the changed keys, not their values, which are in the file. */
function told(edits: readonly ConfigEdit[]): string {
  const list = edits.slice(0, TOLD).map(({ kind, path }) => `${kind} ${showPath(path)}`);
  return list.join('; ') + (edits.length > TOLD ? `; ${edits.length - TOLD} more` : '');
}

function nothingToUndo(): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED.nothingToUndo');
}

/** Commands find the agent by its state directory; a second agent with an empty ledger would send everything again. */
function notWhileRunning(): ReceiptdError {
  return new ReceiptdError('CONFIG_INVALID.stateDirWhileRunning');
}

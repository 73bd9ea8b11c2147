import type { Note } from '../core/domain/note.ts';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { replaceConfigFile, revisionOf } from '../config/configFile.ts';
import type { Config, LoadContext } from '../config/config.ts';
import { applyEdits } from '../config/edit.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import { changedKeys, readLiveConfig, type LiveConfig } from '../config/live.ts';
import { readConfig, readConfigFile, textOf } from '../config/load.ts';
import { readYaml } from '../config/yamlSource.ts';
import { showPath } from '../config/show.ts';
import type { Consequence } from '../control/protocol/consequences.ts';
import type { ConfigEdit, ConfigState, Request } from '../control/protocol/protocol.ts';
import type { Found } from '../system/fileWatch.ts';
import { formerOriginals, type FormerOriginals } from '../intake/dispose/originalsRule.ts';
import { asReceiptdError, ReceiptdError, isOfLedger } from '../core/domain/errors.ts';
import { withPasswords } from '../config/hidePasswords.ts';
import { refuseKeysBeyondConsole, refusePathsBeyondConsole, type Reach } from './consoleReach.ts';
import type { ProcessScope } from './processScope.ts';
import { configState, textWithMark } from './settingsState.ts';
import { changedMeanwhile, inOneLine, notWhileRunning, nothingToUndo, told } from './settingsTexts.ts';
import { SOMEBODY } from '../control/protocol/shapes.ts';

export interface SettingsDeps {
  readonly file: string;
  readonly context: LoadContext;
  readonly lasting: Pick<ProcessScope, 'ledger' | 'incidents' | 'log' | 'clock'>;
  /** Applies a configuration. Rejects if that fails; the former one then stays in effect. */
  readonly replace: (config: Config) => Promise<void>;
  /** The immediate side effects of a change. */
  readonly foresee: (before: Config, after: Config) => Promise<Consequence[]>;
}

interface How {
  readonly dryRun?: boolean | undefined;
  readonly by?: string | undefined;
}

interface Change {
  readonly revision: string;
  readonly former: string;
  readonly text: string;
  readonly read: LiveConfig;
  readonly keys: readonly string[];
  /** For the journal. */
  readonly detail: string;
}

/** The last change made by this process: its revision, and the file's former text. */
interface LastChange extends Pick<Change, 'revision' | 'text' | 'keys'> {
  readonly at: Date;
  readonly by: string;
}

/** A configuration file as read: its text, and the parsed result or the problem. */
interface Look {
  readonly revision: string;
  /** Includes the byte order mark, if there is one. */
  readonly text: string;
  readonly read: LiveConfig;
}

const INCIDENT = 'config';
/** Set by the console server, so that a page can't claim otherwise. */
export const BY_CONSOLE = 'console';

/**
 * The configuration file of a running agent, and the configuration in effect:
 *
 *   in effect ──the file changes──▶ in effect (the new text), or
 *       ▲                      └──▶ in effect (the former text), with one incident ──the file is right again──┐
 *       └─────────────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * Changes and reads run one at a time.
 */
export class Settings {
  readonly #deps: SettingsDeps;
  readonly #start: LiveConfig;
  readonly #listeners = new Set<(config: Config) => void>();
  #live: LiveConfig;
  #revision: string;
  #problem: ReceiptdError | null = null;
  #last: LastChange | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(deps: SettingsDeps, look: Look) {
    this.#deps = deps;
    this.#start = look.read;
    this.#live = look.read;
    this.#revision = look.revision;
  }

  /** Reads the file for the first time. @throws ReceiptdError what is wrong with it */
  static async read(file: string, context: LoadContext, deps: Omit<SettingsDeps, 'file' | 'context'>) {
    const bytes = await readConfigFile(file);
    const text = textOf(bytes, file);
    const read = readLiveConfig(text, file, context, null);
    return new Settings({ ...deps, file, context }, { revision: revisionOf(bytes), text, read });
  }

  /** The configuration in effect. */
  get current(): Config {
    return this.#live.config;
  }

  get file(): string {
    return this.#deps.file;
  }

  get context(): LoadContext {
    return this.#deps.context;
  }

  /** The parsed file behind the configuration in effect. */
  get data(): unknown {
    return this.#live.data;
  }

  /** Limits on changes made through the console. */
  get #reach(): Reach {
    return { file: this.file, platform: this.context.platform, now: this.current };
  }

  /** @throws ReceiptdError CONSOLE_REFUSED if the console may not use that folder */
  refuseBeyondConsole(folder: Config['folders'][number]): void {
    refusePathsBeyondConsole({ folders: [folder] }, this.#reach);
  }

  /** For `status`. */
  notes(): Note[] {
    const { restartNeeded: keys } = this.#live;
    return keys.length === 0 ? [] : [{ kind: 'restart', file: this.file, keys }];
  }

  /** Calls `listener` after every change that took effect. */
  onTaken(listener: (config: Config) => void): void {
    this.#listeners.add(listener);
  }

  state(): Promise<ConfigState> {
    return this.#inTurn(() => this.#state());
  }

  /** Reloads the file, as SIGHUP does. @throws ReceiptdError if the file is invalid; nothing changes then */
  reload(): Promise<ConfigState> {
    return this.#inTurn(async () => {
      await this.#readAgain();
      return { ...(await this.#state()), originals: await this.#originals(this.#live.config) };
    });
  }

  /** Handles a changed file. An invalid one is reported to people only if `isLast`. Never rejects for an invalid file. */
  fileChanged(isLast: boolean): Promise<Found> {
    return this.#inTurn(async () => {
      try {
        await this.#readAgain({ isQuiet: !isLast });
        return 'right';
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        return this.#deps.lasting.ledger.storage.trouble() === null ? 'wrong' : 'later';
      }
    });
  }

  /** The operation. @throws ReceiptdError with the reason, and nothing is changed */
  change(request: Request<'changeConfig'>): Promise<ConfigState> {
    return this.edit(request.edits, request);
  }

  /** The same, applied to the current file if no revision is given. */
  edit(edits: readonly ConfigEdit[], how: How & { readonly revision?: string }): Promise<ConfigState> {
    return this.#inTurn(async () => {
      const { file } = this.#deps;
      const { revision, text: former } = await this.#look(how.revision);
      let text = former;
      for (const edit of withPasswords(edits)) {
        text = applyEdits(text, [edit], file);
        // A large file blocks the thread for long; lets answers of the service through.
        await nextTurn();
      }
      if (how.by === BY_CONSOLE)
        refuseKeysBeyondConsole(dataOf(former, file), dataOf(text, file), this.#reach);
      const read = this.#parse(text);
      const isMoved = ({ restartNeeded }: LiveConfig): boolean => restartNeeded.includes('stateDir');
      if (isMoved(read) && !isMoved(this.#live)) throw notWhileRunning();
      if (how.by === BY_CONSOLE) refusePathsBeyondConsole(read.config, this.#reach);
      const keys = [...new Set(edits.map(({ path }) => showPath(path)))];
      return this.#change({ revision, former, text, read, keys, detail: told(edits) }, how);
    });
  }

  /** The operation. The console can undo only its own changes. */
  undo({ revision, ...how }: Request<'undoConfig'>): Promise<ConfigState> {
    return this.#inTurn(async () => {
      const last = this.#last;
      const { text: former } = await this.#look(revision);
      const isForeign = how.by === BY_CONSOLE && last?.by !== BY_CONSOLE;
      if (last === null || last.revision !== revision || isForeign) throw nothingToUndo();
      const { text, keys } = last;
      const read = this.#parse(text);
      return this.#change({ revision, former, text, read, keys, detail: `undo ${keys.join('; ')}` }, how);
    });
  }

  async #look(revision: string | undefined): Promise<{ revision: string; text: string }> {
    const { file } = this.#deps;
    const bytes = await readConfigFile(file);
    const found = revisionOf(bytes);
    if (revision !== undefined && revision !== found) throw changedMeanwhile(file);
    return { revision: found, text: textWithMark(bytes, file) };
  }

  /** Writes and applies an allowed change, or only reports what it would do. */
  async #change({ revision, former, text, read, keys, detail }: Change, how: How): Promise<ConfigState> {
    const { file, lasting } = this.#deps;
    const originals = await this.#originals(read.config);
    if (how.dryRun)
      return { ...(await this.#state()), originals, consequences: await this.#consequences(text) };
    if (text === former) {
      await this.#readAgain();
      return { ...(await this.#state()), originals };
    }
    const history = join(this.#live.config.stateDir, 'config-history');
    const at = new Date(lasting.clock.now());
    const by = how.by ?? SOMEBODY;
    const written = await replaceConfigFile(file, { revision, text, history, at });
    try {
      await lasting.ledger.recordAct({ at: at.getTime(), kind: 'config', by, detail });
      await this.#take({ revision: written, text, read });
    } catch (error) {
      await replaceConfigFile(file, { revision: written, text: former, history: null, at });
      throw error;
    }
    this.#last = { revision: written, text: former, at, by, keys };
    return { ...(await this.#state()), originals };
  }

  /** Side effects of a text as after a restart; empty if the ledger is unavailable. */
  async #consequences(text: string): Promise<Consequence[]> {
    const { file, context, foresee } = this.#deps;
    const { config } = readConfig(text.replace(/^\uFEFF/, ''), file, context);
    try {
      return await foresee(this.#live.config, config);
    } catch (error) {
      if (isOfLedger(error)) return [];
      throw error;
    }
  }

  async #readAgain({ isQuiet = false } = {}): Promise<void> {
    const { file, lasting } = this.#deps;
    try {
      const bytes = await readConfigFile(file);
      const revision = revisionOf(bytes);
      if (revision === this.#revision && this.#problem === null) return;
      const text = textWithMark(bytes, file);
      await this.#take({ revision, text, read: this.#parse(text) });
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      // A refusal during shutdown says nothing about the file.
      if (isQuiet || error.code === 'NOT_RUNNING') throw error;
      this.#problem = error;
      // One incident per file, whatever the problem.
      lasting.incidents.open({
        key: INCIDENT,
        code: error.code,
        message: `${file} ${isOfLedger(error) ? 'cannot take effect yet' : 'has an error'}, so the previous configuration stays in effect: ${inOneLine(error.message)}`,
        hint: `${error.hint ?? 'Correct it.'} It is reloaded automatically.`,
      });
      throw error;
    }
  }

  async #take({ revision, read }: Look): Promise<void> {
    const { file, lasting, replace } = this.#deps;
    const { log, incidents, ledger } = lasting;
    const changed = changedKeys(this.#live.parsed, read.parsed);
    if (!isDeepStrictEqual(ofAgent(this.#live.parsed), ofAgent(read.parsed))) {
      refuseExampleUid(read.config);
      const trouble = ledger.storage.trouble();
      // The next generation has to write to the ledger.
      if (trouble) throw new ReceiptdError(trouble.code, trouble.message, { hint: trouble.hint });
      await replace(read.config).catch((error: unknown) => {
        throw asReceiptdError(error, 'CONTROL_FAILED', 'The new configuration could not be applied.');
      });
    }
    const isNews = !isDeepStrictEqual(this.#live.restartNeeded, read.restartNeeded);
    this.#live = read;
    this.#revision = revision;
    this.#problem = null;
    incidents.close(INCIDENT);
    if (changed.length > 0)
      log.info('The configuration was changed and applied', { file, changed: changed.join(', ') });
    else log.debug('The configuration file was reloaded; nothing has changed', { file });
    if (isNews && read.restartNeeded.length > 0) {
      const restartNeeded = read.restartNeeded.join(', ');
      log.warn('Some changes to the configuration need a restart', { file, restartNeeded });
    }
    for (const listener of this.#listeners) listener(read.config);
  }

  /** Empty if the ledger is unavailable: nothing is archived or deleted then. */
  async #originals({ folders }: Config): Promise<FormerOriginals[]> {
    const { ledger } = this.#deps.lasting;
    try {
      const all = await Promise.all(folders.map((folder) => formerOriginals(ledger, folder)));
      return all.filter((each) => each !== null);
    } catch (error) {
      if (isOfLedger(error)) return [];
      throw error;
    }
  }

  #state(): Promise<ConfigState> {
    return configState({
      file: this.#deps.file,
      revision: this.#revision,
      problem: this.#problem,
      restartNeeded: this.#live.restartNeeded,
      parse: (text) => this.#parse(text),
      undoOf: (revision) => this.#undo(revision),
    });
  }

  #undo(revision: string): ConfigState['undo'] {
    if (this.#last === null || this.#last.revision !== revision) return null;
    const { at, by, keys } = this.#last;
    return { at: at.toISOString(), by, keys: [...keys] };
  }

  #parse(text: string): LiveConfig {
    const { file, context } = this.#deps;
    return readLiveConfig(text.replace(/^\uFEFF/, ''), file, context, this.#start);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

function dataOf(text: string, file: string): unknown {
  return readYaml(text.replace(/^\uFEFF/, ''), file).data;
}

/** Leaves out the sections of side services, which change without restarting the agent. */
function ofAgent(parsed: LiveConfig['parsed']): object {
  return { ...parsed, console: null, monitoring: null, alerts: null, results: null };
}

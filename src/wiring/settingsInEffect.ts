import { conditionOf } from '../core/domain/problem.ts';
import { isDeepStrictEqual } from 'node:util';
import { revisionOf, whyUnwritable } from '../config/configFile.ts';
import type { Config, LoadContext } from '../config/config.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import { hidePasswords } from '../config/hidePasswords.ts';
import { formFields } from '../config/forms.ts';
import { changedKeys, isForAgent, readLiveConfig, type LiveConfig } from '../config/live.ts';
import { readConfigFile, textOf } from '../config/load.ts';
import { mayHoldSecret } from '../config/secrets.ts';
import type { ConfigState } from '../control/protocol/protocol.ts';
import { asReceiptdError, isOfLedger, ReceiptdError } from '../core/domain/errors.ts';
import type { Note } from '../core/domain/note.ts';
import type { ProcessScope } from './processScope.ts';

export interface InEffectDeps {
  readonly file: string;
  readonly context: LoadContext;
  readonly lasting: Pick<ProcessScope, 'ledger' | 'incidents' | 'log' | 'clock'>;
  /** Applies a configuration. Rejects if that fails; the former one then stays in effect. */
  readonly replace: (config: Config) => Promise<void>;
}

/** The file as it was read; `text` has the byte order mark, if there is one. */
export interface FileText {
  readonly revision: string;
  readonly text: string;
}

const INCIDENT = 'config';

/**
 * The configuration in effect, and the file that it was read from:
 *
 *   in effect ──the file changes──▶ in effect (the new text), or
 *       ▲                      └──▶ in effect (the former text), with one incident ──the file is right again──┐
 *       └─────────────────────────────────────────────────────────────────────────────────────────────────────┘
 */
export class SettingsInEffect {
  readonly #deps: InEffectDeps;
  readonly #start: LiveConfig;
  readonly #listeners = new Set<(config: Config) => void>();
  #live: LiveConfig;
  #revision: string;
  #problem: ReceiptdError | null = null;

  private constructor(deps: InEffectDeps, revision: string, read: LiveConfig) {
    this.#deps = deps;
    this.#start = read;
    this.#live = read;
    this.#revision = revision;
  }

  /** Reads the file for the first time. @throws ReceiptdError what is wrong with it */
  static async read(deps: InEffectDeps): Promise<SettingsInEffect> {
    const { file, context } = deps;
    const bytes = await readConfigFile(file);
    const read = readLiveConfig(textOf(bytes, file), file, context, null);
    return new SettingsInEffect(deps, revisionOf(bytes), read);
  }

  get config(): Config {
    return this.#live.config;
  }

  get context(): LoadContext {
    return this.#deps.context;
  }

  /** The parsed file behind it. */
  get data(): unknown {
    return this.#live.data;
  }

  /** Keys whose values in the file wait for a restart. */
  get restartNeeded(): readonly string[] {
    return this.#live.restartNeeded;
  }

  /** For `status`. */
  notes(): Note[] {
    const { restartNeeded: keys } = this;
    return keys.length === 0 ? [] : [{ kind: 'restart', file: this.#deps.file, keys }];
  }

  /** Calls `listener` after every change that took effect. */
  onTaken(listener: (config: Config) => void): void {
    this.#listeners.add(listener);
  }

  /** What a text would mean for this process. @throws ReceiptdError what is wrong with it */
  parse(text: string): LiveConfig {
    const { file, context } = this.#deps;
    return readLiveConfig(withoutMark(text), file, context, this.#start);
  }

  /** The file as it is now. @throws ReceiptdError if it can't be read or is not UTF-8 */
  async look(): Promise<FileText> {
    const bytes = await readConfigFile(this.#deps.file);
    return { revision: revisionOf(bytes), text: this.#textOf(bytes) };
  }

  /** Keeps the byte order mark, which has to be written back. */
  #textOf(bytes: Buffer): string {
    const text = textOf(bytes, this.#deps.file);
    return bytes.subarray(0, 3).equals(MARK) ? `\uFEFF${text}` : text;
  }

  /** Applies the file if it has changed. `isQuiet`: opens no incident. @throws ReceiptdError if it is invalid; nothing changes then */
  async readAgain({ isQuiet = false } = {}): Promise<void> {
    const { file, lasting } = this.#deps;
    try {
      const bytes = await readConfigFile(file);
      const revision = revisionOf(bytes);
      if (revision === this.#revision && this.#problem === null) return;
      await this.take(revision, this.parse(this.#textOf(bytes)));
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      // A refusal during shutdown says nothing about the file.
      if (isQuiet || error.code === 'NOT_RUNNING') throw error;
      this.#problem = error;
      // One incident per file, whatever the problem.
      const { code } = error;
      const said = isOfLedger(error)
        ? { ...new ReceiptdError('CONTROL_FAILED.configWaits', { file, ...error.within() }).facts(), code }
        : error.facts();
      lasting.incidents.open({ key: INCIDENT, ...conditionOf(said) });
      throw error;
    }
  }

  /** Applies what the file holds at this revision. @throws ReceiptdError with the reason, and the former stays in effect */
  async take(revision: string, read: LiveConfig): Promise<void> {
    const { file, lasting, replace } = this.#deps;
    const { log, incidents, ledger } = lasting;
    const changed = changedKeys(this.#live.parsed, read.parsed);
    if (isForAgent(this.#live.parsed, read.parsed)) {
      refuseExampleUid(read.config);
      const trouble = ledger.storage.trouble();
      // The next generation has to write to the ledger.
      if (trouble) throw new ReceiptdError(trouble);
      await replace(read.config).catch((error: unknown) => {
        throw asReceiptdError(error, 'CONTROL_FAILED.configNotApplied');
      });
    }
    const isNews = !isDeepStrictEqual(this.restartNeeded, read.restartNeeded);
    this.#live = read;
    this.#revision = revision;
    this.#problem = null;
    incidents.close(INCIDENT);
    if (changed.length > 0) log.info('configApplied', { file, changed: changed.join(', ') });
    else log.debug('configUnchanged', { file });
    if (isNews && read.restartNeeded.length > 0) {
      const restartNeeded = read.restartNeeded.join(', ');
      log.warn('restartNeeded', { file, restartNeeded });
    }
    for (const listener of this.#listeners) listener(read.config);
  }

  /** The file as people see it: without passwords, and with the problem that keeps it from taking effect. */
  async state(): Promise<Omit<ConfigState, 'undo'>> {
    const { file } = this.#deps;
    const unwritable = await whyUnwritable(file);
    const about = {
      file,
      writable: unwritable === null,
      grantCommand: unwritable?.command ?? null,
      settings: formFields().map((each) => ({ ...each, options: [...each.options] })),
    };
    const unparsed = { ...about, values: {}, folderPaths: [], restartNeeded: [...this.restartNeeded] };
    let bytes: Buffer;
    try {
      bytes = await readConfigFile(file);
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      return { ...unparsed, revision: '', text: '', ...whyNot(error) };
    }
    const revision = revisionOf(bytes);
    try {
      const text = this.#textOf(bytes);
      const { data, config, restartNeeded } = this.parse(text);
      return {
        ...about,
        revision,
        text: hidePasswords(text),
        values: hidePasswords(data) as ConfigState['values'],
        folderPaths: config.folders.map(({ path }) => path),
        ...whyNot(revision === this.#revision ? null : (this.#problem ?? beingRead())),
        restartNeeded: [...restartNeeded],
      };
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      const text = bytes.toString();
      // A file that can't be parsed may contain secrets.
      const shown = mayHoldSecret(text) ? '' : hidePasswords(text);
      return { ...unparsed, revision, text: shown, ...whyNot(error) };
    }
  }
}

function beingRead(): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED.beingRead');
}

function whyNot(error: ReceiptdError | null): Pick<ConfigState, 'problem' | 'error'> {
  if (error === null) return { problem: null };
  // Its parameters are plain values.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { problem: error.sentence(), error: error.facts() };
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

import { isOfLedger } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { AdmissionSink, FileVerdict } from '../settle/admissionSink.ts';
import type { Candidate } from '../settle/admit.ts';
import type { OfflineMode } from './offlineMode.ts';

/** Defers images while the ledger is away and otherwise passes them to it; remembers which files were decided. */
export class OfflineSink implements AdmissionSink {
  readonly #ledger: AdmissionSink;
  readonly #offline: OfflineMode;
  readonly #settings: FolderSettings;

  constructor(ledger: AdmissionSink, offline: OfflineMode, settings: FolderSettings) {
    this.#ledger = ledger;
    this.#offline = offline;
    this.#settings = settings;
  }

  get isOpen(): boolean {
    return this.#offline.isOn || this.#ledger.isOpen;
  }

  onChange(listener: () => void): () => void {
    const ends = [this.#ledger.onChange(listener), this.#offline.onChange(listener)];
    return () => ends.forEach((end) => end());
  }

  hasRoom(bytes: number): boolean {
    return this.#offline.isOn ? this.#offline.hasRoom(bytes) : this.#ledger.hasRoom(bytes);
  }

  async admit(image: Candidate): Promise<boolean> {
    if (this.#offline.isOn) return this.#offline.defer(image, this.#settings);
    const isTaken = await this.#ledger.admit(image);
    if (isTaken) this.#decided(image);
    return isTaken;
  }

  async takeApart(file: Omit<Candidate, 'type'>): Promise<boolean> {
    if (this.#offline.isOn) return this.#offline.deferPages(file, this.#settings);
    const isTaken = await this.#ledger.takeApart(file);
    if (isTaken) this.#decided(file);
    return isTaken;
  }

  async note(verdict: FileVerdict): Promise<boolean> {
    const isNoted = this.#offline.isOn ? false : await this.#ledger.note(verdict);
    // Unreadable files are retried automatically.
    if (verdict.verdict !== 'unreadable') this.#decided(verdict);
    return isNoted;
  }

  async gone(path: string): Promise<void> {
    if (!this.#offline.isOn) await this.#ledger.gone(path);
  }

  async knows(path: string): Promise<boolean> {
    return !this.#offline.isOn && this.#ledger.knows(path);
  }

  isOwnTrouble(error: unknown): boolean {
    return this.#offline.isOn && isOfLedger(error);
  }

  #decided({ path, identity }: Pick<FileVerdict, 'path' | 'identity'>): void {
    this.#offline.decided.add(this.#settings.path, path, identity, false);
  }
}

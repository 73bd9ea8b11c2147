import type { FolderSettings } from '../../core/domain/settings.ts';
import { counted } from '../../core/domain/words.ts';
import type { Incidents } from '../../core/ports/incident.ts';

const NAMED = 3;

/** Reports the problems of one folder as incidents. */
export class FolderTrouble {
  readonly #folder: string;
  readonly #incidents: Incidents;

  constructor(folder: string, incidents: Incidents) {
    this.#folder = folder;
    this.#incidents = incidents;
  }

  /** Opens the incident; null closes it. */
  unreachable(message: string | null): void {
    const key = `FOLDER_UNREACHABLE ${this.#folder}`;
    if (message === null) return this.#incidents.close(key);
    this.#incidents.open({
      key,
      code: 'FOLDER_UNREACHABLE',
      message,
      hint: 'Bring its server or disk back and make sure it is mounted. Nothing in it counts as deleted, and watching continues automatically. If it was emptied or replaced on purpose, confirm that with `receiptd resume` and its path.',
    });
  }

  /** `files`: number of files skipped because the agent that had the folder before may have sent them. */
  takenOver(files: number): void {
    if (files === 0) return;
    this.#incidents.open({
      key: `FOLDER_TAKEN_OVER ${this.#folder}`,
      code: 'FOLDER_TAKEN_OVER',
      message: `${this.#folder} was taken over from another agent, and ${counted(files, 'file')} already in it ${files === 1 ? 'was' : 'were'} skipped, because the other agent may have sent ${files === 1 ? 'it' : 'them'}.`,
      hint: 'Compare `receiptd list --state skipped` with what the other agent has sent. To send these files all the same, change `existing` for the folder, for example to `since` and a date. This message stays until the configuration changes or the agent restarts.',
    });
  }

  /** These files were in the archive before this agent archived them. */
  takenElsewhere(paths: readonly string[], archivedTo: string): void {
    this.#incidents.open({
      key: `FOLDER_TAKEN_ELSEWHERE ${this.#folder}`,
      code: 'FOLDER_TAKEN_ELSEWHERE',
      message: `Another agent seems to watch ${this.#folder}: it archived ${counted(paths.length, 'receipt')} that this agent also took in, the last one as ${archivedTo}. Both send every receipt.`,
      hint: 'Let only one agent watch the folder, or let both share a ledger and the folder. If a person moved these files into the archive, nothing is wrong. This message stays until the configuration changes or the agent restarts.',
    });
  }

  /** An original that can't be archived or deleted; null closes the incident. */
  originalsStay(
    stuck: {
      readonly path: string;
      readonly code: string;
      readonly afterUpload: FolderSettings['afterUpload'];
    } | null,
  ): void {
    const key = `FOLDER_UNWRITABLE ${this.#folder}`;
    if (stuck === null) return this.#incidents.close(key);
    const { path, code, afterUpload } = stuck;
    const [how, where] =
      afterUpload === 'archive' ? ['archived', 'it and to `archiveTo`'] : ['deleted', 'it'];
    this.#incidents.open({
      key,
      code: 'FOLDER_UNWRITABLE',
      message: `Originals in ${this.#folder} can't be ${how} (${code}), such as ${path}.`,
      hint: `Allow the user that runs receiptd to write to ${where}, and check the free space there. Uploads continue, and this is retried automatically.`,
    });
  }

  /** `files`: paths that can't be read, with the system's error code; if empty, the incident closes. */
  unreadable(files: ReadonlyMap<string, string>): void {
    const key = `FILE_UNREADABLE ${this.#folder}`;
    if (files.size === 0) return this.#incidents.close(key);
    const codes = [...new Set(files.values())].sort().join(', ');
    const first = [...files.keys()].slice(0, NAMED).join(', ');
    const names = files.size > NAMED ? `${first}, ...` : first;
    this.#incidents.open({
      key,
      code: 'FILE_UNREADABLE',
      message: `${files.size} ${files.size === 1 ? 'file' : 'files'} in ${this.#folder} can't be read (${codes}): ${names}.`,
      hint:
        files.size === 1
          ? "Allow the agent's user to read it, or close the program that has it locked. It is retried automatically."
          : "Allow the agent's user to read them, or close the program that has them locked. They are retried automatically.",
    });
  }
}

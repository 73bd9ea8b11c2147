import type { Incidents } from '../ports/incident.ts';

const NAMED = 3;

/** What a person should know of one folder, each as an incident that opens and closes by itself. */
export class FolderTrouble {
  readonly #folder: string;
  readonly #incidents: Incidents;

  constructor(folder: string, incidents: Incidents) {
    this.#folder = folder;
    this.#incidents = incidents;
  }

  /** Null: it is not, or no more. */
  unreachable(message: string | null): void {
    const key = `FOLDER_UNREACHABLE ${this.#folder}`;
    if (message === null) return this.#incidents.close(key);
    this.#incidents.open({
      key,
      code: 'FOLDER_UNREACHABLE',
      message,
      hint: 'Bring its server or disk back and see that it is mounted. Nothing in it counts as deleted, and it goes on by itself. If it was emptied or replaced on purpose, say so with `receiptd resume` and its path.',
    });
  }

  /** Paths that can't be read, with the system's code. */
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
      hint: "Let the agent's user read them, or close the program that has them locked. They are tried again by themselves.",
    });
  }
}

import type { FolderSettings } from '../../core/domain/settings.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import { within, type WhyFact } from '../../core/domain/why.ts';

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
  unreachable(why: WhyFact | null): void {
    const key = `FOLDER_UNREACHABLE ${this.#folder}`;
    if (why === null) return this.#incidents.close(key);
    const params = { folder: this.#folder, ...within(why) };
    this.#incidents.open({ key, code: 'FOLDER_UNREACHABLE', params });
  }

  /** `count`: number of files skipped because the agent that had the folder before may have sent them. */
  takenOver(count: number): void {
    if (count === 0) return;
    const [code, folder] = ['FOLDER_TAKEN_OVER' as const, this.#folder];
    this.#incidents.open({ key: `${code} ${folder}`, code, params: { folder, count } });
  }

  /** These files were in the archive before this agent archived them. */
  takenElsewhere(paths: readonly string[], archivedTo: string): void {
    const [code, folder] = ['FOLDER_TAKEN_ELSEWHERE' as const, this.#folder];
    const params = { folder, count: paths.length, archivedTo };
    this.#incidents.open({ key: `${code} ${folder}`, code, params });
  }

  /** Originals can't be archived or deleted; null closes the incident. */
  originalsStay(
    stuck: {
      /** Null if none has to go yet. */
      readonly path: string | null;
      readonly code: string;
      readonly afterUpload: FolderSettings['afterUpload'];
    } | null,
  ): void {
    const [code, folder] = ['FOLDER_UNWRITABLE' as const, this.#folder];
    const key = `${code} ${folder}`;
    if (stuck === null) return this.#incidents.close(key);
    const { path: file, code: system, afterUpload } = stuck;
    const params = { folder, file, system, isArchived: afterUpload === 'archive' };
    this.#incidents.open({ key, code, params });
  }

  /** `directories`: those in the folder that can't be listed, with the system's error code; if empty, the incident closes. */
  unlisted(directories: ReadonlyMap<string, string>): void {
    const [code, folder] = ['SUBFOLDERS_UNREADABLE' as const, this.#folder];
    const key = `${code} ${folder}`;
    if (directories.size === 0) return this.#incidents.close(key);
    const codes = [...new Set(directories.values())].sort();
    const params = {
      folder,
      count: directories.size,
      system: codes.join(', '),
      subfolders: [...directories.keys()].slice(0, NAMED),
      isAway: codes.every(isUnreachable),
    };
    this.#incidents.open({ key, code, params });
  }

  /** `subfolders`: those that hold images and are not watched; if empty, the incident closes. */
  unwatched(subfolders: readonly string[]): void {
    const [code, folder] = ['SUBFOLDERS_UNWATCHED' as const, this.#folder];
    const key = `${code} ${folder}`;
    if (subfolders.length === 0) return this.#incidents.close(key);
    const params = { folder, count: subfolders.length, subfolders: subfolders.slice(0, NAMED) };
    this.#incidents.open({ key, code, params });
  }

  /** `files`: paths that can't be read, with the system's error code; if empty, the incident closes. */
  unreadable(files: ReadonlyMap<string, string>): void {
    const [code, folder] = ['FILE_UNREADABLE' as const, this.#folder];
    const key = `${code} ${folder}`;
    if (files.size === 0) return this.#incidents.close(key);
    const system = [...new Set(files.values())].sort().join(', ');
    const params = { folder, count: files.size, system, files: [...files.keys()].slice(0, NAMED) };
    this.#incidents.open({ key, code, params });
  }
}

import type { FolderSettings } from '../../core/domain/settings.ts';
import { within, type WhyFact } from '../../core/domain/why.ts';
import { NAMED, originalsStay, subfoldersShut, type Condition } from '../../core/domain/problem.ts';
import type { Incidents } from '../../core/ports/incident.ts';

/** Reports the problems of one folder as incidents: one of each kind, open while it lasts. */
export class FolderTrouble {
  readonly #folder: string;
  readonly #incidents: Incidents;

  constructor(folder: string, incidents: Incidents) {
    this.#folder = folder;
    this.#incidents = incidents;
  }

  /** Null: it is reachable. */
  unreachable(why: WhyFact | null): void {
    if (why === null) this.#over('FOLDER_UNREACHABLE');
    else this.#open({ code: 'FOLDER_UNREACHABLE', params: { folder: this.#folder, ...within(why) } });
  }

  /** `count`: number of files skipped because the agent that had the folder before may have sent them. */
  takenOver(count: number): void {
    if (count > 0) this.#open({ code: 'FOLDER_TAKEN_OVER', params: { folder: this.#folder, count } });
  }

  /** These files were in the archive before this agent archived them. */
  takenElsewhere(paths: readonly string[], archivedTo: string): void {
    const params = { folder: this.#folder, count: paths.length, archivedTo };
    this.#open({ code: 'FOLDER_TAKEN_ELSEWHERE', params });
  }

  /** Originals can't be archived or deleted; null: they can. */
  originalsStay(
    stuck: {
      /** Null if none has to go yet. */
      readonly path: string | null;
      readonly code: string;
      readonly afterUpload: FolderSettings['afterUpload'];
    } | null,
  ): void {
    if (stuck === null) return this.#over('FOLDER_UNWRITABLE');
    const { path: file, code: system, afterUpload } = stuck;
    const isArchived = afterUpload === 'archive';
    this.#open(originalsStay({ folder: this.#folder, file, system, isArchived }));
  }

  /** All directories in the folder that can't be listed now, with the system's error code. */
  unlisted(directories: ReadonlyMap<string, string>): void {
    if (directories.size === 0) return this.#over('SUBFOLDERS_UNREADABLE');
    this.#open(subfoldersShut(this.#folder, directories));
  }

  /** All subfolders that hold images and are not watched. */
  unwatched(subfolders: readonly string[]): void {
    if (subfolders.length === 0) return this.#over('SUBFOLDERS_UNWATCHED');
    const params = {
      folder: this.#folder,
      count: subfolders.length,
      subfolders: subfolders.slice(0, NAMED),
    };
    this.#open({ code: 'SUBFOLDERS_UNWATCHED', params });
  }

  /** All files that can't be read now, with the system's error code. */
  unreadable(files: ReadonlyMap<string, string>): void {
    if (files.size === 0) return this.#over('FILE_UNREADABLE');
    const system = [...new Set(files.values())].sort().join(', ');
    const named = [...files.keys()].slice(0, NAMED);
    const params = { folder: this.#folder, count: files.size, system, files: named };
    this.#open({ code: 'FILE_UNREADABLE', params });
  }

  #open(condition: Condition): void {
    this.#incidents.open({ key: this.#keyOf(condition.code), ...condition });
  }

  #over(code: Condition['code']): void {
    this.#incidents.close(this.#keyOf(code));
  }

  #keyOf(code: Condition['code']): string {
    return `${code} ${this.#folder}`;
  }
}

import type { FolderSettings } from '../../core/domain/settings.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
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
    const isArchive = afterUpload === 'archive';
    this.#incidents.open({
      key,
      code: 'FOLDER_UNWRITABLE',
      message: `Originals in ${this.#folder} can't be ${isArchive ? 'archived' : 'deleted'} (${code}), such as ${path}.`,
      hint: `${remedyOf(code, isArchive)} Uploads continue, and this is retried automatically.`,
    });
  }

  /** `directories`: those in the folder that can't be listed, with the system's error code; if empty, the incident closes. */
  unlisted(directories: ReadonlyMap<string, string>): void {
    const key = `FOLDER_UNREADABLE ${this.#folder}`;
    if (directories.size === 0) return this.#incidents.close(key);
    const [is, them] = directories.size === 1 ? ['Subfolder', 'it'] : ['Subfolders', 'them'];
    const codes = [...new Set(directories.values())].sort();
    this.#incidents.open({
      key,
      code: 'FOLDER_UNREADABLE',
      message: `${is} of ${this.#folder} can't be read (${codes.join(', ')}): ${someOf(directories.keys())}. Scans in ${them} are not sent.`,
      hint: codes.every(isUnreachable)
        ? `Check the disk or the share. Scans in ${them} are sent automatically after that.`
        : `Allow the user that runs receiptd to read and open ${them}, or exclude ${them} with \`ignore\`. Scans in ${them} are sent automatically after that.`,
    });
  }

  /** `subfolders`: those that hold images and are not watched; if empty, the incident closes. */
  unwatched(subfolders: readonly string[]): void {
    const key = `SUBFOLDERS_UNWATCHED ${this.#folder}`;
    if (subfolders.length === 0) return this.#incidents.close(key);
    const [are, them] = subfolders.length === 1 ? ['is', 'it'] : ['are', 'them'];
    this.#incidents.open({
      key,
      code: 'SUBFOLDERS_UNWATCHED',
      message: `${counted(subfolders.length, 'subfolder')} of ${this.#folder} ${subfolders.length === 1 ? 'holds' : 'hold'} images and ${are} not watched: ${someOf(subfolders)}.`,
      hint: `To send their images, set \`recursive: true\` for the folder. If ${them === 'it' ? 'it holds' : 'they hold'} no new scans, add ${them} to \`ignore\`.`,
    });
  }

  /** `files`: paths that can't be read, with the system's error code; if empty, the incident closes. */
  unreadable(files: ReadonlyMap<string, string>): void {
    const key = `FILE_UNREADABLE ${this.#folder}`;
    if (files.size === 0) return this.#incidents.close(key);
    const codes = [...new Set(files.values())].sort().join(', ');
    this.#incidents.open({
      key,
      code: 'FILE_UNREADABLE',
      message: `${files.size} ${files.size === 1 ? 'file' : 'files'} in ${this.#folder} can't be read (${codes}): ${someOf(files.keys())}.`,
      hint:
        files.size === 1
          ? "Allow the agent's user to read it, or close the program that has it locked. It is retried automatically."
          : "Allow the agent's user to read them, or close the program that has them locked. They are retried automatically.",
    });
  }
}

function someOf(paths: Iterable<string>): string {
  const [...all] = paths;
  return [...all.slice(0, NAMED), ...(all.length > NAMED ? ['...'] : [])].join(', ');
}

/** What a person can do about an original that can't be archived or deleted. */
function remedyOf(code: string, isArchive: boolean): string {
  const place = isArchive ? 'the archive (`archiveTo`)' : 'the folder';
  switch (code) {
    case 'ENOTDIR':
    case 'ELOOP':
      return 'A file or a link is in the place of the archive: remove it, or set `archiveTo` to another folder. Links inside a watched folder are not followed.';
    case 'ENOSPC':
      return `Free some space on the disk of ${place}.`;
    case 'EDQUOT':
      return `The user that runs receiptd has used up its quota on the disk of ${place}: free some space there, or raise the quota.`;
    case 'EROFS':
      return `The disk of ${place} is mounted read-only, or the service's settings forbid writing there: allow it.`;
    default:
      return `Allow the user that runs receiptd to write to the folder${isArchive ? ' and to the archive (`archiveTo`)' : ''}.`;
  }
}

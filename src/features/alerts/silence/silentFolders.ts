import {
  dayOf,
  silenceOf,
  workingHours,
  worksOn,
  type ScanTimes,
  type Silence,
  type SilentAfter,
  type WorkingHours,
} from './silence.ts';

export interface FolderScans {
  readonly path: string;
  readonly times: ScanTimes;
  readonly silentAfter: SilentAfter;
  /** See `Watched`. */
  readonly since: number;
}

export interface SilentNow {
  /** Set if no folder got a scan today: then no new folders are reported individually. */
  readonly all: Silence | null;
  readonly alone: readonly (Silence & { readonly path: string })[];
}

/**
 * Which folders are silent, each until its next scan. On a holiday, the first folder to fall silent represents all, so that there
 * is one alert instead of thirty.
 */
export class SilentFolders {
  readonly #alone = new Map<string, Silence>();
  #all: Silence | null = null;
  readonly #hours = new Map<string, WorkingHours | null>();
  #day = NaN;

  judge(folders: readonly FolderScans[], now: number): SilentNow {
    const today = dayOf(now);
    if (today !== this.#day) this.#hours.clear();
    this.#day = today;
    const known = new Map(folders.map((folder) => [folder.path, folder]));
    for (const [path, { last }] of this.#alone) {
      const folder = known.get(path);
      if (folder?.times.last !== last || folder.silentAfter === 'never') this.#alone.delete(path);
    }
    const hadScans = (day: number): boolean => folders.some(({ times }) => times.on(day).length > 0);
    const due = folders.filter(
      (folder) => folder.silentAfter !== 'never' && worksOn(this.#hoursOf(folder, today), today),
    );
    const last = Math.max(...folders.map(({ times }) => times.last ?? 0));
    if (due.length === 0 || (this.#all !== null && last > this.#all.last)) this.#all = null;
    const isClosed = (day: number): boolean => folders.length > 1 && !hadScans(day);
    for (const folder of this.#all === null ? folders : []) {
      if (this.#alone.has(folder.path)) continue;
      const silence = silenceOf({ ...folder, hours: this.#hoursOf(folder, today), now, isClosed });
      if (silence === null) continue;
      if (due.length > 1 && !hadScans(today)) {
        this.#all = { ...silence, last };
        break;
      }
      this.#alone.set(folder.path, silence);
    }
    return { all: this.#all, alone: [...this.#alone].map(([path, silence]) => ({ path, ...silence })) };
  }

  #hoursOf({ path, times }: FolderScans, today: number): WorkingHours | null {
    const known = this.#hours.get(path);
    if (known !== undefined) return known;
    const hours = workingHours(times, today);
    this.#hours.set(path, hours);
    return hours;
  }
}

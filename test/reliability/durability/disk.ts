import { dirname } from 'node:path';
import type { FileCall } from './trace.ts';

interface File {
  /** Whether it was written since its last sync. */
  isDirty: boolean;
}

/**
 * What a power failure would leave below `root`, which starts empty: contents count once their file was synced, names once their directory
 * was (POSIX fsync(2), "Calling fsync() does not necessarily ensure that the entry in the directory has also reached disk").
 */
export class Disk {
  readonly #root: string;
  readonly #files = new Map<string, File>();
  /** Names added or removed since their directory was synced. */
  readonly #unsyncedNames = new Map<string, Set<string>>();

  constructor(root: string) {
    this.#root = root;
  }

  apply(call: FileCall): void {
    if (call.kind === 'mark') return;
    const { path } = call;
    if (!this.#isInside(path)) return;
    switch (call.kind) {
      case 'create':
        if (!this.#files.has(path)) {
          this.#files.set(path, { isDirty: false });
          this.#named(path);
        }
        return;
      case 'mkdir':
        this.#named(path);
        return;
      case 'write':
        this.#file(path).isDirty = true;
        return;
      case 'sync':
        if (this.#files.has(path)) this.#file(path).isDirty = false;
        else this.#unsyncedNames.delete(path);
        return;
      case 'rename':
        this.#files.set(call.to, this.#file(path));
        this.#files.delete(path);
        this.#named(path);
        this.#named(call.to);
        return;
      case 'link':
        this.#files.set(call.to, this.#file(path));
        this.#named(call.to);
        return;
      case 'unlink':
        this.#files.delete(path);
        this.#named(path);
    }
  }

  /** Why the file would be missing or incomplete after a power failure at this moment; null if it would survive. */
  doubt(path: string): string | null {
    const file = this.#files.get(path);
    if (!file) return `${path} is not there`;
    if (file.isDirty) return `${path} was written to and not synced`;
    for (let at = path; at !== this.#root; at = dirname(at))
      if (this.#unsyncedNames.get(dirname(at))?.has(at)) return `the name ${at} was not synced`;
    return null;
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.#root}/`) || path === this.#root;
  }

  #file(path: string): File {
    const file = this.#files.get(path) ?? { isDirty: false };
    this.#files.set(path, file);
    return file;
  }

  #named(path: string): void {
    const dir = dirname(path);
    const names = this.#unsyncedNames.get(dir) ?? new Set();
    names.add(path);
    this.#unsyncedNames.set(dir, names);
  }
}

export interface Complaint {
  /** What the process had reported, or was about to do. */
  readonly when: string;
  readonly doubt: string;
}

/**
 * Replays a trace. `mark durable PATH`: from here on, the file has to survive a power failure. `keepsFor` names the file that has to be
 * durable before the given one is unlinked, if any.
 */
export function complaintsAbout(
  calls: readonly FileCall[],
  root: string,
  keepsFor: (unlinked: string) => string | null = () => null,
): { readonly complaints: Complaint[]; readonly marks: number } {
  const disk = new Disk(root);
  const complaints: Complaint[] = [];
  let marks = 0;
  for (const call of calls) {
    const kept = call.kind === 'unlink' ? keepsFor(call.path) : null;
    const doubt = kept === null ? null : disk.doubt(kept);
    if (doubt !== null && call.kind === 'unlink') complaints.push({ when: `unlink ${call.path}`, doubt });
    disk.apply(call);
    if (call.kind !== 'mark') continue;
    marks += 1;
    const [what, path = '', ...why] = call.words;
    if (what !== 'durable') throw new Error(`There is no mark ${what}.`);
    const lost = disk.doubt(path);
    if (lost !== null) complaints.push({ when: why.join(' '), doubt: lost });
  }
  return { complaints, marks };
}

import { sameIdentity, type FileIdentity } from '../../../src/core/domain/document.ts';
import type { FileSystem } from '../../../src/core/ports/folder.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { Timeline } from './timeline.ts';

/** A file, independent of its name. */
export interface Inode {
  bytes: Buffer;
  readonly number: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  /** Whether somebody has locked it, so that nobody else can read it. */
  isLocked: boolean;
  /** Timeline time of the last change. */
  since: number;
}

export type Tree = Map<string, Inode>;

/** `missing`: its directory is gone. `unreachable`: its server does not answer. `unmounted`: an empty directory is in its place. */
export type ShareState = 'present' | 'missing' | 'unreachable' | 'unmounted';

export interface ShareKind {
  readonly fileSystem: Omit<FileSystem, 'mark'>;
  /** Resolution of its clock in milliseconds. */
  readonly tickMs: number;
  /** How far its clock is ahead, in milliseconds. */
  readonly clockAheadMs: number;
}

let inodes = 0;

/** A folder and its archive on a model file system: paths with files, and times with the resolution of its clock. */
export class Share {
  readonly path: string;
  readonly archivePath: string;
  readonly kind: ShareKind;
  readonly archive: Tree = new Map();
  readonly #files: Tree = new Map();
  readonly #inItsPlace: Tree = new Map();
  /** When an entry was last created, renamed or deleted in each directory. Parent directories count as changed too. */
  readonly #entriesChanged = new Map<string, number>();
  readonly #timeline: Timeline;
  /** Contents that only reading can tell from what they overwrote; by hash. */
  readonly #alike = new Set<string>();
  state: ShareState = 'present';
  /** Counts mounts and re-creations; each one is a different directory. */
  generation = 1;
  /** Whether there is no space left for archived files. */
  isFull = false;
  /** Receive the absolute path of every change. */
  readonly watchers = new Set<(path: string) => void>();
  /** Told of every path that changed on it. */
  onChange: (path: string) => void = () => {};

  constructor(path: string, kind: ShareKind, timeline: Timeline) {
    this.path = path;
    this.archivePath = `${path}-archive`;
    this.kind = kind;
    this.#timeline = timeline;
  }

  /** What programs see at its path. */
  get files(): Tree {
    return this.state === 'present' ? this.#files : this.#inItsPlace;
  }

  /** What is on it, whether visible or not. */
  get content(): Tree {
    return this.#files;
  }

  get fileSystem(): FileSystem {
    return this.state === 'unmounted'
      ? { name: 'ext4', network: false, mark: 'the disk below' }
      : { ...this.kind.fileSystem, mark: `mark of ${this.path}` };
  }

  identityOf(file: Inode): FileIdentity {
    const { bytes, mtimeNs, ctimeNs, number } = file;
    const inode = this.fileSystem.network ? 0n : BigInt(number);
    return { size: bytes.length, mtimeNs, ctimeNs, inode };
  }

  /** When the directory was last changed, in milliseconds of this file system's clock; null if that is unreliable. */
  changedAt(dir: string): number | null {
    return this.fileSystem.name === 'ext4' ? (this.#entriesChanged.get(dir) ?? 0) : null;
  }

  write(path: string, bytes: Buffer): Inode {
    const there = this.files.get(path);
    if (there) {
      const [before, { since }] = [this.identityOf(there), { ...there }];
      there.bytes = bytes;
      this.#stamp(there, true);
      const isLater = this.#timeline.now - since > this.kind.tickMs;
      if (isLater && sameIdentity(before, this.identityOf(there))) this.#alike.add(hashOf(bytes));
      this.changed(path);
      return there;
    }
    const file = { bytes, number: (inodes += 1), mtimeNs: 0n, ctimeNs: 0n, isLocked: false, since: 0 };
    this.#stamp(file, true);
    this.files.set(path, file);
    this.#entered(path);
    this.changed(path);
    return file;
  }

  rename(from: string, to: string): void {
    const file = this.files.get(from);
    if (!file) throw systemError('ENOENT', from);
    this.files.delete(from);
    this.files.set(to, file);
    this.#stamp(file, false);
    this.#entered(from);
    this.#entered(to);
    this.changed(from);
    this.changed(to);
  }

  /** Copies a file from another share, or into the archive, and keeps its time like `mv`. */
  place(tree: Tree, path: string, { bytes, mtimeNs }: Inode): void {
    const file = { bytes, number: (inodes += 1), mtimeNs, ctimeNs: 0n, isLocked: false, since: 0 };
    this.#stamp(file, false);
    tree.set(path, file);
    if (tree === this.files) this.#entered(path);
    if (tree === this.files) this.changed(path);
  }

  remove(path: string): void {
    this.files.delete(path);
    this.#entered(path);
    this.changed(path);
  }

  touch(path: string): void {
    const file = this.files.get(path);
    if (file) this.#stamp(file, true);
    this.changed(path);
  }

  /**
   * Whether these bytes overwrote others of the same size at a time that the clock, set back meanwhile, had shown before. Only reading the
   * file can reveal that.
   */
  isAlike(sha256: string): boolean {
    return this.#alike.has(sha256);
  }

  static resetInodes(): void {
    inodes = 0;
  }

  changed(path: string): void {
    if (this.state === 'present') this.onChange(path);
    for (const watcher of this.watchers) watcher(`${this.path}/${path}`);
  }

  #entered(path: string): void {
    for (let dir = path; dir !== '';) {
      dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/')));
      this.#entriesChanged.set(dir, this.#tick());
    }
  }

  #tick(): number {
    const { tickMs, clockAheadMs } = this.kind;
    return Math.floor((this.#timeline.wall + clockAheadMs) / tickMs) * tickMs;
  }

  #stamp(file: Inode, isContent: boolean): void {
    const ms = this.#tick();
    file.since = this.#timeline.now;
    file.ctimeNs = BigInt(ms) * 1_000_000n;
    if (isContent) file.mtimeNs = file.ctimeNs;
  }
}

export function systemError(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code, errno: -1 });
}

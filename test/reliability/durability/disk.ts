import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileCall } from './trace.ts';

interface File {
  readonly kind: 'file';
  now: Buffer;
  /** As of its last sync. */
  synced: Buffer;
}
interface Directory {
  readonly kind: 'directory';
  now: Map<string, Node>;
  synced: Map<string, Node>;
}
type Node = File | Directory;

/**
 * What a power failure leaves.
 *
 * - `synced`: names and contents that were synced, and no others (POSIX fsync(2): "does not necessarily ensure that the entry in the
 *   directory has also reached disk")
 * - `names`: all names, but only synced contents, as file systems that delay writing contents do
 * - `all`: everything; the process was killed
 */
export type Left = 'synced' | 'names' | 'all';

/** A disk that knows what of it would survive a power failure. Made from the file calls of the program. */
export class Disk {
  readonly #root: string;
  readonly #top: Directory = directory();
  /** Still open under a name that was removed. */
  readonly #unlinked = new Map<string, Node>();
  readonly #begun = new Map<string, Buffer | Map<string, Node>>();

  constructor(root: string) {
    this.#root = root;
  }

  apply(call: FileCall): void {
    if (call.kind === 'sent' || !this.#isInside(call.path)) return;
    const { path } = call;
    const open = (): Node | null => this.#find(path, 'all') ?? this.#unlinked.get(path) ?? null;
    const file = (): File => {
      const found = open();
      if (found?.kind === 'file') return found;
      const made: File = { kind: 'file', now: Buffer.alloc(0), synced: Buffer.alloc(0) };
      this.#parent(path).now.set(basename(path), made);
      return made;
    };
    switch (call.kind) {
      case 'put': {
        const parent = this.#parent(path);
        const put: File = { kind: 'file', now: call.bytes, synced: call.bytes };
        for (const names of [parent.now, parent.synced]) names.set(basename(path), put);
        return;
      }
      case 'create':
        if (this.#find(path, 'all') !== null) return;
        this.#unlinked.delete(path);
        file();
        return;
      case 'mkdir':
        this.#parent(path).now.set(basename(path), directory());
        return;
      case 'truncate': {
        const at = file();
        at.now = Buffer.concat([
          at.now.subarray(0, call.size),
          Buffer.alloc(Math.max(0, call.size - at.now.length)),
        ]);
        return;
      }
      case 'write': {
        const at = file();
        const from = call.at === 'end' ? at.now.length : call.at;
        const next = Buffer.alloc(Math.max(at.now.length, from + call.bytes.length));
        at.now.copy(next);
        call.bytes.copy(next, from);
        at.now = next;
        return;
      }
      case 'copy': {
        const source = this.#find(call.from, 'all');
        if (source?.kind === 'file') file().now = source.now;
        return;
      }
      case 'began': {
        const node = open();
        if (node)
          this.#begun.set(`${call.thread} ${path}`, node.kind === 'file' ? node.now : new Map(node.now));
        return;
      }
      case 'synced': {
        const node = open();
        const covered = this.#begun.get(`${call.thread} ${path}`);
        if (node?.kind === 'file' && Buffer.isBuffer(covered)) node.synced = covered;
        if (node?.kind === 'directory' && covered instanceof Map) node.synced = covered;
        return;
      }
      case 'rename':
      case 'link': {
        const node = this.#find(path, 'all');
        if (node === null) return;
        if (call.kind === 'rename') this.#parent(path).now.delete(basename(path));
        this.#parent(call.to).now.set(basename(call.to), node);
        return;
      }
      case 'unlink':
        this.#unlinked.set(path, this.#find(path, 'all') ?? directory());
        this.#parent(path).now.delete(basename(path));
    }
  }

  /** The file as a power failure would leave it; null if it would be gone. */
  left(path: string, left: Left): Buffer | null {
    const node = this.#find(path, left);
    return node?.kind !== 'file' ? null : left === 'all' ? node.now : node.synced;
  }

  /** All files below a directory as a power failure would leave them. */
  files(left: Left, below = this.#root): Map<string, Buffer> {
    const found = new Map<string, Buffer>();
    const walk = (node: Node | null, path: string): void => {
      if (node?.kind === 'file') found.set(path, left === 'all' ? node.now : node.synced);
      else if (node)
        for (const [name, each] of left === 'synced' ? node.synced : node.now) walk(each, join(path, name));
    };
    walk(this.#find(below, left), below);
    return found;
  }

  /** Names and contents that a power failure would lose or bring back, except those that `matters` leaves out. */
  doubts(matters: (path: string) => boolean): string[] {
    const now = this.files('all');
    const synced = this.files('synced');
    const doubts: string[] = [];
    for (const [path, bytes] of now) {
      if (!matters(path)) continue;
      const kept = synced.get(path);
      if (kept === undefined) doubts.push(`${path}: its name was not synced`);
      else if (!kept.equals(bytes)) doubts.push(`${path}: its contents were not synced`);
    }
    for (const path of synced.keys())
      if (!now.has(path) && matters(path)) doubts.push(`${path}: its removal was not synced`);
    return doubts;
  }

  /** Whether the contents are on the disk, under whatever name. */
  isSynced(path: string): boolean {
    const node = this.#find(path, 'all');
    return node?.kind !== 'file' || node.now.equals(node.synced);
  }

  /** Writes what is left to a real, empty directory. `lost`: of this file, only what was synced. */
  restore(left: Left, lost: string | null = null): void {
    const write = (node: Node, path: string): void => {
      const isWhole = left === 'all' && path !== lost;
      if (node.kind === 'file') return writeFileSync(path, isWhole ? node.now : node.synced, { mode: 0o600 });
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, each] of left === 'synced' ? node.synced : node.now) write(each, join(path, name));
    };
    const root = this.#find(this.#root, left);
    if (root) write(root, this.#root);
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.#root}/`) || path === this.#root;
  }

  #find(path: string, left: Left): Node | null {
    if (path === this.#root) return this.#top;
    let at: Node | undefined = this.#top;
    for (const name of path.slice(this.#root.length + 1).split('/'))
      at = at?.kind === 'directory' ? (left === 'synced' ? at.synced : at.now).get(name) : undefined;
    return at ?? null;
  }

  #parent(path: string): Directory {
    return this.#makeDirectories(dirname(path));
  }

  /** Directories that the trace did not see being made were there before. */
  #makeDirectories(path: string): Directory {
    const found = this.#find(path, 'all');
    if (found?.kind === 'directory') return found;
    const made = directory();
    const parent = this.#makeDirectories(dirname(path));
    for (const names of [parent.now, parent.synced]) names.set(basename(path), made);
    return made;
  }
}

function directory(): Directory {
  return { kind: 'directory', now: new Map(), synced: new Map() };
}

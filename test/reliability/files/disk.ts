import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import { coveredFiles, hashOf, History } from './coverage.ts';
import { OUTSIDE } from './drawing.ts';
import { ARCHIVES, isMovedAside, type FolderRule } from './settings.ts';
import { Tree, type Step, type TreeNode } from './tree.ts';

/** A file that left its place by itself: the agent archives or deletes what it has sent. */
export interface Taken {
  readonly path: string;
  readonly rule: FolderRule;
  readonly node: TreeNode;
  readonly hash: string;
}

/** A Linux constant missing in Node. */
const O_TMPFILE = 0o20200000;
/** Errors that occur if the agent takes a file at the same moment. */
const RACE = new Set(['ENOENT', 'EEXIST', 'ENOTEMPTY']);

/**
 * Performs the steps on the real file system and in the model, and keeps the model in line with what the agent does: a file that it takes
 * leaves the model, and one that it puts back returns.
 */
export class Disk {
  readonly tree = new Tree();
  readonly history = new History();
  /** Nodes by inode, of all files that ever existed. */
  readonly #inodes = new Map<bigint, TreeNode>();
  readonly #descriptors = new Map<number, number>();
  readonly #servers: Server[] = [];
  readonly #root: string;
  readonly #rules: readonly FolderRule[];
  readonly #disposing: readonly FolderRule[];
  readonly #isStored: (rule: FolderRule, hash: string) => boolean;
  taken: Taken[] = [];
  /** Files taken although the service had received nothing that was ever at their path. */
  readonly takenEarly: Taken[] = [];
  /** Number of steps without effect because the agent was faster. */
  overtaken = 0;

  constructor(
    root: string,
    rules: readonly FolderRule[],
    isStored: (rule: FolderRule, hash: string) => boolean,
  ) {
    this.#root = root;
    this.#isStored = isStored;
    this.#rules = rules;
    this.#disposing = rules.filter(({ afterUpload }) => afterUpload !== 'keep');
  }

  perform(step: Step): void {
    const before = performance.now();
    this.adopt();
    const effect = this.#writesIntoTaken(step) ? null : this.tree.prepare(step);
    if (effect === null) {
      if (this.#disposing.length === 0) throw new Error(`The model refuses what the plan allows: ${step.do}`);
      this.overtaken += 1;
      return;
    }
    let inode: bigint | undefined;
    try {
      inode = this.#onDisk(step);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (this.#disposing.length === 0 || code === undefined || !RACE.has(code)) throw error;
      this.overtaken += 1;
      return;
    }
    effect();
    const node = inode === undefined ? null : this.#nodeOf(step);
    if (inode !== undefined && node) this.#inodes.set(inode, node);
    this.history.note(this.tree, this.#rules, before, performance.now());
  }

  /** Updates the model with files that the agent has taken or put back. */
  adopt(): void {
    if (this.#disposing.length === 0) return;
    const before = performance.now();
    let changed = false;
    for (const { path, rule, node, badName } of Array.from(coveredFiles(this.tree, this.#disposing))) {
      if (badName || node.kind !== 'file' || this.#inodes.get(this.#inodeAt(path) ?? -1n) === node) continue;
      this.tree.set(path, null);
      const taken = { path, rule, node, hash: hashOf(node.bytes) };
      this.taken.push(taken);
      // Other bytes than those sent may be aside for a moment.
      if (!this.history.at(path).some((hash) => this.#isStored(rule, hash))) this.takenEarly.push(taken);
      changed = true;
    }
    for (const { folder } of this.#disposing)
      if (this.tree.find(folder) !== null && this.#putBackIn(folder)) changed = true;
    if (changed) this.history.note(this.tree, this.#rules, before, performance.now());
  }

  /** Reopens closed files: the step that was to do so may have run while the agent had the file aside. */
  reopen(): void {
    for (const [path, node] of this.tree.walk(''))
      if (node.closed) this.perform({ do: 'mode', path, closed: false });
  }

  /** Every real path in the round's place, except the agent's own. */
  *listing(directory = ''): Generator<[path: string, stats: fs.BigIntStats]> {
    for (const name of fs.readdirSync(this.at(directory), { encoding: 'buffer' })) {
      const text = name.toString('latin1');
      const path = directory === '' ? text : `${directory}/${text}`;
      if (ARCHIVES.includes(path)) continue;
      const stats = fs.lstatSync(this.at(path), { bigint: true });
      yield [path, stats];
      if (stats.isDirectory()) yield* this.listing(path);
    }
  }

  /** Files that were aside when somebody moved their directory away, out of the agent's reach. */
  movedAside(): ReadonlySet<TreeNode> {
    const found = new Set<TreeNode>();
    for (const [path, { ino }] of this.listing(OUTSIDE)) {
      const node = this.#inodes.get(ino);
      if (isMovedAside(path) && node) found.add(node);
    }
    return found;
  }

  at(path: string): Buffer {
    return Buffer.from(
      Buffer.from(this.#root).toString('latin1') + (path === '' ? '' : `/${path}`),
      'latin1',
    );
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const descriptor of this.#descriptors.values()) fs.closeSync(descriptor);
  }

  /** A program with an open file or another link keeps writing into the archived file, which nobody can prevent. Such steps are skipped. */
  #writesIntoTaken(step: Step): boolean {
    const node =
      step.do === 'write' || step.do === 'resize'
        ? this.tree.handle(step.handle)
        : step.do === 'truncate' || step.do === 'backdate' || (step.do === 'open' && step.how === 'truncate')
          ? this.tree.find(step.path)
          : null;
    return node !== null && this.taken.some((taken) => taken.node === node);
  }

  #putBackIn(directory: string): boolean {
    let changed = false;
    for (const entry of fs.readdirSync(this.at(directory), {
      withFileTypes: true,
      encoding: 'buffer' as never,
    })) {
      const name = (entry.name as unknown as Buffer).toString('latin1');
      const path = `${directory}/${name}`;
      const known = this.tree.find(path);
      if (entry.isDirectory() && known?.kind === 'directory' && !known.closed) {
        if (this.#putBackIn(path)) changed = true;
      } else if (entry.isFile() && known === null) {
        const node = this.#inodes.get(this.#inodeAt(path) ?? -1n);
        const index = this.taken.findIndex((each) => each.node === node);
        if (node === undefined || index < 0) continue;
        this.taken.splice(index, 1);
        this.tree.set(path, node);
        changed = true;
      }
    }
    return changed;
  }

  #inodeAt(path: string): bigint | undefined {
    return fs.lstatSync(this.at(path), { bigint: true, throwIfNoEntry: false })?.ino;
  }

  #nodeOf(step: Step): TreeNode | null {
    if (step.do === 'open') return this.tree.handle(step.handle) ?? null;
    return step.do === 'unnamed' ? this.tree.find(step.path) : null;
  }

  /** The inode of a file that was created or opened. */
  #onDisk(step: Step): bigint | undefined {
    switch (step.do) {
      case 'mkdir':
        return fs.mkdirSync(this.at(step.path)) as undefined;
      case 'open': {
        const flags = { new: 'wx+', truncate: 'w+', existing: 'r+' }[step.how];
        const descriptor = fs.openSync(this.at(step.path), flags);
        this.#descriptors.set(step.handle, descriptor);
        return fs.fstatSync(descriptor, { bigint: true }).ino;
      }
      case 'write':
        return void fs.writeSync(this.#descriptor(step.handle), step.bytes, 0, step.bytes.length, step.at);
      case 'resize':
        return fs.ftruncateSync(this.#descriptor(step.handle), step.size) as undefined;
      case 'close':
        fs.closeSync(this.#descriptor(step.handle));
        this.#descriptors.delete(step.handle);
        return undefined;
      case 'truncate':
        return fs.truncateSync(this.at(step.path), step.size) as undefined;
      case 'rename':
        return fs.renameSync(this.at(step.from), this.at(step.to)) as undefined;
      case 'link':
        return fs.linkSync(this.at(step.from), this.at(step.to)) as undefined;
      case 'remove':
        return fs.unlinkSync(this.at(step.path)) as undefined;
      case 'removeTree':
        return this.#removeTree(step.path);
      case 'symlink':
        return fs.symlinkSync(this.target(step.target), this.at(step.path)) as undefined;
      case 'fifo':
        execFileSync('mkfifo', [this.#staged]);
        return this.#bringIn(step.path);
      case 'socket':
        this.#servers.push(createServer().listen(this.#staged).unref());
        return this.#bringIn(step.path);
      case 'touch':
        return fs.utimesSync(this.at(step.path), new Date(), new Date()) as undefined;
      case 'backdate':
        return this.#backdate(step.path, step.bytes);
      case 'unnamed':
        return this.#unnamed(step.path, step.bytes);
      case 'mode':
        return this.#changeMode(step.path, step.closed);
      case 'pause':
      case 'settle':
      case 'stopAgent':
      case 'startAgent':
      case 'outage':
        return undefined;
    }
  }

  #descriptor(handle: number): number {
    const descriptor = this.#descriptors.get(handle);
    if (descriptor === undefined) throw new Error(`There is no open file ${handle}.`);
    return descriptor;
  }

  /** A short ASCII path, since socket addresses are short and command arguments are text. */
  get #staged(): string {
    return `${this.#root}/.staged`;
  }

  #bringIn(path: string): undefined {
    fs.linkSync(this.#staged, this.at(path));
    fs.unlinkSync(this.#staged);
  }

  /** Resolves the target of a link. */
  target(target: string): Buffer {
    return target.startsWith('$') ? this.at(target.slice(1)) : Buffer.from(target, 'latin1');
  }

  /** Moves the tree away at once if the agent may be moving files in there, so that only this step can have removed its contents. */
  #removeTree(path: string): undefined {
    if (this.#disposing.length === 0) return fs.rmSync(this.at(path), { recursive: true }) as undefined;
    const trash = '.trash';
    fs.renameSync(this.at(path), this.at(trash));
    for (const [, { ino }] of this.listing(trash)) {
      const index = this.taken.findIndex(({ node }) => node === this.#inodes.get(ino));
      if (index >= 0) this.taken.splice(index, 1);
    }
    fs.rmSync(this.at(trash), { recursive: true, maxRetries: 3 });
    return undefined;
  }

  #backdate(path: string, bytes: Buffer): undefined {
    const descriptor = fs.openSync(this.at(path), 'r+');
    const { mtimeNs } = fs.fstatSync(descriptor, { bigint: true });
    fs.writeSync(descriptor, bytes, 0, bytes.length, 0);
    const time = `@${mtimeNs / 1_000_000_000n}.${String(mtimeNs % 1_000_000_000n).padStart(9, '0')}`;
    // To the nanosecond, which `utimes` can't do.
    execFileSync('touch', ['-m', '-d', time, `/proc/${process.pid}/fd/${descriptor}`]);
    fs.closeSync(descriptor);
  }

  #unnamed(path: string, bytes: Buffer): bigint {
    const descriptor = fs.openSync(this.#root, fs.constants.O_RDWR | O_TMPFILE, 0o644);
    fs.writeSync(descriptor, bytes);
    const { ino } = fs.fstatSync(descriptor, { bigint: true });
    execFileSync('ln', ['-L', `/proc/${process.pid}/fd/${descriptor}`, this.#staged]);
    fs.closeSync(descriptor);
    this.#bringIn(path);
    return ino;
  }

  #changeMode(path: string, closed: boolean): undefined {
    const isDirectory = this.tree.find(path)?.kind === 'directory';
    fs.chmodSync(this.at(path), closed ? 0 : isDirectory ? 0o755 : 0o644);
  }
}

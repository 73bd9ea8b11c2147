/**
 * What the campaign does to the file system, by one or a few system calls. Paths are relative to the round's place, with `/` between
 * segments; each character is a byte (latin1), since names may be invalid UTF-8.
 */
export type Step =
  | { readonly do: 'mkdir'; readonly path: string }
  /** `new` fails if the file exists, `truncate` empties it, `existing` leaves its bytes. */
  | {
      readonly do: 'open';
      readonly path: string;
      readonly handle: number;
      readonly how: 'new' | 'truncate' | 'existing';
    }
  | { readonly do: 'write'; readonly handle: number; readonly at: number; readonly bytes: Buffer }
  | { readonly do: 'resize'; readonly handle: number; readonly size: number }
  | { readonly do: 'close'; readonly handle: number }
  | { readonly do: 'truncate'; readonly path: string; readonly size: number }
  | { readonly do: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly do: 'remove' | 'removeTree'; readonly path: string }
  /** `target` as stored in the link; a leading `$` stands for the round's place, absolute. */
  | { readonly do: 'symlink'; readonly target: string; readonly path: string }
  | { readonly do: 'fifo' | 'socket'; readonly path: string }
  | { readonly do: 'touch'; readonly path: string }
  /** Writes other bytes of the same number, and restores the modification time. */
  | { readonly do: 'backdate'; readonly path: string; readonly bytes: Buffer }
  /** A file that gets its name once it is complete (O_TMPFILE). */
  | { readonly do: 'unnamed'; readonly path: string; readonly bytes: Buffer }
  | { readonly do: 'mode'; readonly path: string; readonly closed: boolean }
  | { readonly do: 'pause'; readonly ms: number }
  /** Waits until the agent has done everything. */
  | { readonly do: 'settle' | 'stopAgent' | 'startAgent' }
  | { readonly do: 'outage'; readonly on: boolean };

/** One line of a round's story, for people. */
export function describeStep(step: Step): string {
  const { do: what, ...rest } = step;
  const fields = Object.entries(rest).map(([key, value]: [string, unknown]) =>
    Buffer.isBuffer(value) ? `${key}=${value.length} bytes` : `${key}=${JSON.stringify(value)}`,
  );
  return [what, ...fields].join(' ');
}

export interface TreeNode {
  readonly kind: 'file' | 'directory' | 'link' | 'special';
  /** Contents of a file. Replaced as a whole on change, so that it identifies a state. */
  bytes: Buffer;
  /** Nobody may read it (mode 000). */
  closed: boolean;
  /** Entries of a directory, by name. */
  readonly entries: Map<string, TreeNode>;
  /** Target of a link. */
  readonly target: string;
}

/** An in-memory model of a file system, on which steps have the same effect as on the real one. */
export class Tree {
  readonly root: TreeNode = newNode('directory');
  readonly #handles = new Map<number, TreeNode>();

  handle(handle: number): TreeNode | undefined {
    return this.#handles.get(handle);
  }

  /** Follows no links on the path, and finds nothing below a closed directory. */
  find(path: string): TreeNode | null {
    let node: TreeNode | undefined = this.root;
    for (const segment of path === '' ? [] : path.split('/')) {
      if (node.kind !== 'directory' || node.closed) return null;
      node = node.entries.get(segment);
      if (node === undefined) return null;
    }
    return node;
  }

  /** Everything below `path`, parents first, including closed directories. */
  *walk(path: string, node: TreeNode | null = this.find(path)): Generator<[path: string, node: TreeNode]> {
    if (node?.kind !== 'directory') return;
    for (const [name, child] of node.entries) {
      const childPath = path === '' ? name : `${path}/${name}`;
      yield [childPath, child];
      yield* this.walk(childPath, child);
    }
  }

  /** Puts a node at a path, or removes the existing one. */
  set(path: string, node: TreeNode | null): void {
    const [parent, name] = this.#place(path) ?? [];
    if (parent === undefined || name === undefined) throw new Error(`There is no directory for ${path}.`);
    if (node === null) parent.entries.delete(name);
    else parent.entries.set(name, node);
  }

  /** The effect of the step on the model; null if the system would refuse it. */
  prepare(step: Step): (() => void) | null {
    switch (step.do) {
      case 'mkdir':
        return this.#add(step.path, newNode('directory'));
      case 'symlink':
        return this.#add(step.path, newNode('link', step.target));
      case 'fifo':
      case 'socket':
        return this.#add(step.path, newNode('special'));
      case 'unnamed':
        return this.#add(step.path, newFile(step.bytes));
      case 'open':
        return this.#open(step);
      case 'write':
      case 'resize':
      case 'close':
        return this.#onHandle(step);
      case 'truncate':
        return this.#onFile(step.path, (node) => resize(node, step.size));
      case 'backdate':
        return this.#onFile(step.path, (node) => void (node.bytes = step.bytes));
      case 'touch':
        return this.#onFile(step.path, () => {});
      case 'mode':
        return this.#on(step.path, (node) => void (node.closed = step.closed));
      case 'rename':
        return this.#rename(step.from, step.to);
      case 'link': {
        const node = this.find(step.from);
        return node?.kind === 'file' ? this.#add(step.to, node) : null;
      }
      case 'remove': {
        const node = this.find(step.path);
        return node === null || node.kind === 'directory' ? null : () => this.set(step.path, null);
      }
      case 'removeTree':
        return this.#isOpenTree(step.path) ? () => this.set(step.path, null) : null;
      case 'pause':
      case 'settle':
      case 'stopAgent':
      case 'startAgent':
      case 'outage':
        return () => {};
    }
  }

  #isOpenTree(path: string): boolean {
    const node = this.find(path);
    if (node?.kind !== 'directory' || node.closed) return false;
    return ![...this.walk(path)].some(([, { kind, closed }]) => kind === 'directory' && closed);
  }

  #place(path: string): [parent: TreeNode, name: string] | null {
    const cut = path.lastIndexOf('/');
    const parent = this.find(path.slice(0, Math.max(0, cut)));
    return parent?.kind === 'directory' && !parent.closed ? [parent, path.slice(cut + 1)] : null;
  }

  #add(path: string, node: TreeNode): (() => void) | null {
    const [parent, name] = this.#place(path) ?? [];
    if (parent === undefined || name === undefined || parent.entries.has(name)) return null;
    return () => void parent.entries.set(name, node);
  }

  #open({ path, handle, how }: Extract<Step, { do: 'open' }>): (() => void) | null {
    const there = this.find(path);
    if (there === null || how === 'new') {
      const node = newNode('file');
      const add = how === 'existing' ? null : this.#add(path, node);
      return add && (() => (add(), void this.#handles.set(handle, node)));
    }
    if (there.kind !== 'file' || there.closed) return null;
    return () => {
      if (how === 'truncate') there.bytes = Buffer.alloc(0);
      this.#handles.set(handle, there);
    };
  }

  #onHandle(step: Extract<Step, { do: 'write' | 'resize' | 'close' }>): (() => void) | null {
    const node = this.#handles.get(step.handle);
    if (node === undefined) return null;
    return () => {
      if (step.do === 'close') this.#handles.delete(step.handle);
      else if (step.do === 'resize') resize(node, step.size);
      else {
        const bytes = Buffer.alloc(Math.max(node.bytes.length, step.at + step.bytes.length));
        node.bytes.copy(bytes);
        step.bytes.copy(bytes, step.at);
        node.bytes = bytes;
      }
    };
  }

  #on(path: string, change: (node: TreeNode) => void): (() => void) | null {
    const node = this.find(path);
    return node === null || node.kind === 'link' || node.kind === 'special' ? null : () => change(node);
  }

  #onFile(path: string, change: (node: TreeNode) => void): (() => void) | null {
    const node = this.find(path);
    return node?.kind === 'file' && !node.closed ? () => change(node) : null;
  }

  #rename(from: string, to: string): (() => void) | null {
    const node = this.find(from);
    const [target, name] = this.#place(to) ?? [];
    if (node === null || target === undefined || name === undefined) return null;
    // A moved directory gets another `..`, which requires write permission.
    if (node.kind === 'directory' && node.closed) return null;
    if (from === to || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return null;
    const there = target.entries.get(name);
    if (there !== undefined) {
      // Renaming a file onto another link of itself leaves both names.
      if (there === node) return null;
      if ((there.kind === 'directory') !== (node.kind === 'directory')) return null;
      if (there.entries.size > 0) return null;
    }
    return () => {
      this.set(from, null);
      target.entries.set(name, node);
    };
  }
}

export function newFile(bytes: Buffer): TreeNode {
  const node = newNode('file');
  node.bytes = bytes;
  return node;
}

function newNode(kind: TreeNode['kind'], target = ''): TreeNode {
  return { kind, bytes: Buffer.alloc(0), closed: false, entries: new Map(), target };
}

function resize(node: TreeNode, size: number): void {
  const bytes = Buffer.alloc(size);
  node.bytes.copy(bytes);
  node.bytes = bytes;
}

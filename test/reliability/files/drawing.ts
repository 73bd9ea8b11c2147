import type { Dice } from '../support/dice.ts';
import type { Contents } from './contents.ts';
import { drawDirectoryName, drawName } from './names.ts';
import type { Tree } from './tree.ts';

/** The two watched folders, and a directory next to them that is not watched. */
export const WATCHED = ['a', 'b'] as const;
export const OUTSIDE = 'outside';

const DEEPEST = 4;

/** What jobs draw from: dice, and the file system as it would be without an agent. */
export class Drawing {
  readonly dice: Dice;
  readonly contents: Contents;
  readonly tree: Tree;
  /** Whether files may be made inaccessible, which is pointless as root. */
  readonly mayClose: boolean;
  #handles = 0;

  constructor(dice: Dice, contents: Contents, tree: Tree, mayClose: boolean) {
    this.dice = dice;
    this.contents = contents;
    this.tree = tree;
    this.mayClose = mayClose;
  }

  handle(): number {
    return (this.#handles += 1);
  }

  /** A directory in a watched folder, mostly the folder itself. */
  directory(): string {
    const folder = this.dice.pick(WATCHED);
    const below = this.directories(folder);
    return below.length === 0 || this.dice.chance(0.6) ? folder : this.dice.pick(below);
  }

  directories(under: string): string[] {
    return [...this.tree.walk(under)].filter(([, node]) => node.kind === 'directory').map(([path]) => path);
  }

  /** An existing file; null if there is none. */
  file(where: readonly string[] = WATCHED): string | null {
    const all = where.flatMap((under) =>
      [...this.tree.walk(under)].filter(([, { kind }]) => kind === 'file').map(([path]) => path),
    );
    return all.length === 0 ? null : this.dice.pick(all);
  }

  /** Any path in a watched folder, taken or not. */
  path(): string {
    return `${this.directory()}/${drawName(this.dice)}`;
  }

  /** A path that does not exist yet. */
  freePath(directory = this.directory()): string {
    for (let tries = 0; tries < 8; tries += 1) {
      const path = `${directory}/${drawName(this.dice)}`;
      if (this.tree.find(path) === null) return path;
    }
    return `${directory}/free-${this.handle()}.jpg`;
  }

  outsidePath(): string {
    return `${OUTSIDE}/${this.dice.int(1, 1_000_000)}.jpg`;
  }

  freeDirectory(): string | null {
    const parent = this.directory();
    if (parent.split('/').length >= DEEPEST) return null;
    const path = `${parent}/${drawDirectoryName(this.dice)}`;
    return this.tree.find(path) === null ? path : null;
  }

  /** Milliseconds between two pieces of a slow writer: mostly shorter than the quiet time, sometimes longer. */
  pause(): number {
    return this.dice.chance(0.12) ? this.dice.int(60, 250) : this.dice.int(0, 25);
  }

  /** Cuts bytes into pieces for a slow writer. */
  pieces(bytes: Buffer): { readonly at: number; readonly bytes: Buffer }[] {
    const count = this.dice.int(2, 5);
    const cuts = Array.from({ length: count - 1 }, () => this.dice.int(0, bytes.length));
    const ends = [...cuts, bytes.length].sort((a, b) => a - b);
    let at = 0;
    return ends.map((end) => {
      const piece = { at, bytes: Buffer.from(bytes.subarray(at, end)) };
      at = end;
      return piece;
    });
  }
}

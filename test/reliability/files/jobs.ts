/**
 * What people and scanners do: all the ways in which programs create and change files; directories, links and special files; and a service
 * that is temporarily unavailable.
 */
import { OUTSIDE, WATCHED, type Drawing } from './drawing.ts';
import { drawDirectoryName, drawName } from './names.ts';
import type { Step } from './tree.ts';

/** Steps of several jobs are interleaved; a step that the system would refuse is skipped. */
type Job = (drawing: Drawing) => Generator<Step>;

const job = (weight: number, steps: Job) => ({ weight, steps });

/** Jobs with their relative frequency. */
export const JOBS = {
  create: job(12, function* (drawing) {
    const path = drawing.freePath();
    yield* atOnce(drawing, path, drawing.contents.image());
  }),
  slowWrite: job(10, function* (drawing) {
    const path = drawing.freePath();
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'new' };
    yield* inPieces(drawing, handle, drawing.contents.image());
    yield { do: 'close', handle };
  }),
  temporaryName: job(6, function* (drawing) {
    const directory = drawing.directory();
    const temporary = `${directory}/${drawing.dice.pick(['.up', '~up', 'upload-'])}${drawing.handle()}${drawing.dice.pick(['.tmp', '.part', '.filepart'])}`;
    const handle = drawing.handle();
    yield { do: 'open', path: temporary, handle, how: 'new' };
    yield* inPieces(drawing, handle, drawing.contents.image());
    yield { do: 'close', handle };
    const to = drawing.dice.chance(0.7) ? drawing.freePath(directory) : drawing.path();
    if (to !== null) yield { do: 'rename', from: temporary, to };
  }),
  hardLinkedIn: job(4, function* (drawing) {
    const from = drawing.outsidePath();
    const to = drawing.freePath();
    yield* atOnce(drawing, from, drawing.contents.image());
    yield { do: 'link', from, to };
    if (drawing.dice.chance(0.7)) yield { do: 'remove', path: from };
  }),
  unnamed: job(3, function* (drawing) {
    const path = drawing.freePath();
    yield { do: 'unnamed', path, bytes: drawing.contents.image() };
  }),
  /** Sets the final size first, then fills the holes in any order. */
  sparse: job(3, function* (drawing) {
    const path = drawing.freePath();
    const bytes = drawing.contents.image();
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'new' };
    yield { do: 'resize', handle, size: bytes.length };
    for (const piece of drawing.dice.shuffled(drawing.pieces(bytes))) {
      yield { do: 'write', handle, ...piece };
      yield { do: 'pause', ms: drawing.pause() };
    }
    yield { do: 'close', handle };
  }),
  preallocated: job(4, function* (drawing) {
    const path = drawing.freePath();
    const bytes = drawing.contents.image();
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'new' };
    yield { do: 'resize', handle, size: bytes.length + drawing.dice.pick([0, 0, 512]) };
    yield { do: 'pause', ms: drawing.pause() };
    yield* inPieces(drawing, handle, bytes);
    yield { do: 'resize', handle, size: bytes.length };
    yield { do: 'close', handle };
  }),
  noImage: job(5, function* (drawing) {
    const path = drawing.freePath();
    yield* atOnce(drawing, path, drawing.contents.noImage());
  }),
  incomplete: job(4, function* (drawing) {
    const path = drawing.freePath();
    yield* atOnce(drawing, path, drawing.contents.cut(drawing.contents.image()));
  }),
  /** Another program writes the rest much later, perhaps after the agent has given up. */
  completedLater: job(5, function* (drawing) {
    const path = drawing.freePath();
    const whole = drawing.contents.image();
    const first = drawing.contents.cut(whole);
    yield* atOnce(drawing, path, first);
    yield { do: 'pause', ms: drawing.dice.int(50, 400) };
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'existing' };
    yield { do: 'write', handle, at: first.length, bytes: Buffer.from(whole.subarray(first.length)) };
    yield { do: 'close', handle };
  }),
  /** Replaced several times by another complete image before it has been at rest for long. */
  rewritten: job(6, function* (drawing) {
    const path = drawing.freePath();
    yield* atOnce(drawing, path, drawing.contents.image());
    for (let times = drawing.dice.int(1, 4); times > 0; times -= 1) {
      yield { do: 'pause', ms: drawing.dice.int(5, 150) };
      yield* atOnce(drawing, path, drawing.contents.image(), 'truncate');
    }
  }),
  /** Appends a page to a complete file. */
  growing: job(4, function* (drawing) {
    const path = drawing.freePath();
    const [one, two] = drawing.contents.growing();
    yield* atOnce(drawing, path, one);
    yield { do: 'pause', ms: drawing.dice.int(0, 400) };
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'existing' };
    yield { do: 'write', handle, at: one.length, bytes: Buffer.from(two.subarray(one.length)) };
    yield { do: 'write', handle, at: 0, bytes: Buffer.from(two.subarray(0, one.length)) };
    yield { do: 'close', handle };
  }),
  duplicates: job(5, function* (drawing) {
    const known = drawing.file();
    const bytes =
      known !== null && drawing.dice.chance(0.7) ? drawing.tree.find(known)?.bytes : drawing.contents.image();
    for (let copy = 0; copy < drawing.dice.int(1, 3); copy += 1) {
      const path = drawing.freePath();
      if (path !== null && bytes !== undefined) yield* atOnce(drawing, path, bytes);
      yield { do: 'pause', ms: drawing.pause() };
    }
  }),
  /** In place and slowly, like a scanner that restarts at SCAN0001. */
  overwrite: job(8, function* (drawing) {
    const path = drawing.file();
    if (path === null) return;
    const bytes = drawing.contents.image();
    const handle = drawing.handle();
    const emptied = drawing.dice.chance(0.5);
    yield { do: 'open', path, handle, how: emptied ? 'truncate' : 'existing' };
    yield* inPieces(drawing, handle, bytes);
    if (!emptied) yield { do: 'resize', handle, size: bytes.length };
    yield { do: 'close', handle };
  }),
  overwriteWhole: job(5, function* (drawing) {
    const path = drawing.file();
    if (path !== null) yield* atOnce(drawing, path, drawing.contents.image(), 'truncate');
  }),
  /** Truncates a file and mostly restores it. */
  truncate: job(4, function* (drawing) {
    const path = drawing.file();
    const bytes = path === null ? undefined : drawing.tree.find(path)?.bytes;
    if (path === null || bytes === undefined || bytes.length < 2) return;
    const size = drawing.dice.int(0, bytes.length - 1);
    yield { do: 'truncate', path, size };
    yield { do: 'pause', ms: drawing.dice.int(0, 300) };
    if (drawing.dice.chance(0.3)) return;
    const handle = drawing.handle();
    yield { do: 'open', path, handle, how: 'existing' };
    yield { do: 'write', handle, at: size, bytes: Buffer.from(bytes.subarray(size)) };
    yield { do: 'close', handle };
  }),
  /** By renaming another file onto it, from the same directory or from outside. */
  replace: job(6, function* (drawing) {
    const to = drawing.file();
    if (to === null) return;
    const from = drawing.dice.chance(0.5)
      ? drawing.outsidePath()
      : `${parentOf(to)}/.new-${drawing.handle()}`;
    yield* atOnce(drawing, from, drawing.contents.image());
    yield { do: 'rename', from, to };
  }),
  touch: job(4, function* (drawing) {
    const path = drawing.file();
    if (path !== null) yield { do: 'touch', path };
  }),
  backdate: job(5, function* (drawing) {
    const path = drawing.file();
    const there = path === null ? undefined : drawing.tree.find(path)?.bytes;
    const bytes = there && drawing.contents.imageLike(there);
    if (path !== null && bytes) yield { do: 'backdate', path, bytes };
  }),
  close: job(3, function* (drawing) {
    const path = drawing.file();
    if (path === null || !drawing.mayClose) return;
    yield { do: 'mode', path, closed: true };
    yield { do: 'pause', ms: drawing.dice.int(0, 300) };
    yield { do: 'mode', path, closed: false };
  }),
  rename: job(9, function* (drawing) {
    const from = drawing.file();
    const to = drawing.dice.chance(0.75) ? drawing.freePath() : drawing.path();
    if (from !== null && to !== null) yield { do: 'rename', from, to };
  }),
  swap: job(2, function* (drawing) {
    const [one, other] = [drawing.file(), drawing.file()];
    if (one === null || other === null || one === other) return;
    const between = `${parentOf(one)}/.swap-${drawing.handle()}`;
    yield { do: 'rename', from: one, to: between };
    yield { do: 'rename', from: other, to: one };
    yield { do: 'rename', from: between, to: other };
  }),
  remove: job(6, function* (drawing) {
    const path = drawing.file();
    if (path !== null) yield { do: 'remove', path };
  }),
  removeAndAnew: job(4, function* (drawing) {
    const path = drawing.file();
    if (path === null) return;
    const same = drawing.dice.chance(0.3) ? drawing.tree.find(path)?.bytes : undefined;
    yield { do: 'remove', path };
    yield { do: 'pause', ms: drawing.pause() };
    yield* atOnce(drawing, path, same ?? drawing.contents.image());
  }),
  outAndBack: job(3, function* (drawing) {
    const from = drawing.file();
    if (from === null) return;
    const to = drawing.outsidePath();
    yield { do: 'rename', from, to };
    yield { do: 'pause', ms: drawing.dice.int(0, 200) };
    const back = drawing.dice.chance(0.5) ? from : drawing.freePath();
    if (back !== null && drawing.dice.chance(0.7)) yield { do: 'rename', from: to, to: back };
  }),
  hardLink: job(4, function* (drawing) {
    const from = drawing.file([...WATCHED, OUTSIDE]);
    const to = drawing.freePath();
    if (from !== null && to !== null) yield { do: 'link', from, to };
  }),
  /** Filled where it is, or created elsewhere and then moved in. */
  newDirectory: job(6, function* (drawing) {
    const path = drawing.freeDirectory();
    if (path === null) return;
    const elsewhere = drawing.dice.chance(0.4);
    const made = elsewhere ? `${OUTSIDE}/dir-${drawing.handle()}` : path;
    yield { do: 'mkdir', path: made };
    for (let file = 0; file < drawing.dice.int(0, 3); file += 1) {
      yield* atOnce(drawing, `${made}/${drawName(drawing.dice)}`, drawing.contents.image());
      if (drawing.dice.chance(0.3)) yield { do: 'pause', ms: drawing.pause() };
    }
    if (elsewhere) yield { do: 'rename', from: made, to: path };
  }),
  moveDirectory: job(4, function* (drawing) {
    const from = anyDirectory(drawing);
    const to = drawing.dice.chance(0.8) ? drawing.freeDirectory() : `${OUTSIDE}/moved-${drawing.handle()}`;
    if (from === null || to === null) return;
    yield { do: 'rename', from, to };
    yield { do: 'pause', ms: drawing.dice.int(0, 200) };
    if (drawing.dice.chance(0.4)) yield { do: 'rename', from: to, to: from };
  }),
  removeDirectory: job(2, function* (drawing) {
    const path = anyDirectory(drawing);
    if (path !== null) yield { do: 'removeTree', path };
  }),
  closeDirectory: job(1, function* (drawing) {
    const path = anyDirectory(drawing);
    if (path === null || !drawing.mayClose) return;
    yield { do: 'mode', path, closed: true };
    yield { do: 'pause', ms: drawing.dice.int(0, 300) };
    yield { do: 'mode', path, closed: false };
  }),
  /** Links to files and directories, inside and outside, to nothing, and to themselves. */
  symbolicLink: job(6, function* (drawing) {
    const path = drawing.freePath();
    const secret = drawing.outsidePath();
    switch (drawing.dice.weighted({ secret: 4, inside: 3, directory: 3, dangling: 2, loop: 2, parent: 1 })) {
      case 'secret':
        yield* atOnce(drawing, secret, drawing.contents.image());
        return yield { do: 'symlink', path, target: `$${secret}` };
      case 'inside':
        return yield { do: 'symlink', path, target: `$${drawing.file() ?? secret}` };
      case 'directory':
        yield* atOnce(drawing, secret, drawing.contents.image());
        return yield {
          do: 'symlink',
          path,
          target: drawing.dice.pick([`$${OUTSIDE}`, `$${drawing.directory()}`]),
        };
      case 'dangling':
        return yield { do: 'symlink', path, target: 'nowhere/at all.jpg' };
      case 'loop':
        return yield { do: 'symlink', path, target: path.slice(path.lastIndexOf('/') + 1) };
      case 'parent':
        return yield { do: 'symlink', path, target: '..' };
    }
  }),
  /** Replaces a file by a link to a secret file with the same or other bytes. */
  linkForFile: job(3, function* (drawing) {
    const path = drawing.file();
    if (path === null) return;
    const secret = drawing.outsidePath();
    if (drawing.dice.chance(0.5)) yield { do: 'rename', from: path, to: secret };
    else {
      yield* atOnce(drawing, secret, drawing.contents.image());
      yield { do: 'remove', path };
    }
    yield { do: 'symlink', path, target: `$${secret}` };
    yield { do: 'pause', ms: drawing.pause() };
    if (drawing.dice.chance(0.4)) yield { do: 'remove', path };
  }),
  /** Replaces a directory by a link to another that has a file of the same name. */
  linkForDirectory: job(2, function* (drawing) {
    const path = anyDirectory(drawing);
    if (path === null) return;
    const number = drawing.handle();
    const [away, decoy] = [`${OUTSIDE}/away-${number}`, `${OUTSIDE}/decoy-${number}`];
    yield { do: 'mkdir', path: decoy };
    for (const [name, node] of drawing.tree.find(path)?.entries ?? [])
      if (node.kind === 'file') yield* atOnce(drawing, `${decoy}/${name}`, drawing.contents.image());
    yield { do: 'rename', from: path, to: away };
    yield { do: 'symlink', path, target: `$${decoy}` };
    yield { do: 'pause', ms: drawing.dice.int(0, 250) };
    if (drawing.dice.chance(0.5)) return;
    yield { do: 'remove', path };
    yield { do: 'rename', from: away, to: path };
  }),
  special: job(4, function* (drawing) {
    const path = drawing.freePath();
    const what = drawing.dice.weighted({ fifo: 3, socket: 2, mkdir: 3 });
    // A socket address is limited to about a hundred bytes.
    yield { do: what, path: what === 'socket' ? `${parentOf(path)}/socket-${drawing.handle()}.jpg` : path };
    yield { do: 'pause', ms: drawing.pause() };
    if (what !== 'mkdir' && drawing.dice.chance(0.3)) yield { do: 'remove', path };
  }),
  outage: job(2, function* (drawing) {
    yield { do: 'outage', on: true };
    yield { do: 'pause', ms: drawing.dice.int(100, 600) };
    yield { do: 'outage', on: false };
  }),
};
export type JobKind = keyof typeof JOBS;

/** Opens, writes in one go, closes. */
function* atOnce(
  drawing: Drawing,
  path: string,
  bytes: Buffer,
  how: 'new' | 'truncate' = 'new',
): Generator<Step> {
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how };
  if (bytes.length > 0) yield { do: 'write', handle, at: 0, bytes };
  yield { do: 'close', handle };
}

function* inPieces(drawing: Drawing, handle: number, bytes: Buffer): Generator<Step> {
  for (const piece of drawing.pieces(bytes)) {
    yield { do: 'write', handle, ...piece };
    yield { do: 'pause', ms: drawing.pause() };
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function anyDirectory(drawing: Drawing): string | null {
  const all = WATCHED.flatMap((folder) => drawing.directories(folder));
  return all.length === 0
    ? null
    : drawing.dice.pick([...all, `${drawing.directory()}/${drawDirectoryName(drawing.dice)}`]);
}

/** All the ways in which programs create files. */
import type { Drawing } from './drawing.ts';
import type { Step } from './step.ts';

export const creations = {
  create,
  slowWrite,
  temporaryName,
  hardLinkedIn,
  unnamed,
  sparse,
  preallocated,
  noImage,
  incomplete,
  completedLater,
  rewritten,
  growing,
  duplicates,
};

/** Opens, writes in one go, closes. */
export function* atOnce(
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

export function* inPieces(drawing: Drawing, handle: number, bytes: Buffer): Generator<Step> {
  for (const piece of drawing.pieces(bytes)) {
    yield { do: 'write', handle, ...piece };
    yield { do: 'pause', ms: drawing.pause() };
  }
}

function* create(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path !== null) yield* atOnce(drawing, path, drawing.contents.image());
}

function* slowWrite(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how: 'new' };
  yield* inPieces(drawing, handle, drawing.contents.image());
  yield { do: 'close', handle };
}

function* temporaryName(drawing: Drawing): Generator<Step> {
  const directory = drawing.directory();
  const temporary = `${directory}/${drawing.dice.pick(['.up', '~up', 'upload-'])}${drawing.handle()}${drawing.dice.pick(['.tmp', '.part', '.filepart'])}`;
  const handle = drawing.handle();
  yield { do: 'open', path: temporary, handle, how: 'new' };
  yield* inPieces(drawing, handle, drawing.contents.image());
  yield { do: 'close', handle };
  const to = drawing.dice.chance(0.7) ? drawing.freePath(directory) : drawing.path();
  if (to !== null) yield { do: 'rename', from: temporary, to };
}

function* hardLinkedIn(drawing: Drawing): Generator<Step> {
  const from = drawing.outsidePath();
  const to = drawing.freePath();
  if (to === null) return;
  yield* atOnce(drawing, from, drawing.contents.image());
  yield { do: 'link', from, to };
  if (drawing.dice.chance(0.7)) yield { do: 'remove', path: from };
}

function* unnamed(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path !== null) yield { do: 'unnamed', path, bytes: drawing.contents.image() };
}

/** Sets the final size first, then fills the holes in any order. */
function* sparse(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const bytes = drawing.contents.image();
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how: 'new' };
  yield { do: 'resize', handle, size: bytes.length };
  for (const piece of drawing.dice.shuffled(drawing.pieces(bytes))) {
    yield { do: 'write', handle, ...piece };
    yield { do: 'pause', ms: drawing.pause() };
  }
  yield { do: 'close', handle };
}

function* preallocated(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const bytes = drawing.contents.image();
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how: 'new' };
  yield { do: 'resize', handle, size: bytes.length + drawing.dice.pick([0, 0, 512]) };
  yield { do: 'pause', ms: drawing.pause() };
  yield* inPieces(drawing, handle, bytes);
  yield { do: 'resize', handle, size: bytes.length };
  yield { do: 'close', handle };
}

function* noImage(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path !== null) yield* atOnce(drawing, path, drawing.contents.noImage());
}

function* incomplete(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path !== null) yield* atOnce(drawing, path, drawing.contents.cut(drawing.contents.image()));
}

/** Another program writes the rest much later, perhaps after the agent has given up. */
function* completedLater(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const whole = drawing.contents.image();
  const first = drawing.contents.cut(whole);
  yield* atOnce(drawing, path, first);
  yield { do: 'pause', ms: drawing.dice.int(50, 400) };
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how: 'existing' };
  yield { do: 'write', handle, at: first.length, bytes: Buffer.from(whole.subarray(first.length)) };
  yield { do: 'close', handle };
}

/** Replaced several times by another complete image before it has been at rest for long. */
function* rewritten(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  yield* atOnce(drawing, path, drawing.contents.image());
  for (let times = drawing.dice.int(1, 4); times > 0; times -= 1) {
    yield { do: 'pause', ms: drawing.dice.int(5, 150) };
    yield* atOnce(drawing, path, drawing.contents.image(), 'truncate');
  }
}

/** Appends a page to a complete file. */
function* growing(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const [one, two] = drawing.contents.growing();
  yield* atOnce(drawing, path, one);
  yield { do: 'pause', ms: drawing.dice.int(0, 400) };
  const handle = drawing.handle();
  yield { do: 'open', path, handle, how: 'existing' };
  yield { do: 'write', handle, at: one.length, bytes: Buffer.from(two.subarray(one.length)) };
  yield { do: 'write', handle, at: 0, bytes: Buffer.from(two.subarray(0, one.length)) };
  yield { do: 'close', handle };
}

function* duplicates(drawing: Drawing): Generator<Step> {
  const known = drawing.file();
  const bytes =
    known !== null && drawing.dice.chance(0.7) ? drawing.tree.find(known)?.bytes : drawing.contents.image();
  for (let copy = 0; copy < drawing.dice.int(1, 3); copy += 1) {
    const path = drawing.freePath();
    if (path !== null && bytes !== undefined) yield* atOnce(drawing, path, bytes);
    yield { do: 'pause', ms: drawing.pause() };
  }
}

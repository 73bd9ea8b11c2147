/** Changes of existing files. */
import { OUTSIDE, WATCHED, type Drawing } from './drawing.ts';
import { atOnce, inPieces } from './jobsCreate.ts';
import type { Step } from './step.ts';

export const changes = {
  overwrite,
  overwriteWhole,
  truncate,
  replace,
  touch,
  backdate,
  close,
  rename,
  swap,
  remove,
  removeAndAnew,
  outAndBack,
  hardLink,
};

/** In place and slowly, like a scanner that restarts at SCAN0001. */
function* overwrite(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path === null) return;
  const bytes = drawing.contents.image();
  const handle = drawing.handle();
  const emptied = drawing.dice.chance(0.5);
  yield { do: 'open', path, handle, how: emptied ? 'truncate' : 'existing' };
  yield* inPieces(drawing, handle, bytes);
  if (!emptied) yield { do: 'resize', handle, size: bytes.length };
  yield { do: 'close', handle };
}

function* overwriteWhole(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path !== null) yield* atOnce(drawing, path, drawing.contents.image(), 'truncate');
}

/** Truncates a file and mostly restores it. */
function* truncate(drawing: Drawing): Generator<Step> {
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
}

/** By renaming another file onto it, from the same directory or from outside. */
function* replace(drawing: Drawing): Generator<Step> {
  const to = drawing.file();
  if (to === null) return;
  const from = drawing.dice.chance(0.5) ? drawing.outsidePath() : `${parentOf(to)}/.new-${drawing.handle()}`;
  yield* atOnce(drawing, from, drawing.contents.image());
  yield { do: 'rename', from, to };
}

function* touch(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path !== null) yield { do: 'touch', path };
}

function* backdate(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  const there = path === null ? undefined : drawing.tree.find(path)?.bytes;
  const bytes = there && drawing.contents.imageLike(there);
  if (path !== null && bytes) yield { do: 'backdate', path, bytes };
}

function* close(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path === null || !drawing.mayClose) return;
  yield { do: 'mode', path, closed: true };
  yield { do: 'pause', ms: drawing.dice.int(0, 300) };
  yield { do: 'mode', path, closed: false };
}

function* rename(drawing: Drawing): Generator<Step> {
  const from = drawing.file();
  const to = drawing.dice.chance(0.75) ? drawing.freePath() : drawing.path();
  if (from !== null && to !== null) yield { do: 'rename', from, to };
}

function* swap(drawing: Drawing): Generator<Step> {
  const [one, other] = [drawing.file(), drawing.file()];
  if (one === null || other === null || one === other) return;
  const between = `${parentOf(one)}/.swap-${drawing.handle()}`;
  yield { do: 'rename', from: one, to: between };
  yield { do: 'rename', from: other, to: one };
  yield { do: 'rename', from: between, to: other };
}

function* remove(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path !== null) yield { do: 'remove', path };
}

function* removeAndAnew(drawing: Drawing): Generator<Step> {
  const path = drawing.file();
  if (path === null) return;
  const same = drawing.dice.chance(0.3) ? drawing.tree.find(path)?.bytes : undefined;
  yield { do: 'remove', path };
  yield { do: 'pause', ms: drawing.pause() };
  yield* atOnce(drawing, path, same ?? drawing.contents.image());
}

function* outAndBack(drawing: Drawing): Generator<Step> {
  const from = drawing.file();
  if (from === null) return;
  const to = drawing.outsidePath();
  yield { do: 'rename', from, to };
  yield { do: 'pause', ms: drawing.dice.int(0, 200) };
  const back = drawing.dice.chance(0.5) ? from : drawing.freePath();
  if (back !== null && drawing.dice.chance(0.7)) yield { do: 'rename', from: to, to: back };
}

function* hardLink(drawing: Drawing): Generator<Step> {
  const from = drawing.file([...WATCHED, OUTSIDE]);
  const to = drawing.freePath();
  if (from !== null && to !== null) yield { do: 'link', from, to };
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

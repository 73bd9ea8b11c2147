/** Directories, links and special files, and a service that is temporarily unavailable. */
import { OUTSIDE, WATCHED, type Drawing } from './drawing.ts';
import { parentOf } from './jobsChange.ts';
import { atOnce } from './jobsCreate.ts';
import { drawDirectoryName, drawName } from './names.ts';
import type { Step } from './step.ts';

export const structures = {
  newDirectory,
  moveDirectory,
  removeDirectory,
  closeDirectory,
  symbolicLink,
  linkForFile,
  linkForDirectory,
  special,
  outage,
};

/** Filled where it is, or created elsewhere and then moved in. */
function* newDirectory(drawing: Drawing): Generator<Step> {
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
}

function* moveDirectory(drawing: Drawing): Generator<Step> {
  const from = anyDirectory(drawing);
  const to = drawing.dice.chance(0.8) ? drawing.freeDirectory() : `${OUTSIDE}/moved-${drawing.handle()}`;
  if (from === null || to === null) return;
  yield { do: 'rename', from, to };
  yield { do: 'pause', ms: drawing.dice.int(0, 200) };
  if (drawing.dice.chance(0.4)) yield { do: 'rename', from: to, to: from };
}

function* removeDirectory(drawing: Drawing): Generator<Step> {
  const path = anyDirectory(drawing);
  if (path !== null) yield { do: 'removeTree', path };
}

function* closeDirectory(drawing: Drawing): Generator<Step> {
  const path = anyDirectory(drawing);
  if (path === null || !drawing.mayClose) return;
  yield { do: 'mode', path, closed: true };
  yield { do: 'pause', ms: drawing.dice.int(0, 300) };
  yield { do: 'mode', path, closed: false };
}

/** Links to files and directories, inside and outside, to nothing, and to themselves. */
function* symbolicLink(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
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
}

/** Replaces a file by a link to a secret file with the same or other bytes. */
function* linkForFile(drawing: Drawing): Generator<Step> {
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
}

/** Replaces a directory by a link to another that has a file of the same name. */
function* linkForDirectory(drawing: Drawing): Generator<Step> {
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
}

function* special(drawing: Drawing): Generator<Step> {
  const path = drawing.freePath();
  if (path === null) return;
  const what = drawing.dice.weighted({ fifo: 3, socket: 2, mkdir: 3 });
  // A socket address is limited to about a hundred bytes.
  yield { do: what, path: what === 'socket' ? `${parentOf(path)}/socket-${drawing.handle()}.jpg` : path };
  yield { do: 'pause', ms: drawing.pause() };
  if (what !== 'mkdir' && drawing.dice.chance(0.3)) yield { do: 'remove', path };
}

function* outage(drawing: Drawing): Generator<Step> {
  yield { do: 'outage', on: true };
  yield { do: 'pause', ms: drawing.dice.int(100, 600) };
  yield { do: 'outage', on: false };
}

function anyDirectory(drawing: Drawing): string | null {
  const all = WATCHED.flatMap((folder) => drawing.directories(folder));
  return all.length === 0
    ? null
    : drawing.dice.pick([...all, `${drawing.directory()}/${drawDirectoryName(drawing.dice)}`]);
}

import { join } from 'node:path';
import { endpointId, isAsRecorded } from '../core/domain/document.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { LedgerReports, Standing } from '../core/ports/ledgerReports.ts';
import { judge, judgeTooLarge } from './judge.ts';
import { nameContext } from './nameContext.ts';
import { sha256 } from '../core/sha256.ts';
import { isSkipped, staysSkipped } from './scanner.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { factOf, type WhyFact } from '../core/domain/why.ts';

export interface DryRunFile {
  readonly would: 'send' | 'nothing' | 'duplicate' | 'reject' | 'skip' | 'wait';
  readonly name: string | null;
  readonly path: string;
  readonly why: WhyFact | null;
}

export interface DryRunDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  /** Null before the first run. */
  readonly reports: LedgerReports | null;
  readonly inspector: ImageInspector;
  readonly clock: Clock;
  readonly host: string;
  /** Images that this run has named already, over all folders: endpoint and hash → name. */
  readonly seen: Map<string, string>;
}

/** Tells what admission would do with each file of a folder, without changing anything. */
export async function* foresee(deps: DryRunDeps, signal: AbortSignal): AsyncIterable<DryRunFile> {
  for await (const { files } of deps.folder.list('', signal)) yield* foreseeSome(files, deps);
}

/** Like `foresee`, for the given files only. */
export async function* foreseeSome(
  files: readonly { readonly path: string }[],
  deps: DryRunDeps,
): AsyncIterable<DryRunFile> {
  const firstWatch = deps.reports === null || (await deps.reports.isFirstWatch(deps.settings.path));
  for (const { path } of files) yield await foreseeOne(path, firstWatch, deps);
}

function elsewhere({ state, name }: Standing, { alias }: FolderSettings): WhyFact {
  return { is: 'ofOtherEndpoint', state, name: name ?? '', endpoint: alias };
}

async function foreseeOne(path: string, firstWatch: boolean, deps: DryRunDeps): Promise<DryRunFile> {
  const { folder, settings, reports, inspector, clock, host, seen } = deps;
  const at = join(settings.path, path);
  const say = (would: DryRunFile['would'], name: string | null, why: WhyFact | null): DryRunFile => ({
    would,
    name,
    path: at,
    why,
  });
  const read = await folder.read(path, settings.maxFileSize);
  if (read.kind === 'tooLarge') {
    const found = await folder.stat(path);
    if (found?.kind !== 'file') return say('wait', null, { is: 'changing' });
    return say('reject', null, judgeTooLarge(path, found.identity.size, settings).why);
  }
  if (read.kind === 'unreadable') return say('wait', null, { is: 'notReadNow', system: read.code });
  if (read.kind !== 'bytes') return say('wait', null, { is: 'changing' });
  if (firstWatch && isSkipped(read.identity, settings.existing))
    return say('skip', null, { is: 'alreadyThere' });
  const standing = (await reports?.standing({ folder: settings.path, path })) ?? null;
  // Like reconciliation: a known, unchanged file is not judged again.
  const isKnown =
    standing !== null &&
    isAsRecorded({ verdict: standing.state, identity: standing.identity }, read.identity);
  const known = isKnown ? standing : null;
  if (known?.state === 'skipped' && staysSkipped(known, settings))
    return say('skip', null, factOf(known.message));
  const judgement = await judge(path, read.bytes, settings, inspector);
  if (judgement.kind === 'rejected') return say('reject', null, judgement.why);
  if (judgement.kind === 'incomplete') return say('wait', null, judgement.why);
  if (judgement.kind === 'pages')
    return known?.state === 'split' ? say('nothing', null, null) : say('send', null, { is: 'willBeSplit' });
  const hash = sha256(read.bytes);
  const document = await reports?.bySha256(settings.endpoint, hash);
  if (document) {
    const isItself = document.folder === settings.path && document.path === path;
    return isItself
      ? say('nothing', document.name, null)
      : say('duplicate', document.name, { is: 'identicalTo', path: join(document.folder, document.path) });
  }
  // It was named when the folder had another endpoint.
  if (known !== null && known.name !== null) return say('nothing', known.name, elsewhere(known, settings));
  const image = `${endpointId(settings.endpoint)} ${hash}`;
  const earlier = seen.get(image);
  if (earlier !== undefined) return say('duplicate', earlier, { is: 'identicalHere' });
  const captured = settings.template.usesCaptured
    ? await inspector.capturedAt(read.bytes, judgement.type)
    : null;
  const context = nameContext(path, read.identity, hash, captured, settings, { now: clock.now(), host });
  const names = new Set(seen.values());
  const seq = ((await reports?.nextSeq(settings.endpoint)) ?? 1) + seen.size;
  for (const name of settings.template.propose(context, seq)) {
    if (names.has(name) || (await reports?.isNameTaken(settings.endpoint, name))) continue;
    seen.set(image, name);
    return say('send', name, null);
  }
  return say('wait', null, { is: 'noFreeName' });
}

import { isAbsolute, join, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { folderSchema } from '../config/schema.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import type { UploadAnswer, UploadQuery } from '../control/protocol/sending.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { relativeTo } from '../core/paths.ts';
import { receivedFolder } from './folders.ts';
import { parseTemplate } from '../core/domain/nameTemplate.ts';
import { accountsAmong } from '../core/domain/account.ts';
import type { Document } from '../core/domain/document.ts';
import { holdOver, isHeld } from '../ledger/reads/holds.ts';
import type { Hold } from '../core/domain/hold.ts';
import type { SingleFiles, TakenFile } from '../intake/singleFiles.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { shown } from '../core/domain/why.ts';
import { heldBecause } from '../core/domain/problem.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';

type Configured = Pick<Config, 'endpoints' | 'folders'>;

/**
 * Settings for files outside watched folders: those of the first folder that feeds their endpoint, or the defaults if
 * none does. A person may also send files that a watched folder holds back.
 * @throws ReceiptdError ENDPOINT_UNKNOWN, USAGE
 */
export function settingsToSend(
  { endpoints, folders }: Configured,
  directory: string,
  alias: string | undefined,
): FolderSettings {
  const watched = folders.find(
    ({ path, recursive }) => path === directory || (recursive && directory.startsWith(path + sep)),
  );
  if (!isAbsolute(directory)) throw new ReceiptdError('USAGE.notAbsolute', { path: directory });
  if (watched?.qualityCheck === 'hold' && (alias === undefined || alias === watched.alias))
    return { ...watched, ...AS_IT_IS };
  if (watched !== undefined) {
    throw new ReceiptdError('USAGE.watchedDirectory', { directory, folder: watched.path });
  }
  const names = endpoints.map((each) => each.alias);
  const endpoint = endpoints.find((each) => alias === undefined || each.alias === alias);
  if (endpoint === undefined) {
    throw new ReceiptdError('ENDPOINT_UNKNOWN.notConfigured', { alias: String(alias), known: names });
  }
  if (alias === undefined && endpoints.length > 1) {
    throw new ReceiptdError('USAGE.severalEndpoints', { known: names });
  }
  const like = folders.find((folder) => folder.alias === endpoint.alias) ?? defaults();
  return {
    ...like,
    path: directory,
    endpoint: endpoint.key,
    alias: endpoint.alias,
    share: null,
    recursive: false,
    afterUpload: 'keep',
    afterUploadOn: null,
    ...AS_IT_IS,
  };
}

/** One file, one document, sent unchanged: the sender has seen it and gets its name. */
const AS_IT_IS = { pages: 'whole', qualityCheck: 'off', upright: false } as const;

function defaults(): Omit<FolderSettings, 'path' | 'endpoint' | 'alias'> {
  const parsed = folderSchema.parse({ path: '.' });
  const { settle, name, path: _, endpoint: __, ...others } = parsed;
  const { short: shortMs, long: longMs, patience: patienceMs } = settle;
  return {
    ...others,
    settle: { shortMs, longMs, patienceMs },
    template: parseTemplate(name),
  };
}

/** @throws ReceiptdError what taking it in throws, and USAGE, ENDPOINT_UNKNOWN */
export async function takeIn(
  { folder, path, identity, endpoint, bytes: encoded }: Request<'send'>,
  config: Configured,
  files: SingleFiles,
): Promise<Response<'send'>> {
  const settings = settingsToSend(config, folder, endpoint);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== identity.size)
    throw new ReceiptdError('USAGE.bytesMissing', { path, came: bytes.length, size: identity.size });
  const { size, mtimeNs, ctimeNs, inode } = identity;
  const seen = { size, mtimeNs: BigInt(mtimeNs), ctimeNs: BigInt(ctimeNs), inode: BigInt(inode) };
  // The path as the folder scan would record it.
  const place = relativeTo(settings.path, join(folder, path)) ?? path;
  return answerOf(await files.take({ path: place, identity: seen, bytes }, settings));
}

function answerOf(taken: TakenFile): Response<'send'> {
  if (taken.kind === 'rejected')
    return { outcome: 'rejected', documentId: null, name: null, ...shown(taken.why) };
  const isQueued = taken.kind === 'queued' || taken.kind === 'requeued';
  return {
    outcome: isQueued ? 'queued' : 'duplicate',
    documentId: taken.document.id,
    name: taken.document.name,
    message: null,
    fact: null,
  };
}

/** A file that a browser sent. */
export interface ReceivedFile {
  readonly query: UploadQuery;
  readonly bytes: Buffer;
}

/** @throws as `takeIn` */
export async function takeReceived(
  { query: { name, endpoint, modified }, bytes }: ReceivedFile,
  config: Config,
  { files, ledger, clock }: { files: SingleFiles; ledger: Pick<Ledger, 'holds'>; clock: Clock },
): Promise<UploadAnswer> {
  const settings = settingsToSend(config, receivedFolder(config), endpoint);
  const now = clock.now();
  const identity = {
    size: bytes.length,
    mtimeNs: nanoseconds(modified === undefined ? now : Number(modified)),
    ctimeNs: nanoseconds(now),
    inode: 0n,
  };
  const taken = await files.take({ path: onlyName(name), identity, bytes }, settings);
  if (taken.kind === 'rejected') return { ...answerOf(taken), state: null, waits: null };
  const { document } = taken;
  const isWaiting = document.state === 'queued';
  const hold = isWaiting ? holdOf(document, await ledger.holds(), config) : null;
  const waits = hold && shown(heldBecause(hold));
  return { ...answerOf(taken), state: document.state, waits };
}

/** Largest file that a browser may send there, in bytes. @throws ReceiptdError ENDPOINT_UNKNOWN, USAGE */
export function receivedLimit(config: Config, endpoint: string | undefined): number {
  return settingsToSend(config, receivedFolder(config), endpoint).maxFileSize;
}

export function tooLargeToReceive(bytes: number, limit: number): UploadAnswer {
  const why = { is: 'fileTooLarge', bytes, limit } as const;
  return { ...answerOf({ kind: 'rejected', why }), state: null, waits: null };
}

/** Other systems have other separators. */
function onlyName(name: string): string {
  return name.split(/[\\/]/).at(-1) || '_';
}

const nanoseconds = (ms: number): bigint => BigInt(ms) * 1_000_000n;

/** Why a queued document waits; `isHeld`: the reason will not resolve itself soon, unlike an outage. */
export function holdOf(
  { endpoint, folder }: Pick<Document, 'endpoint' | 'folder'>,
  holds: readonly Hold[],
  { endpoints }: Pick<Config, 'endpoints'>,
): (Hold & { readonly isHeld: boolean }) | null {
  const hold = holdOver(holds, endpoint, folder, accountsAmong(endpoints));
  return hold === undefined ? null : { ...hold, isHeld: isHeld(hold) };
}

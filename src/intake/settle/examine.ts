import type { Log } from '../../core/ports/log.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileRead, WatchedFolder } from '../../core/ports/folder.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { Admitted, Ledger, Note } from '../../core/ports/ledger.ts';
import { systemCode } from '../../core/domain/errors.ts';
import { sameIdentity, type FileIdentity } from '../../core/domain/document.ts';
import type { OfflineMode } from '../offline/offlineMode.ts';
import { admit, judge, judgeTooLarge, type Candidate } from './admit.ts';
import { NO_RECEIPT } from '../../core/domain/needsPerson.ts';
import type { ByteBudget } from '../../delivery/payload/byteBudget.ts';
import type { PayloadStore } from '../../delivery/payload/payloadStore.ts';
import type { Settling, Unsettled } from './settling.ts';
import { acceptPolicy, type FolderSettings } from '../../core/domain/settings.ts';

export interface ExamineDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly ledger: Ledger;
  readonly inspector: ImageInspector;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly payloads: PayloadStore;
  readonly memory: ByteBudget;
  /** Stands in for a shared ledger that is away. */
  readonly offline?: OfflineMode | undefined;
  /**
   * Finds out on what the folder lies by now. Asked between the reading of a file and the record of it: known files tell where
   * a folder lies, so that none of another file system may become known before the folder was looked at there.
   */
  readonly lookAtMount: () => Promise<void>;
  /** Of the file system that was last found there. */
  readonly mark: () => string | null;
  readonly onAdmitted: (admitted: Admitted) => void;
  readonly onNote: (verdict: Note['verdict'], path: string) => void;
}

const UNTOLD: ReadonlySet<string> = new Set([NO_RECEIPT, 'DAMAGED', 'TYPE_UNKNOWN']);

/** Looks at one file that may be at rest, and moves it on: admitted, noted, or back to settling. */
export async function examine(file: Unsettled, deps: ExamineDeps): Promise<void> {
  const { folder, settings, settling } = deps;
  const found = await folder.stat(file.path).catch((error: unknown) => {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  });
  if (typeof found === 'string') return unreadable(file, file.identity, found, deps);
  // A link or a directory in the place of a file is not that file.
  if (found === null || found.kind === 'other') return vanished(file, deps);
  settling.see(file.path, found.identity, file.lane);
  if (!settling.isStill(file)) return settling.keep(file);
  // An event may change `file.identity` from here on; whatever is decided is decided about this one.
  const { identity } = file;
  if (file.waitsFor) return incomplete(file, identity, file.waitsFor.reason, file.waitsFor.detail, deps);
  // What would have to stay here anyway is not read again and again.
  const waiting = { endpoint: settings.endpoint, folder: settings.path };
  const { payloads, offline } = deps;
  const hasRoom = offline?.isOn
    ? payloads.hasRoomForCopy(identity.size)
    : payloads.hasRoom(waiting, identity.size);
  if (!hasRoom) return settling.retryLater(file);
  const stillMs = settling.stillMs(file);
  const mark = deps.mark();
  await deps.memory.with(Math.min(identity.size, settings.maxFileSize), async () => {
    const read = await folder.read(file.path, settings.maxFileSize, { size: identity.size });
    await deps.lookAtMount();
    // It may have been read on another one, or the clock there be coarser than where it was seen.
    if (deps.mark() !== mark || stillMs < settling.quietAtLeastMs) return settling.disturbed(file);
    await afterRead(file, identity, read, deps);
  });
}

async function afterRead(
  file: Unsettled,
  identity: FileIdentity,
  read: FileRead,
  deps: ExamineDeps,
): Promise<void> {
  const { settling, settings } = deps;
  const { path, lane } = file;
  switch (read.kind) {
    case 'gone':
      return vanished(file, deps);
    case 'changed':
      return settling.disturbed(file);
    case 'tooLarge': {
      const { reason, message } = judgeTooLarge(path, identity.size, settings);
      return note(file, identity, 'rejected', reason, message, deps);
    }
    case 'unreadable':
      return unreadable(file, identity, read.code, deps);
    case 'bytes':
      break;
  }
  if (!sameIdentity(read.identity, identity)) {
    settling.see(file.path, read.identity, file.lane);
    return settling.keep(file);
  }
  const judgement = await judge(path, read.bytes, settings, deps.inspector);
  switch (judgement.kind) {
    case 'incomplete':
      return incomplete(file, identity, judgement.reason, judgement.message, deps);
    case 'rejected':
      // What can't be told may be the beginning of something that can.
      if (UNTOLD.has(judgement.reason) && !settling.requireLongQuiet(file)) return settling.keep(file);
      return note(file, identity, 'rejected', judgement.reason, judgement.message, deps);
    case 'image':
      if (judgement.growing && !settling.requireLongQuiet(file)) return settling.keep(file);
      return admitted({ path, lane, identity, bytes: read.bytes, type: judgement.type }, file, deps);
  }
}

async function admitted(candidate: Candidate, file: Unsettled, deps: ExamineDeps): Promise<void> {
  const { settings, ledger, inspector, clock, host, log, offline } = deps;
  if (offline?.isOn) {
    if (await offline.defer(candidate, settings)) deps.settling.done(file, candidate.identity);
    else deps.settling.retryLater(file);
    return;
  }
  const arrived = { endpoint: settings.endpoint, folder: settings.path, bytes: candidate.bytes };
  const result = await deps.payloads.keep(arrived, () =>
    admit(candidate, settings, { ledger, inspector, now: clock.now(), host }),
  );
  if (result === null) return deps.settling.retryLater(file);
  const { document } = result;
  const fields = { documentId: document.id, name: document.name, folder: settings.path, path: file.path };
  switch (result.kind) {
    case 'queued':
      log.info('Admitted', {
        ...fields,
        sha256: document.sha256,
        bytes: candidate.bytes.length,
        type: document.type,
      });
      break;
    case 'duplicate':
      log.info('Duplicate of a known document; not sent', fields);
      break;
    case 'requeued':
      log.info('Seen again; queued under its name', fields);
      break;
    case 'known':
      log.debug('Unchanged', fields);
      break;
  }
  offline?.decided(settings.path, file.path, candidate.identity);
  deps.settling.done(file, candidate.identity);
  deps.onAdmitted(result);
}

async function incomplete(
  file: Unsettled,
  identity: FileIdentity,
  reason: string,
  message: string,
  deps: ExamineDeps,
): Promise<void> {
  if (!deps.settling.markIncomplete(file, identity, reason, message))
    await note(file, identity, 'incomplete', reason, message, deps);
}

async function unreadable(
  file: Unsettled,
  identity: FileIdentity,
  code: string,
  deps: ExamineDeps,
): Promise<void> {
  if (deps.settling.blocked(file, code)) return;
  const message = `The file can't be read (${code}); it is tried again at every listing. Let the agent's user read it.`;
  await note(file, identity, 'unreadable', code, message, deps);
}

async function note(
  file: Unsettled,
  identity: FileIdentity,
  verdict: Note['verdict'],
  reason: string,
  message: string,
  deps: ExamineDeps,
): Promise<void> {
  const { settings, ledger, clock, log, settling, offline } = deps;
  if (offline?.isOn) {
    // What can't be read is tried again by itself.
    if (verdict !== 'unreadable') offline.decided(settings.path, file.path, identity);
    return settling.done(file, identity);
  }
  const policy = verdict === 'rejected' ? acceptPolicy(settings) : null;
  const seen = { folder: settings.path, path: file.path, identity };
  await deps.lookAtMount();
  const before = await ledger.known(seen);
  await ledger.note(seen, { verdict, reason, message, sha256: null, policy, at: clock.now() });
  // What can't be read is tried at every listing, and said once.
  const again = before?.verdict === verdict && sameIdentity(before.identity, identity);
  const fields = { folder: settings.path, path: file.path, reason, detail: message };
  if (again) log.debug(`Not sent: ${verdict}`, fields);
  else log.warn(`Not sent: ${verdict}`, fields);
  if (verdict !== 'unreadable') offline?.decided(settings.path, file.path, identity);
  settling.done(file, identity);
  deps.onNote(verdict, file.path);
}

async function vanished(file: Unsettled, deps: ExamineDeps): Promise<void> {
  deps.settling.drop(file);
  if (deps.offline?.isOn) return;
  await deps.ledger.gone(deps.settings.path, [file.path], deps.clock.now());
}

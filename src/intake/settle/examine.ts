import type { Buffers } from '../../core/ports/buffers.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FileRead, WatchedFolder } from '../../core/ports/folder.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { PageSplitter } from '../../core/ports/pages.ts';
import type { FileNote } from '../../core/ports/ledgerIntake.ts';
import { systemCode } from '../../core/domain/errors.ts';
import { sameIdentity, type FileIdentity } from '../../core/domain/document.ts';
import type { AdmissionSink } from './admissionSink.ts';
import { judge, judgeTooLarge, type Candidate, type Judgement } from './admit.ts';
import { isHeld, isLookedAt, keptBack, remarkFact } from '../../core/domain/look.ts';
import { toMessage, whyText, type WhyFact } from '../../core/domain/why.ts';
import type { Looked, Looks } from '../looks.ts';
import { NO_RECEIPT } from '../../core/domain/needsPerson.ts';
import type { ByteBudget } from '../../keeper/byteBudget.ts';
import type { Settling } from './settling.ts';
import type { Unsettled } from './unsettled.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';

export interface ExamineDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly sink: AdmissionSink;
  readonly inspector: ImageInspector;
  readonly log: Log;
  readonly memory: ByteBudget;
  /** Gets back the bytes of files that are not admitted. Left out if they are read into memory of their own. */
  readonly buffers?: Pick<Buffers, 'giveBack'> | undefined;
  /** Left out if no image checker is installed. */
  readonly looks?: Looks | undefined;
  /** Whether a decoder reads the whole image. Left out if none is installed. */
  readonly isWhole?: PageSplitter['isWhole'] | undefined;
  /**
   * Updates which file system the folder is on. Called between reading a file and recording it: known files identify the
   * folder's file system, so a file from another one must not be recorded first.
   */
  readonly lookAtMount: () => Promise<void>;
  /** Mark of the file system last seen there. */
  readonly mark: () => string | null;
  readonly onNote: (verdict: FileNote['verdict'], path: string) => void;
}

const UNTOLD: ReadonlySet<string> = new Set([NO_RECEIPT, 'DAMAGED', 'TYPE_UNKNOWN']);

/** Examines one file that may be at rest: it is admitted, noted, or goes back to settling. */
export async function examine(file: Unsettled, deps: ExamineDeps): Promise<void> {
  const { folder, settings, settling } = deps;
  const found = await folder.stat(file.path).catch((error: unknown) => {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  });
  if (typeof found === 'string') return unreadable(file, file.identity, found, deps);
  // A link or directory that replaced the file is not that file.
  if (found === null || found.kind === 'other') return vanished(file, deps);
  settling.see(file.path, found.identity, file.lane);
  if (!settling.isStill(file)) return settling.keep(file);
  // An event may change `file.identity` from here on; the verdict applies to this identity.
  const { identity } = file;
  if (file.waitsFor) return incomplete(file, identity, file.waitsFor.reason, file.waitsFor.why, deps);
  // Without room in the sink, reading the file would be wasted.
  if (!deps.sink.hasRoom(identity.size)) return settling.retryLater(file);
  const stillMs = settling.stillMs(file);
  const mark = deps.mark();
  await deps.memory.with(Math.min(identity.size, settings.maxFileSize), async () => {
    const read = await folder.read(file.path, settings.maxFileSize, { size: identity.size });
    await deps.lookAtMount();
    // It may have been read on another file system, or on one with a coarser clock.
    if (deps.mark() !== mark || stillMs < settling.quietAtLeastMs) return settling.disturbed(file);
    await afterRead(file, identity, mark, read, deps);
  });
}

async function afterRead(
  file: Unsettled,
  identity: FileIdentity,
  mark: string | null,
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
      const { reason, why } = judgeTooLarge(path, identity.size, settings);
      return note(file, identity, 'rejected', reason, why, deps);
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
  const judged = await judge(path, read.bytes, settings, deps.inspector);
  const judgement = await asDecoded(file, judged, read.bytes, deps);
  if (judgement === null) return settling.keep(file);
  if (judgement.kind === 'incomplete' || judgement.kind === 'rejected') deps.buffers?.giveBack(read.bytes);
  switch (judgement.kind) {
    case 'incomplete':
      return incomplete(file, identity, judgement.reason, judgement.why, deps);
    case 'rejected':
      // An unrecognized file may be the beginning of a valid one.
      if (UNTOLD.has(judgement.reason) && !settling.requireQuiet(file, 'long')) return settling.keep(file);
      return note(file, identity, 'rejected', judgement.reason, judgement.why, deps);
    case 'image':
      if (!settling.requireQuiet(file, judgement.quiet)) return settling.keep(file);
      return image(file, { path, lane, identity, mark, bytes: read.bytes, type: judgement.type }, deps);
    case 'pages':
      if (!settling.requireQuiet(file, judgement.quiet)) return settling.keep(file);
      if (await deps.sink.takeApart({ path, lane, identity, mark, bytes: read.bytes }))
        return settling.done(file, identity);
      return settling.retryLater(file);
  }
}

/** Asks a decoder about a file that is in doubt, once it is at rest. Null: it is not yet. */
async function asDecoded(
  file: Unsettled,
  judgement: Judgement,
  bytes: Buffer,
  { settling, isWhole }: ExamineDeps,
): Promise<Judgement | null> {
  if (judgement.kind === 'rejected' || !isWhole) return judgement;
  const [asked, quiet] =
    judgement.kind === 'incomplete'
      ? [judgement.doubt, judgement.doubt?.whole.quiet]
      : [judgement.hole, judgement.quiet];
  if (!asked || !quiet) return judgement;
  if (!settling.requireQuiet(file, quiet)) return null;
  const answer = await isWhole(bytes, asked.type);
  if ('whole' in asked) return answer === true ? asked.whole : judgement;
  return answer === false ? asked.incomplete : judgement;
}

async function image(file: Unsettled, candidate: Candidate, deps: ExamineDeps): Promise<void> {
  const { settling, settings, looks } = deps;
  let looked: Looked | null = null;
  if (looks && isLookedAt(settings)) {
    const at = { folder: settings.path, endpoint: settings.endpoint };
    looked = await looks.atImage(candidate.bytes, candidate.type, at);
    // The check takes time, and the folder may have been remounted meanwhile.
    await deps.lookAtMount();
    if (deps.mark() !== candidate.mark) return settling.disturbed(file);
  }
  const remark = looked?.remark ?? null;
  if (isHeld(remark, settings))
    return note(file, candidate.identity, 'rejected', remark.reason, keptBack(remark), deps);
  if (!(await deps.sink.admit(remark ? { ...candidate, remark } : candidate)))
    return settling.retryLater(file);
  settling.done(file, candidate.identity);
  await looked?.remember();
  if (!remark) return;
  const { reason } = remark;
  const detail = whyText(remarkFact(remark));
  deps.log.warn('sentWithRemark', { folder: settings.path, path: file.path, reason, detail });
}

async function incomplete(
  file: Unsettled,
  identity: FileIdentity,
  reason: string,
  why: WhyFact,
  deps: ExamineDeps,
): Promise<void> {
  if (!deps.settling.markIncomplete(file, identity, reason, why))
    await note(file, identity, 'incomplete', reason, why, deps);
}

async function unreadable(
  file: Unsettled,
  identity: FileIdentity,
  code: string,
  deps: ExamineDeps,
): Promise<void> {
  if (deps.settling.blocked(file, code)) return;
  await note(file, identity, 'unreadable', code, { is: 'cantBeRead', system: code }, deps);
}

async function note(
  file: Unsettled,
  identity: FileIdentity,
  verdict: FileNote['verdict'],
  reason: string,
  why: WhyFact,
  deps: ExamineDeps,
): Promise<void> {
  const isNoted = await deps.sink.note({
    path: file.path,
    identity,
    verdict,
    reason,
    message: toMessage(why),
  });
  deps.settling.done(file, identity);
  if (isNoted) deps.onNote(verdict, file.path);
}

async function vanished(file: Unsettled, deps: ExamineDeps): Promise<void> {
  deps.settling.drop(file);
  await deps.sink.gone(file.path);
}

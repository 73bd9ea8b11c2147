import type { Buffers } from '../core/ports/buffers.ts';
import type { Log } from '../core/ports/log.ts';
import type { FileRead, WatchedFolder } from '../core/ports/folder.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { FileNote } from '../core/ports/ledgerIntake.ts';
import { describeError, systemCode } from '../core/domain/errors.ts';
import { sameIdentity, type FileIdentity } from '../core/domain/document.ts';
import { isHeld, isLookedAt, keptBack, remarkFact } from '../core/domain/look.ts';
import { NO_RECEIPT } from '../core/domain/needsPerson.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { whyText, type WhyFact } from '../core/domain/why.ts';
import type { Notifier } from '../core/notifier.ts';
import type { Room } from '../keeper/byteBudget.ts';
import { judge, judgeTooLarge, type Candidate, type Judgement } from './judge.ts';
import type { Looked, Looks } from './looks.ts';
import type { Recorder } from './record.ts';
import type { UnstableFile, UnstableFiles } from './stability.ts';

export interface ExamineDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly unstable: UnstableFiles;
  readonly recorder: Recorder;
  readonly inspector: ImageInspector;
  readonly log: Log;
  readonly memory: Room;
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
  /** A file was examined. */
  readonly onExamined: () => void;
}

/** Files of one folder examined concurrently. Those admitted in the same turn share a commit. */
const AT_ONCE = 64;
/** New files are taken only when at most this many are in progress, so that they form batches. A single scan does not wait. */
const LEFT_OF_BATCH = AT_ONCE / 2;
/** Reasons for which a file may be the beginning of one that is sent. */
const UNRECOGNIZED: ReadonlySet<string> = new Set([NO_RECEIPT, 'DAMAGED', 'TYPE_UNKNOWN']);

/**
 * Examines the files of one folder as they fall due: each is admitted, noted, or looked at again later, and one's trouble is its own
 * (promise P4). While nothing can be recorded, all files wait.
 */
export class Examination {
  readonly #deps: ExamineDeps;
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: ExamineDeps) {
    this.#deps = deps;
  }

  /** Examines until aborted. Notify `notifier` when a file may be due sooner. */
  async run(notifier: Notifier, signal: AbortSignal): Promise<void> {
    const { unstable, recorder, onExamined } = this.#deps;
    const endListening = recorder.onChange(() => notifier.notify());
    while (!signal.aborted) {
      const room = this.#underWay.size > LEFT_OF_BATCH ? 0 : AT_ONCE - this.#underWay.size;
      for (const file of recorder.isOpen ? unstable.takeDue(room) : []) {
        const examining = this.#orRetry(file).then(() => {
          this.#underWay.delete(examining);
          if (this.#underWay.size <= LEFT_OF_BATCH) notifier.notify();
          onExamined();
        });
        this.#underWay.add(examining);
      }
      const mustWait = !recorder.isOpen || this.#underWay.size > LEFT_OF_BATCH;
      await notifier.wait(mustWait ? null : unstable.nextDueIn(), signal);
    }
    endListening();
    await Promise.all(this.#underWay);
  }

  async #orRetry(file: UnstableFile): Promise<void> {
    const { recorder, unstable, settings, log } = this.#deps;
    try {
      await this.#examine(file);
    } catch (error) {
      if (recorder.isOutage(error)) return unstable.retryLater(file);
      if (!recorder.isOpen) return unstable.putBack(file);
      const fields = { folder: settings.path, path: file.path, ...describeError(error) };
      if (unstable.failed(file)) log.error('fileNotRecorded', fields);
      else log.debug('fileStillNotRecorded', fields);
    }
  }

  async #examine(file: UnstableFile): Promise<void> {
    const { folder, settings, unstable, recorder, memory } = this.#deps;
    const found = await folder.stat(file.path).catch((error: unknown) => {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return code;
    });
    if (typeof found === 'string') return this.#unreadable(file, file.identity, found);
    // A link or directory that replaced the file is not that file.
    if (found === null || found.kind === 'other') return this.#vanished(file);
    unstable.see(file.path, found.identity, file.lane);
    if (!unstable.isStill(file)) return unstable.keep(file);
    // An event may change `file.identity` from here on; the verdict applies to this identity.
    const { identity } = file;
    if (file.waitsFor) return this.#incomplete(file, identity, file.waitsFor);
    // Without room, reading the file would be wasted.
    if (!recorder.hasRoom(identity.size)) return unstable.retryLater(file);
    const stillMs = unstable.stillMs(file);
    const mark = this.#deps.mark();
    await memory.with(Math.min(identity.size, settings.maxFileSize), async () => {
      const read = await folder.read(file.path, settings.maxFileSize, { size: identity.size });
      await this.#deps.lookAtMount();
      // It may have been read on another file system, or on one with a coarser clock.
      if (this.#deps.mark() !== mark || stillMs < unstable.quietAtLeastMs) return unstable.disturbed(file);
      await this.#judge(file, identity, mark, read);
    });
  }

  async #judge(
    file: UnstableFile,
    identity: FileIdentity,
    mark: string | null,
    read: FileRead,
  ): Promise<void> {
    const { unstable, settings, inspector, recorder, buffers } = this.#deps;
    const { path, lane } = file;
    switch (read.kind) {
      case 'gone':
        return this.#vanished(file);
      case 'changed':
        return unstable.disturbed(file);
      case 'unreadable':
        return this.#unreadable(file, identity, read.code);
      case 'tooLarge':
        return this.#note(file, identity, 'rejected', judgeTooLarge(path, identity.size, settings));
      case 'bytes':
        break;
    }
    if (!sameIdentity(read.identity, identity)) {
      unstable.see(path, read.identity, lane);
      return unstable.keep(file);
    }
    const { bytes } = read;
    const judgement = await this.#asDecoded(file, await judge(path, bytes, settings, inspector), bytes);
    if (judgement === null) return unstable.keep(file);
    if (judgement.kind === 'incomplete' || judgement.kind === 'rejected') buffers?.giveBack(bytes);
    switch (judgement.kind) {
      case 'incomplete':
        return this.#incomplete(file, identity, judgement);
      case 'rejected':
        // An unrecognized file may be the beginning of a valid one.
        if (UNRECOGNIZED.has(judgement.reason) && !unstable.requireQuiet(file, 'long'))
          return unstable.keep(file);
        return this.#note(file, identity, 'rejected', judgement);
      case 'image':
        if (!unstable.requireQuiet(file, judgement.quiet)) return unstable.keep(file);
        return this.#image(file, { path, lane, identity, mark, bytes, type: judgement.type });
      case 'pages':
        if (!unstable.requireQuiet(file, judgement.quiet)) return unstable.keep(file);
        if (await recorder.split({ path, lane, identity, mark, bytes })) return unstable.done(file, identity);
        return unstable.retryLater(file);
    }
  }

  /** Asks a decoder about a file that is in doubt, once it is at rest. Null: it is not yet. */
  async #asDecoded(file: UnstableFile, judgement: Judgement, bytes: Buffer): Promise<Judgement | null> {
    const { unstable, isWhole } = this.#deps;
    if (judgement.kind === 'rejected' || !isWhole) return judgement;
    const [asked, quiet] =
      judgement.kind === 'incomplete'
        ? [judgement.doubt, judgement.doubt?.whole.quiet]
        : [judgement.hole, judgement.quiet];
    if (!asked || !quiet) return judgement;
    if (!unstable.requireQuiet(file, quiet)) return null;
    const answer = await isWhole(bytes, asked.type);
    if ('whole' in asked) return answer === true ? asked.whole : judgement;
    return answer === false ? asked.incomplete : judgement;
  }

  async #image(file: UnstableFile, candidate: Candidate): Promise<void> {
    const { unstable, settings, looks, recorder, log } = this.#deps;
    const { path, identity } = candidate;
    let looked: Looked | null = null;
    if (looks && isLookedAt(settings)) {
      const at = { folder: settings.path, endpoint: settings.endpoint };
      looked = await looks.atImage(candidate.bytes, candidate.type, at);
      // The check takes time, and the folder may have been remounted meanwhile.
      await this.#deps.lookAtMount();
      if (this.#deps.mark() !== candidate.mark) return unstable.disturbed(file);
    }
    const remark = looked?.remark ?? null;
    if (isHeld(remark, settings))
      return this.#note(file, identity, 'rejected', { reason: remark.reason, why: keptBack(remark) });
    if (!(await recorder.admit(remark ? { ...candidate, remark } : candidate)))
      return unstable.retryLater(file);
    unstable.done(file, identity);
    await looked?.remember();
    if (!remark) return;
    const { reason } = remark;
    log.warn('sentWithRemark', {
      folder: settings.path,
      path,
      reason,
      detail: whyText(remarkFact(remark)),
    });
  }

  async #incomplete(file: UnstableFile, identity: FileIdentity, verdict: Verdict): Promise<void> {
    if (!this.#deps.unstable.markIncomplete(file, identity, verdict.reason, verdict.why))
      await this.#note(file, identity, 'incomplete', verdict);
  }

  async #unreadable(file: UnstableFile, identity: FileIdentity, code: string): Promise<void> {
    if (this.#deps.unstable.blocked(file, code)) return;
    await this.#note(file, identity, 'unreadable', { reason: code, why: { is: 'cantBeRead', system: code } });
  }

  async #note(
    file: UnstableFile,
    identity: FileIdentity,
    verdict: FileNote['verdict'],
    { reason, why }: Verdict,
  ): Promise<void> {
    const { recorder, unstable, onNote } = this.#deps;
    const { path } = file;
    const isNoted = await recorder.note({ path, identity, verdict, reason, why });
    unstable.done(file, identity);
    if (isNoted) onNote(verdict, path);
  }

  async #vanished(file: UnstableFile): Promise<void> {
    const { unstable, recorder } = this.#deps;
    unstable.drop(file);
    await recorder.gone(file.path);
  }
}

interface Verdict {
  readonly reason: string;
  readonly why: WhyFact;
}

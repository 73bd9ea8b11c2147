import {
  FRESH,
  BACKLOG,
  type AdmitAnswer,
  type BeginAnswer,
  type CopyAnswer,
  type Done,
  type Recorded,
} from '../core/messages.ts';
import type { AccountOf } from '../core/domain/account.ts';
import type { Document, DocumentState } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { pagePath } from '../core/domain/pages.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LedgerFleet } from '../core/ports/fleet.ts';
import type { Ledger, LedgerUpkeep } from '../core/ports/ledger.ts';
import type { Admission, Admitted, FileSeen, FileNote } from '../core/ports/ledgerIntake.ts';
import type { LedgerReports } from '../core/ports/ledgerReports.ts';
import { keptOf } from './payload.ts';
import { PAUSED } from '../core/domain/hold.ts';
import { holdKey, type Others } from './reads/holds.ts';
import { intakeReads } from './reads/intake.ts';
import { originalReads } from './reads/originals.ts';
import { pageReads } from './reads/pages.ts';
import { queueReads } from './reads/queue.ts';
import { createReports } from './reads/reports.ts';
import { identityText, type View } from './reads/view.ts';
import type { Runner } from './runner.ts';
import { Gathering } from './gathering.ts';

/** What a fleet decides with the requests of its agents. */
export interface Shared extends LedgerFleet {
  /** For a document whose bytes this agent does not find: when another one may have them. */
  elsewhere(
    document: number,
    at: number,
  ): Promise<{ readonly due: number; readonly message: string } | undefined>;
  /** Whether what this agent sees in the folder is what is there now: no other agent watches it. */
  watches(folder: string): boolean;
}

interface PortParts {
  readonly view: View;
  readonly clock: Clock;
  /** The ledger's clock, if it is another one. */
  readonly now?: Ledger['now'];
  readonly accountOf: AccountOf | undefined;
  readonly upkeep: LedgerUpkeep;
  readonly head: LedgerReports['head'];
  readonly closed: () => ReceiptdError;
  /** When what was gathered is committed. */
  readonly nextTurn?: (work: () => void) => void;
  /** The other agents, where there are any. */
  readonly fleet?: Shared;
  readonly others?: Others;
  /** Once everything that was asked is done. */
  readonly close: () => Promise<void>;
}

const SKIPPED_AT_ONCE = 500;

/** The ports of the ledger, over steps: a call is about one file or document, and those of one turn of the event loop share a transaction. */
export function portOver(runner: Pick<Runner, 'run' | 'storage' | 'blanked'>, parts: PortParts): Ledger {
  const { view, accountOf, clock, head, upkeep, closed, fleet = null, others = null } = parts;
  const { now = () => clock.now() } = parts;
  let isClosed = false;
  const gathering = new Gathering(runner, closed, parts.nextTurn);
  const reports = createReports(view, accountOf, others);
  const intake = intakeReads(view);
  const keyOf = (folder: string) => view.places.keyOf(folder);

  const seenOf = ({ folder, path, identity }: FileSeen) => ({
    folder: keyOf(folder),
    path,
    size: identity.size,
    identity: identityText(identity),
  });

  const noteItem = (file: FileSeen, { verdict, reason, message, sha256, policy, at }: FileNote) => ({
    ...seenOf(file),
    verdict,
    reason,
    message,
    sha256,
    policy,
    at,
  });

  async function need(id: number): Promise<Document> {
    const document = await reports.document(id);
    if (document === null) throw documentUnknown(id);
    return document;
  }

  /** A change that needs the document in some state: another one is refused. */
  async function moved(id: number, count: number, wanted: Parameters<typeof wrongState>[2]): Promise<void> {
    if (count > 0) return;
    const { name, state } = await need(id);
    throw wrongState(name, state, wanted);
  }

  /**
   * Whether the file says nothing about what is in the folder now. What was deferred may come when the agent that watches the folder knows a newer file at
   * its path; in a folder that this one watches, a newer file may have the earlier time, if a clock was set back.
   */
  async function isFormer(file: FileSeen): Promise<boolean | undefined> {
    const known = await intake.known(file);
    return known !== null && known.identity.ctimeNs > file.identity.ctimeNs ? true : undefined;
  }
  /** Else calls reach the ledger in the order in which they are made. */
  const mayBeFormer = ({ file, isElsewhere }: Pick<Admission, 'file' | 'isElsewhere'>): boolean =>
    isElsewhere !== true && fleet?.watches(file.folder) === false;

  async function admittedOf(answer: CopyAnswer, path: string, id: number): Promise<Admitted> {
    if (answer.kind === 'unknown') throw documentUnknown(id);
    if (answer.kind === 'unnamed') throw new ReceiptdError('TEMPLATE_INVALID.noFreeName', { path });
    if (answer.kind === 'skipped') throw new Error('bytes that are skipped were admitted');
    return { kind: answer.kind, document: await need(answer.document) };
  }

  return {
    ...intake,
    ...queueReads(view),
    ...originalReads(view),
    ...pageReads(view),
    ...reports,
    async markWatched(folder, skipped, note) {
      for (let start = 0; start < skipped.length; start += SKIPPED_AT_ONCE)
        await Promise.all(
          skipped.slice(start, start + SKIPPED_AT_ONCE).map((file) =>
            gathering.call('note', {
              ...noteItem(file, { ...note, verdict: 'skipped' }),
              unlessSent: true,
            }),
          ),
        );
      // Last, so that a crash in between does no harm.
      await gathering.call('folder', { folder: keyOf(folder), change: 'watched', at: note.at });
    },

    async lastFile() {
      return (await gathering.call('position', {})).last;
    },

    async setFolderMark(folder, mark, at) {
      await gathering.call('folder', { folder: keyOf(folder), change: 'placed', mark, at });
    },

    async doubtFolderMark(folder, mark) {
      await gathering.call('folder', { folder: keyOf(folder), change: 'placed', mark, at: clock.now() });
    },

    async admit(admission) {
      const { endpoint, file, sha256, type, lane, naming, remark = null, page, at } = admission;
      const isElsewhere = mayBeFormer(admission) ? await isFormer(file) : admission.isElsewhere;
      const answer = await gathering.call('admit', {
        ...seenOf(file),
        endpoint,
        sha256,
        type,
        priority: lane === 'fresh' ? FRESH : BACKLOG,
        naming,
        reason: remark?.reason,
        message: remark?.message,
        page: page?.split,
        isElsewhere,
        at,
      });
      if (answer.kind === 'queued') return { kind: 'queued', document: documentOf(admission, answer) };
      return admittedOf(answer, file.path, 0);
    },

    async note(file, note) {
      await gathering.call('note', noteItem(file, note));
    },

    async gone(folder, paths, at) {
      await gathering.call('gone', { folder: keyOf(folder), paths, at });
    },

    /* ---- Pages ---- */

    async beginSplit({ endpoint, file, sha256, at, ...known }) {
      const isElsewhere = mayBeFormer({ file, ...known }) ? await isFormer(file) : known.isElsewhere;
      const { split } = await gathering.call('split', { ...seenOf(file), endpoint, sha256, isElsewhere, at });
      return split === null ? null : { id: split, endpoint, file, sha256 };
    },

    async notePage({ id, file }, page, { reason, message, at }) {
      const path = pagePath(file.path, page);
      const note = { verdict: 'rejected', reason, message, sha256: null, policy: null, at } as const;
      await gathering.call('note', { ...noteItem({ ...file, path }, note), page: id });
    },

    async endSplit({ id }, end) {
      await gathering.call('endSplit', { split: id, ...end });
    },

    /* ---- Sending ---- */

    async recover(at) {
      return (await gathering.call('recover', { at })).moved.length;
    },

    async record(take) {
      const recorded = await gathering.record(() => {
        const { ends, begins } = take();
        return [
          { name: 'end', items: ends, isOutcome: true },
          { name: 'begin', items: begins },
        ];
      });
      const [ended, begun] = recorded as [Recorded<Done>, Recorded<BeginAnswer>];
      return { ended, begun };
    },

    async postpone(id, due, reason, message, at) {
      const item = { documents: [id], move: 'postpone', due, reason, message, at } as const;
      await moved(id, (await gathering.call('move', item)).moved.length, 'postpone');
    },

    async markLost(id, message, at, files) {
      const elsewhere = await fleet?.elsewhere(id, at);
      const lose = { move: 'lose', message, filesBefore: files ?? null, elsewhere } as const;
      const item = { documents: [id], ...lose, at };
      await moved(id, (await gathering.call('move', item)).moved.length, 'lose');
    },

    /* ---- Originals ---- */

    async setOriginalsRule(folder, rule, existing, at) {
      await gathering.call('folder', { folder: keyOf(folder), change: 'originals', rule, existing, at });
      const set = await reports.originalsRule(folder);
      if (set === null) throw new Error('a rule that was just set is there');
      return set;
    },

    async disposing(file, how, at) {
      await gathering.call('dispose', {
        file,
        step: how === null ? 'cancel' : 'begin',
        how: how ?? undefined,
        at,
      });
    },

    async disposed(file, how, archivedTo, at) {
      await gathering.call('dispose', { file, step: 'done', how, archivedTo, at });
    },

    async keepOriginal({ fileId, file }, at) {
      await gathering.call('dispose', { file: fileId, step: 'keep', seen: seenOf(file), at });
    },

    /* ---- Results ---- */

    async recordResult({ payload, ...result }) {
      const kept = keptOf(payload);
      const answer = await gathering.call('result', { ...result, ...kept, size: payload.length });
      const document = answer.document === null ? null : await reports.document(answer.document);
      return { id: answer.result, document, isNew: answer.isNew, isProof: answer.isProof };
    },

    /* ---- Holds ---- */

    async putHold({ scope, key, reason, message, since, until, demandedUntil }, sharedMs) {
      const hold = { reason, message, until, demandedUntil };
      const of = { scope, key: holdKey(view, scope, key), isPause: isPause(scope, reason) };
      await gathering.call('hold', { ...of, hold, sharedMs, at: since });
    },

    async clearHold(scope, key, reason) {
      const isPaused = isPause(scope, reason);
      const of = { scope, key: holdKey(view, scope, key), isPause: isPaused };
      await gathering.call('hold', {
        ...of,
        hold: null,
        reason: isPaused ? undefined : reason,
        at: clock.now(),
      });
    },

    /* ---- People ---- */

    async recordAct({ kind: act, by, detail, at }) {
      await gathering.call('record', { record: 'act', act, by, detail, at });
    },

    retry: async (documents, at) =>
      (await gathering.call('move', { documents, move: 'retry', at })).moved.length,

    dismiss: async ({ documents, files }, by, at) =>
      (await gathering.call('dismiss', { documents, files, isUndo: false, by, at })).count,

    undismiss: async ({ documents, files }, by, at) =>
      (await gathering.call('dismiss', { documents, files, isUndo: true, by, at })).count,

    async resend(id, at) {
      const item = { documents: [id], move: 'resend', at } as const;
      await moved(id, (await gathering.call('move', item)).moved.length, 'resend');
    },

    async erase(documents, at) {
      const { count } = await gathering.call('erase', { documents, at });
      await runner.blanked();
      return count;
    },

    async moveTo(documents, endpoint, by, at) {
      const answers = await Promise.all(
        [...new Set(documents)].map((document) => gathering.call('copy', { document, endpoint, by, at })),
      );
      return answers.filter(({ kind }) => kind !== 'unknown').length;
    },

    async admitElsewhere(document, endpoint, at) {
      const answer = await gathering.call('copy', { document, endpoint, by: null, at });
      return admittedOf(answer, '', document);
    },

    async recordEndpoint(endpoint, name, verbatim, at) {
      await gathering.call('record', { record: 'endpoint', endpoint, name, verbatim, at });
    },

    ...upkeep,
    now,
    fleet,
    head,
    storage: runner.storage,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await gathering.close();
      await parts.close();
    },
  };
}

function isPause(scope: string, reason: string | undefined): boolean {
  return reason === PAUSED && scope !== 'credentials';
}

/** A new document, as its row was just written: it need not be read back. */
function documentOf(
  { endpoint, file, sha256, type, lane, at }: Admission,
  { document: id, name }: Extract<AdmitAnswer, { kind: 'queued' | 'requeued' | 'duplicate' | 'known' }>,
): Document {
  const { folder, path, identity } = file;
  const { baseUrl, uid } = endpoint;
  return {
    id,
    endpoint: { baseUrl, uid },
    folder,
    path,
    name,
    sha256,
    type,
    size: identity.size,
    lane,
    state: 'queued',
    reason: null,
    message: null,
    serviceStatus: null,
    attempts: 0,
    oddAnswers: 0,
    answerLost: false,
    notBefore: 0,
    createdAt: at,
    updatedAt: at,
  };
}

function documentUnknown(id: number): ReceiptdError {
  return new ReceiptdError('DOCUMENT_UNKNOWN.number', { id });
}

function wrongState(
  name: string,
  state: DocumentState,
  wanted: 'postpone' | 'lose' | 'resend',
): ReceiptdError {
  return new ReceiptdError('DOCUMENT_STATE.wrong', { name, state, wanted });
}

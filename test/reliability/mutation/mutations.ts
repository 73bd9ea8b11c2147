import type { Edit } from './operators.ts';

export const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] as const;
export type PromiseName = (typeof PROMISES)[number];

/** A promise broken on purpose, and the test that must notice it. */
export interface Mutation {
  readonly what: string;
  /** Promises that it breaks, the main one first. */
  readonly promises: readonly PromiseName[];
  /** The simulation, whose oracle must report one of these promises, or a test file in which a test must fail. */
  readonly killedBy: 'simulation' | `test/${string}.test.ts`;
  /** A seed known to notice it, tried first. If it no longer does, seeds from 1 on are tried. */
  readonly seed?: number;
  /** Maximum number of simulated seeds until it is noticed; set if rare events have to coincide. */
  readonly seeds?: number;
  readonly edits: readonly Edit[];
}

const DELIVER = 'src/delivery/deliver.ts';
const OUTCOME = 'src/core/domain/outcome.ts';
const COMMIT = 'src/ledger/sqlite/commit.ts';
const FOLDER_WATCH = 'src/intake/folderWatch.ts';
const LISTINGS = 'src/intake/scan/folderListings.ts';
const DISPOSE = 'src/intake/dispose/dispose.ts';
const DURABILITY = 'test/reliability/durability/durability.test.ts';
const LIMITER = 'src/delivery/limits/limiter.ts';
const HOLDS = 'src/delivery/holds/holds.ts';
const HOLD_TIMERS = 'src/delivery/holds/holdTimers.ts';

/** The journal misses all events of one kind. */
const unwritten = (kind: string): Edit => ({
  file: COMMIT,
  in: 'emit',
  drop: 'push',
  becomes: `if (event.kind !== '${kind}') $&`,
});

export const MUTATIONS: readonly Mutation[] = [
  // Nothing is lost.
  {
    what: 'recovery is skipped at the start after a crash',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 6,
    edits: [{ file: 'src/delivery/recover.ts', in: 'recover', call: 'recover', becomes: '0' }],
  },
  {
    what: "the spool is not searched for a document's bytes",
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/delivery/payload/locateBytes.ts', in: 'locateBytes', call: 'read', becomes: 'null' },
    ],
  },
  {
    what: 'a spool copy is removed while its document waits',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/delivery/payload/spoolCopies.ts', in: 'dropUnwanted', condition: 'wanted', is: 'false' },
      { file: 'src/delivery/payload/spoolSweep.ts', in: 'dropUnwanted', condition: 'wanted', is: 'false' },
    ],
  },
  {
    what: 'a copy that became needed in the meantime is removed',
    promises: ['P1'],
    killedBy: 'simulation',
    seeds: 20_000,
    edits: [
      {
        file: 'src/delivery/payload/spoolSweep.ts',
        in: 'dropUnwanted',
        call: 'dropUnwanted',
        becomes: 'spool.remove(hash)',
      },
    ],
  },
  {
    what: 'copies that only the deferred journal needs are removed',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 158,
    edits: [{ file: 'src/intake/offline/offlineMode.ts', in: 'needs', returns: 'false' }],
  },
  {
    what: 'deferred images are ticked off but never admitted',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      {
        file: 'src/intake/offline/replay.ts',
        in: 'admitOne',
        first: 'if (image.path !== "") return deps.deferred.admitted(image);',
      },
    ],
  },
  {
    what: 'deferred images are ticked off before the ledger has them',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      {
        file: 'src/intake/offline/replay.ts',
        in: 'admitOne',
        first: 'await deps.deferred.admitted(image);',
      },
    ],
  },
  {
    what: 'only file system events are trusted',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: FOLDER_WATCH, value: 'isFull', becomes: 'this.#relistSoon' },
      { file: FOLDER_WATCH, value: 'isOver', becomes: 'now < 0' },
    ],
  },
  {
    what: 'a directory counts as unchanged forever',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/intake/scan/directoryCache.ts', condition: 'stamp', is: 'known === undefined' },
      { file: FOLDER_WATCH, value: 'isFull', becomes: 'this.#relistSoon' },
    ],
  },
  {
    what: 'the listing at start is skipped',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: FOLDER_WATCH, value: 'isFull', becomes: 'this.#relistSoon' },
      { file: FOLDER_WATCH, value: 'isOver', becomes: 'now < 0' },
      { file: LISTINGS, in: 'all', first: 'if (lane === "backlog") return 0;' },
    ],
  },
  {
    what: 'an unmounted folder counts as emptied',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 3,
    edits: [
      { file: 'src/intake/presence/mountIdentity.ts', call: 'foreign', becomes: 'this.takeOver(mark)' },
    ],
  },
  {
    what: 'a file is admitted without checking which file system its folder is on',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 100,
    edits: [
      { file: 'src/intake/settle/examine.ts', drop: 'lookAtMount' },
      {
        file: 'src/intake/offline/offlineMode.ts',
        in: '#round',
        call: 'lookAtMount',
        becomes: 'waiting.at(-1)?.mark ?? null',
      },
    ],
  },
  {
    what: 'a share that does not answer is treated as empty',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 3,
    edits: [
      { file: 'src/delivery/payload/bytesSearch.ts', in: '#isSearchedFor', returns: 'true' },
      { file: 'src/delivery/payload/locateBytes.ts', in: 'locateOriginal', value: 'away', becomes: 'null' },
    ],
  },
  {
    what: 'a refused image is not sent when it is scanned again',
    promises: ['P1'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [{ file: 'src/ledger/newDocument.ts', in: 'isToSendAgain', returns: "state === 'lost'" }],
  },
  {
    what: 'a file is taken in before its last pages are scanned',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 77,
    edits: [{ file: 'src/intake/settle/examine.ts', condition: 'growing', is: 'false' }],
  },
  {
    what: 'an unreadable page leaves no record',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 5,
    edits: [
      { file: 'src/intake/pages/splitWork.ts', in: '#page', call: 'notePage', becomes: 'Promise.resolve()' },
    ],
  },
  {
    what: 'an image that its folder holds back is sent',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/core/domain/look.ts', in: 'isHeld', returns: 'false' }],
  },
  {
    what: 'a page is named again although its first document was retried while it was drawn',
    promises: ['P2'],
    killedBy: 'test/intake/pages/splitWork.test.ts',
    edits: [
      {
        file: 'src/intake/pages/splitWork.ts',
        in: '#page',
        call: '#twins',
        becomes: 'Promise.resolve(new Map<number, SplitPage>())',
      },
    ],
  },
  {
    what: 'a blurred page is skipped as blank',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 13,
    edits: [{ file: 'src/intake/pages/splitWork.ts', in: 'isBackOfSheet', returns: 'pages > 1' }],
  },
  {
    what: 'an incomplete file is sent',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/intake/settle/admit.ts', in: 'judge', condition: 'incomplete', is: 'false' }],
  },
  {
    what: 'the admitted bytes differ from the bytes at rest',
    promises: ['P1'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [
      { file: 'src/intake/settle/examine.ts', in: 'afterRead', condition: 'sameIdentity', is: 'false' },
    ],
  },
  {
    what: 'a 200 with a web page counts as accepted',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 60,
    edits: [
      {
        file: OUTCOME,
        in: 'judgeRecord',
        first:
          "if (body.startsWith('<')) return { kind: 'accepted', record: { name: expected.name, endpointUid: '', status: 'OK', verbatim: body } };",
      },
    ],
  },
  {
    what: "another document's record counts as accepted",
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 105,
    edits: [{ file: OUTCOME, in: 'judgeRecord', condition: 'name', is: 'false' }],
  },
  {
    what: 'a 202 counts as accepted',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 64,
    edits: [{ file: OUTCOME, in: 'classify', condition: '200', is: 'status === 200 || status === 202' }],
  },
  {
    what: 'a result is acknowledged before it is durable',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [unwritten('result')],
  },
  {
    what: 'the answer to an upload overwrites the status of a later result',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 5,
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', condition: 'statuses', is: 'false' }],
  },
  {
    what: 'a result does not prove an upload whose answer was lost',
    promises: ['P1'],
    killedBy: 'simulation',
    seed: 465,
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', value: 'isProof', becomes: 'false' }],
  },
  {
    what: 'a result that arrives during a resend does not prove the first request',
    promises: ['P1'],
    killedBy: 'test/ledger/sqlite/thread/contract.test.ts',
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', value: 'wasLost', becomes: 'false' }],
  },
  {
    what: 'a result does not prove an earlier upload if a 401 and its replay come between',
    promises: ['P1'],
    killedBy: 'test/ledger/sqlite/thread/contract.test.ts',
    edits: [
      {
        file: 'src/ledger/resultRows.ts',
        in: 'besideThese',
        value: 'isProof',
        becomes: 'results > 0 && (isLost || wasLost)',
      },
    ],
  },
  {
    what: 'a spool copy is renamed before it is synced',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/copyFiles.ts', in: 'writeCopy', drop: 'sync' }],
  },
  {
    what: 'the directory of a spool copy is not synced',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/copyFiles.ts', in: 'writeCopy', drop: 'syncDirectory' }],
  },
  {
    what: 'the deferred journal is not synced',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/deferredJournal.ts', in: '#write', drop: 'datasync' }],
  },
  {
    what: "the ledger's journal is not synced",
    promises: ['P2'],
    killedBy: DURABILITY,
    edits: [
      { file: 'src/ledger/journal/journal.ts', drop: 'fdatasyncSync' },
      { file: 'src/ledger/journal/journal.ts', drop: 'fsyncSync' },
    ],
  },
  {
    what: "an original is deleted before the archive's directory is synced",
    promises: ['P3'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/intake/folder/moveToArchive.ts', in: 'moveToArchive', drop: 'syncDirectory' }],
  },
  {
    what: 'an original is deleted before its archived copy is synced',
    promises: ['P3'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/intake/folder/exclusiveCopy.ts', in: 'copy', drop: 'sync' }],
  },
  {
    what: 'the mount is not checked again after an image was examined',
    promises: ['P1'],
    killedBy: 'test/intake/presence/unmounted.test.ts',
    edits: [{ file: 'src/intake/settle/examine.ts', in: 'image', condition: 'mark', is: 'false' }],
  },
  {
    what: 'an image loses its copy while it is being deferred',
    promises: ['P1'],
    killedBy: 'test/intake/offline/offline.test.ts',
    edits: [
      {
        file: 'src/intake/offline/offlineMode.ts',
        in: 'needs',
        returns: 'this.#deps.deferred.needs(sha256)',
      },
    ],
  },
  {
    what: 'a document is lost although its file was seen again during the search',
    promises: ['P1'],
    killedBy: 'test/delivery/payload/bytesSearch.test.ts',
    edits: [
      {
        file: 'src/delivery/payload/bytesSearch.ts',
        in: '#lost',
        call: 'markLost',
        becomes: 'ledger.markLost(id, message, clock.now())',
      },
    ],
  },
  {
    what: 'a page whose image was lost is not drawn again',
    promises: ['P1'],
    killedBy: 'test/intake/pages/splitWork.test.ts',
    edits: [
      {
        file: 'src/intake/pages/splitWork.ts',
        in: '#pages',
        condition: 'lost',
        is: 'this.#refused.has(page) || before !== undefined',
      },
    ],
  },
  // One image, one name.
  {
    what: 'names are not written to the journal',
    promises: ['P2'],
    killedBy: 'simulation',
    edits: [unwritten('named')],
  },
  {
    what: 'a retry gets a new name',
    promises: ['P2'],
    killedBy: 'simulation',
    edits: [
      {
        file: DELIVER,
        in: 'send',
        value: 'upload',
        becomes: '{ ...$&, name: attemptId % 2 === 0 ? `${name}-again` : name }',
      },
    ],
  },
  {
    what: 'a known image gets a second name',
    promises: ['P2', 'P1'],
    killedBy: 'simulation',
    seed: 4,
    edits: [{ file: 'src/ledger/sqlite/admit.ts', in: 'admit', value: 'existing', becomes: 'undefined' }],
  },
  {
    what: 'an interrupted upload counts as never sent',
    promises: ['P2', 'P5', 'P6'],
    killedBy: 'simulation',
    seed: 142,
    edits: [{ file: 'src/ledger/sqlite/queue.ts', in: 'recover', value: 'outcome', becomes: "'notSent'" }],
  },
  {
    what: 'a claimed document is sent although a result has accepted it',
    promises: ['P2'],
    killedBy: 'simulation',
    seed: 420,
    edits: [
      {
        file: 'src/ledger/sqlite/queue.ts',
        in: 'idle',
        condition: 'attemptOpen',
        is: "row.state !== 'failed' && row.attemptOpen === 0",
      },
    ],
  },
  {
    what: "an image's buffer is reused while the image is being sent",
    promises: ['P2'],
    killedBy: 'simulation',
    seed: 3,
    edits: [
      {
        file: DELIVER,
        in: 'deliver',
        call: 'sending',
        becomes: '(payloads.accepted(document, bytes), $&)',
      },
    ],
  },
  {
    what: 'a new journal forgets the numbers that names have used',
    promises: ['P2'],
    killedBy: 'test/ledger/sqlite/recovery.test.ts',
    edits: [{ file: 'src/ledger/sqlite/snapshot.ts', in: 'documentEvents', value: 'seq', becomes: 'null' }],
  },
  {
    what: 'a claim ends before its change is durable',
    promises: ['P2'],
    killedBy: 'test/delivery/queue/dispatcher.test.ts',
    edits: [{ file: 'src/ledger/sqlite/queue.ts', in: 'writeClaimed', first: 'claims.drop(documentIds);' }],
  },
  // The original is sacred.
  {
    what: 'originals are deleted before acceptance',
    promises: ['P3'],
    killedBy: 'simulation',
    seed: 3,
    edits: [
      {
        file: 'src/ledger/disposalSql.ts',
        value: 'ACCEPTED_FILES',
        becomes: `$&.replace("AND d.state = 'accepted'", "AND d.state <> 'lost'")`,
      },
    ],
  },
  {
    what: 'originals from before afterUpload was set are disposed of',
    promises: ['P3'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [
      {
        file: 'src/ledger/disposalSql.ts',
        value: 'DISPOSABLE_FILES',
        becomes: "$&.replace('max(:after, :stays)', ':after').replace(':stays = 0 OR', ':stays >= 0 OR')",
      },
    ],
  },
  {
    what: 'an original is disposed of without comparing its bytes',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [{ file: DISPOSE, in: 'disposeAside', condition: 'hash', is: "read.kind !== 'bytes'" }],
  },
  {
    what: 'an original is compared by length only before disposal',
    promises: ['P3'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [
      {
        file: DISPOSE,
        in: 'disposeAside',
        condition: 'hash',
        is: "read.kind !== 'bytes' || read.bytes.length !== file.identity.size",
      },
    ],
  },
  {
    what: 'an original is disposed of without a durable intent',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [{ file: DISPOSE, in: 'disposeOne', drop: 'disposing' }],
  },
  {
    what: 'originals are deleted although the folder keeps them',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [
      { file: DISPOSE, in: 'disposeAccepted', condition: 'keep', is: 'false' },
      // Either check alone keeps them.
      { file: 'src/intake/dispose/originalsRule.ts', in: 'begin', condition: 'keep', is: 'false' },
    ],
  },
  {
    what: 'files set aside for disposal are forgotten after a crash',
    promises: ['P3', 'P1'],
    killedBy: 'simulation',
    seed: 214,
    edits: [{ file: DISPOSE, in: 'recoverAside', value: 'left', becomes: '[]' }],
  },
  {
    what: 'an original is deleted although its blank pages exist nowhere else',
    promises: ['P3'],
    killedBy: 'test/intake/dispose/dispose.test.ts',
    edits: [{ file: DISPOSE, in: 'disposeOne', condition: 'rejected', is: 'false' }],
  },
  {
    what: 'a write into an original is lost while the original is copied into the archive',
    promises: ['P3'],
    killedBy: 'test/intake/folder/moveRaces.test.ts',
    edits: [{ file: 'src/intake/folder/exclusiveCopy.ts', in: 'copy', condition: 'mtimeNs', is: 'false' }],
  },
  {
    what: 'an original is disposed of in a folder that has replaced another',
    promises: ['P3'],
    killedBy: 'test/intake/presence/unmounted.test.ts',
    edits: [{ file: 'src/intake/dispose/folderDisposal.ts', in: 'run', condition: 'isForeign', is: 'false' }],
  },
  // One receipt's trouble is its own.
  {
    what: 'one closed endpoint closes all others',
    promises: ['P4', 'P1'],
    killedBy: 'simulation',
    seed: 386,
    edits: [
      {
        file: HOLDS,
        in: 'holdEndpoint',
        call: '#closeEndpoint',
        becomes:
          "this.#close('service', sent.endpoint.baseUrl, sent, why, { range: HOLD_BACKOFF, retryAfterMs: null, short: false, recorded })",
      },
    ],
  },
  {
    what: 'an original that cannot be disposed of blocks its folder',
    promises: ['P4'],
    killedBy: 'test/intake/dispose/failing.test.ts',
    edits: [{ file: DISPOSE, in: 'disposeAccepted', condition: 'TROUBLE_OF_ALL', is: 'true' }],
  },
  {
    what: 'one refused account holds all other accounts',
    promises: ['P4'],
    killedBy: 'test/delivery/credentials.test.ts',
    edits: [{ file: 'src/core/domain/account.ts', in: 'credentialsKey', returns: 'baseUrl' }],
  },
  {
    what: 'a deferred image that cannot be admitted blocks the others',
    promises: ['P4'],
    killedBy: 'test/intake/offline/offline.test.ts',
    edits: [
      {
        file: 'src/intake/offline/replay.ts',
        in: 'admitOne',
        call: 'onOdd',
        becomes: 'Promise.reject(error)',
      },
    ],
  },
  {
    what: 'a document that always makes the service fail is never parked',
    promises: ['P4'],
    killedBy: 'test/delivery/refusals.test.ts',
    edits: [{ file: 'src/delivery/record.ts', value: 'parked', becomes: 'false' }],
  },
  {
    what: 'a file that cannot be examined stops its folder',
    promises: ['P4', 'P1'],
    killedBy: 'simulation',
    edits: [
      {
        file: 'src/intake/settle/examine.ts',
        in: 'unreadable',
        first: 'if (code !== "") await new Promise(() => {});',
      },
    ],
  },
  {
    what: "a file that can't be split now keeps the others waiting",
    promises: ['P4'],
    killedBy: 'test/intake/pages/splitWork.test.ts',
    edits: [{ file: 'src/intake/pages/pageIntake.ts', in: '#round', drop: 'add', becomes: 'break;' }],
  },
  // An outage fails nothing.
  {
    what: 'a server error fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
    seed: 32,
    edits: [
      {
        file: OUTCOME,
        in: 'classify',
        first:
          "if (answer.kind !== 'fault' && answer.httpStatus >= 500) return { kind: 'failed', reason: 'HTTP_500', message: 'It failed.' };",
      },
    ],
  },
  {
    what: 'a missing endpoint fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
    seed: 40,
    edits: [
      {
        file: OUTCOME,
        in: 'classify',
        first:
          "if (answer.kind !== 'fault' && answer.httpStatus === 404) return { kind: 'failed', reason: 'HTTP_404', message: 'It failed.' };",
      },
    ],
  },
  {
    what: 'a broken connection fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
    seed: 3,
    edits: [
      {
        file: OUTCOME,
        in: 'classify',
        first:
          "if (answer.kind === 'fault' && answer.sent) return { kind: 'failed', reason: answer.code, message: 'It failed.' };",
      },
    ],
  },
  {
    what: 'a refusal after a lost answer counts as failed',
    promises: ['P5'],
    killedBy: 'simulation',
    seed: 68,
    edits: [{ file: OUTCOME, in: 'classify', condition: 'answerLost', is: 'false' }],
  },
  {
    what: 'a redirect fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
    seed: 207,
    edits: [
      {
        file: OUTCOME,
        in: 'classify',
        first:
          "if (answer.kind !== 'fault' && answer.httpStatus === 302) return { kind: 'failed', reason: 'HTTP_302', message: 'It failed.' };",
      },
    ],
  },
  {
    what: 'a document that is sent again fails if its name is refused',
    promises: ['P5'],
    killedBy: 'test/delivery/refusals.test.ts',
    edits: [{ file: DELIVER, in: 'send', value: 'answerLost', becomes: 'document.answerLost' }],
  },
  {
    what: 'an outage parks the documents that it delays',
    promises: ['P5'],
    killedBy: 'test/delivery/refusals.test.ts',
    edits: [{ file: 'src/delivery/record.ts', value: 'others', becomes: 'true' }],
  },
  // Limits hold.
  {
    what: 'requests that wait for a rate window are forgotten when the clock is set back',
    promises: ['P5'],
    killedBy: 'test/delivery/limits/startWindow.test.ts',
    edits: [{ file: 'src/delivery/limits/startWindow.ts', in: 'renew', condition: 'size', is: 'true' }],
  },
  {
    what: 'an upload starts before its attempt is recorded',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [
      {
        file: DELIVER,
        in: 'send',
        call: 'begin',
        becomes:
          '(void service.upload({ endpoint, name, bytes, mediaType: deps.contentType(type), token }, signal, {}).catch(() => {}), $&)',
      },
    ],
  },
  {
    what: 'requests are not written to the journal',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [unwritten('began')],
  },
  {
    what: 'the rate window is empty after a restart',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 6,
    edits: [{ file: LIMITER, in: 'create', value: 'times', becomes: '[]' }],
  },
  {
    what: 'one request too many is in flight',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 5,
    edits: [
      { file: LIMITER, in: 'constructor', value: 'concurrency', becomes: '$& + 1' },
      { file: LIMITER, in: 'limitTo', first: 'atOnce += 1;' },
    ],
  },
  {
    what: "p-queue's rate window is removed",
    promises: ['P6'],
    killedBy: 'test/delivery/limits/pacer.test.ts',
    edits: [{ file: LIMITER, in: 'createStarts', condition: 'rate', is: 'false' }],
  },
  {
    what: 'the daily budget is ignored',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 38,
    edits: [{ file: 'src/core/domain/limits.ts', in: 'Budget.delay', condition: 'limit', is: 'true' }],
  },
  {
    what: 'a success opens a scope although a later request failed',
    promises: ['P6'],
    killedBy: 'test/delivery/holds/holds.test.ts',
    edits: [{ file: HOLD_TIMERS, in: 'close', drop: 'assign' }],
  },
  {
    what: 'Retry-After is ignored',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 36,
    edits: [{ file: HOLD_TIMERS, in: 'close', value: 'askedMs', becomes: '0' }],
  },
  {
    what: 'Retry-After of a server error is ignored',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 36,
    edits: [
      {
        file: HOLDS,
        in: 'serviceTrouble',
        call: '#close',
        becomes:
          "this.#close('service', sent.endpoint.baseUrl, sent, why, { range: SERVICE_BACKOFF, retryAfterMs: null, short: true, recorded })",
      },
    ],
  },
  {
    what: 'Retry-After is lost in a restart',
    promises: ['P6'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [{ file: HOLD_TIMERS, in: 'closeAgain', condition: 'waitMs', is: 'true' }],
  },
  {
    what: 'a Retry-After shorter than our own back-off is lost in a restart',
    promises: ['P6'],
    killedBy: 'test/delivery/holds/retryAfter.test.ts',
    edits: [{ file: HOLDS, in: '#close', value: 'demandedUntil', becomes: 'waitMs === askedMs ? $& : null' }],
  },
  {
    what: 'other requests leave while one probes a held endpoint',
    promises: ['P6'],
    killedBy: 'simulation',
    seed: 127,
    edits: [{ file: HOLDS, in: 'gate', condition: 'probe', is: 'false' }],
  },
  {
    what: "a fleet's request leaves without a final lease check",
    promises: ['P6'],
    killedBy: 'test/fleet/fleetRequests.test.ts',
    edits: [{ file: 'src/delivery/sendPermit.ts', in: 'leave', value: 'isLost', becomes: '!keepsTurn' }],
  },
  {
    what: 'a sleep of the machine cuts a Retry-After short',
    promises: ['P6'],
    killedBy: 'test/delivery/holds/retryAfter.test.ts',
    edits: [
      {
        file: HOLDS,
        in: 'woke',
        condition: 'patient',
        is: "hold.scope !== 'service' || hold.probe !== null",
      },
    ],
  },
  {
    what: 'a prepared request leaves although its folder was paused',
    promises: ['P6'],
    killedBy: 'test/delivery/queue/dispatcher.test.ts',
    edits: [
      {
        file: 'src/delivery/queue/sendGate.ts',
        in: 'isOpen',
        returns: "holds.gate(endpoint).kind === 'open' && !this.isShut",
      },
    ],
  },
  // Secrets stay secret.
  {
    what: 'a token is written to the journal',
    promises: ['P7'],
    killedBy: 'simulation',
    seed: 198,
    edits: [
      {
        file: DELIVER,
        in: 'send',
        call: 'replay',
        becomes: 'deps.recorder.replay(attemptId, `${outcome.message} (${token})`, signal)',
      },
    ],
  },
  {
    what: "the token route's answer is quoted in an error",
    promises: ['P7'],
    killedBy: 'test/api/token.test.ts',
    edits: [
      {
        file: 'src/api/token.ts',
        in: 'requestWith',
        call: 'strangeAnswer',
        becomes: 'strangeAnswer(`The token request was answered with ${answer.body}`)',
      },
    ],
  },
  {
    what: 'a log line is written unredacted',
    promises: ['P7'],
    killedBy: 'test/logs/log.test.ts',
    edits: [{ file: 'src/logs/redact.ts', in: 'redact', first: 'if (text !== "") return text;' }],
  },
  {
    what: 'a secret that the service repeats is stored unredacted',
    promises: ['P7'],
    killedBy: 'test/api/upload.test.ts',
    edits: [{ file: 'src/api/receiptService.ts', in: 'redacted', first: 'redact = (text) => text;' }],
  },
  {
    what: 'a credentials file readable by others is used',
    promises: ['P7'],
    killedBy: 'test/api/credentials/file.test.ts',
    edits: [{ file: 'src/system/privateFile.ts', condition: 'GROUP_AND_OTHERS', is: 'false' }],
  },
  {
    what: 'the program for results inherits the secrets of the agent',
    promises: ['P7'],
    killedBy: 'test/features/results/resultCommand.test.ts',
    edits: [
      {
        file: 'src/features/results/resultCommand.ts',
        in: '#hand',
        call: 'plainEnvironment',
        becomes: 'env',
      },
    ],
  },
];

import type { Edit } from './operators.ts';

export const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] as const;
export type PromiseName = (typeof PROMISES)[number];

/** A promise broken on purpose, and who has to notice. */
export interface Mutation {
  readonly what: string;
  /** Which the breach is of; the first one first. */
  readonly promises: readonly PromiseName[];
  /** The simulation, whose oracle complains of one of these promises; or the test in which a test fails. */
  readonly killedBy: 'simulation' | `test/${string}.test.ts`;
  /** Simulated seeds until it is noticed, at most; where rare things have to come together. */
  readonly seeds?: number;
  readonly edits: readonly Edit[];
}

const DELIVER = 'src/delivery/deliver.ts';
const OUTCOME = 'src/core/domain/outcome.ts';
const STORE = 'src/ledger/sqlite/store.ts';
const INTAKE = 'src/intake/intake.ts';
const LISTINGS = 'src/intake/scan/folderListings.ts';
const DISPOSE = 'src/intake/dispose/dispose.ts';
const DURABILITY = 'test/reliability/durability/durability.test.ts';
const LIMITER = 'src/delivery/limits/limiter.ts';
const HOLDS = 'src/delivery/holds/holds.ts';

/** The journal never hears of one kind of event. */
const unwritten = (kind: string): Edit => ({
  file: STORE,
  in: 'emit',
  drop: 'push',
  becomes: `if (event.kind !== '${kind}') $&`,
});

export const MUTATIONS: readonly Mutation[] = [
  // Nothing is lost.
  {
    what: 'what a crash interrupted is not put right at the next start',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/delivery/recover.ts', in: 'recover', call: 'recover', becomes: '0' }],
  },
  {
    what: 'the spool is forgotten when bytes are looked for',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/delivery/payload/locateBytes.ts', in: 'locateBytes', call: 'read', becomes: 'null' },
    ],
  },
  {
    what: 'copies are dropped while a document waits for them',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/delivery/payload/spoolCopies.ts', in: 'dropUnwanted', condition: 'wanted', is: 'false' },
      { file: 'src/delivery/payload/spoolSweep.ts', in: 'dropUnwanted', condition: 'wanted', is: 'false' },
    ],
  },
  {
    what: 'a copy is dropped that was wanted by the time of its removal',
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
    what: 'copies are dropped that only the journal of deferred images needs',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/intake/offline/offlineMode.ts', in: 'needs', returns: 'false' }],
  },
  {
    what: 'what was deferred is ticked off and never admitted',
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
    what: 'what was deferred is ticked off before the ledger has it',
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
    what: 'events alone are trusted',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: INTAKE, value: 'isFull', becomes: 'this.#relistSoon' },
      { file: INTAKE, value: 'isOver', becomes: 'now < 0' },
    ],
  },
  {
    what: 'a directory counts as unchanged for good',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/intake/scan/directoryCache.ts', condition: 'stamp', is: 'known === undefined' },
      { file: INTAKE, value: 'isFull', becomes: 'this.#relistSoon' },
    ],
  },
  {
    what: 'the listing at the start is left out',
    promises: ['P1', 'P4'],
    killedBy: 'simulation',
    edits: [
      { file: INTAKE, value: 'isFull', becomes: 'this.#relistSoon' },
      { file: INTAKE, value: 'isOver', becomes: 'now < 0' },
      { file: LISTINGS, in: 'all', first: 'if (lane === "backlog") return 0;' },
    ],
  },
  {
    what: 'a folder that was unmounted counts as emptied',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/intake/presence/mountIdentity.ts', call: 'foreign', becomes: 'this.takeOver(mark)' },
    ],
  },
  {
    what: 'a file is admitted without a look at what its folder lies on',
    promises: ['P1'],
    killedBy: 'simulation',
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
    what: 'a share that does not answer holds nothing, and nobody looks for what was in it',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: DELIVER, in: 'isSearchedFor', returns: 'true' },
      { file: 'src/delivery/payload/locateBytes.ts', in: 'locateOriginal', value: 'away', becomes: 'null' },
    ],
  },
  {
    what: 'a refused image that is scanned again is not sent',
    promises: ['P1'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [{ file: 'src/ledger/newDocument.ts', in: 'isToSendAgain', returns: "state === 'lost'" }],
  },
  {
    what: 'pages that are still to come are not waited for',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/intake/settle/examine.ts', condition: 'growing', is: 'false' }],
  },
  {
    what: 'a page that cannot be read is noted nowhere',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [
      { file: 'src/intake/pages/splitWork.ts', in: '#page', call: 'notePage', becomes: 'Promise.resolve()' },
    ],
  },
  {
    what: 'an image is sent that its folder keeps back',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/core/domain/look.ts', in: 'isHeld', returns: 'false' }],
  },
  {
    what: 'a page that is blurred is left out as if it were blank',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/intake/pages/splitWork.ts', in: 'isBackOfSheet', returns: 'pages > 1' }],
  },
  {
    what: 'a file is sent although its end is missing',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/intake/settle/admit.ts', in: 'judge', condition: 'incomplete', is: 'false' }],
  },
  {
    what: 'other bytes are admitted than those that lay still',
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
    edits: [{ file: OUTCOME, in: 'judgeRecord', condition: 'name', is: 'false' }],
  },
  {
    what: 'a 202 counts as accepted',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: OUTCOME, in: 'classify', condition: '200', is: 'status === 200 || status === 202' }],
  },
  {
    what: 'a result is answered as taken before it is durable',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [unwritten('result')],
  },
  {
    what: 'the answer to an upload takes the place of the status of a later result',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', condition: 'statuses', is: 'false' }],
  },
  {
    what: 'a result that came before an answer was lost is no proof',
    promises: ['P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', value: 'isProof', becomes: 'false' }],
  },
  {
    what: 'a result that came while its document was sent again is no proof of the first request',
    promises: ['P1'],
    killedBy: 'test/ledger/sqlite/contract.test.ts',
    edits: [{ file: 'src/ledger/resultRows.ts', in: 'besideThese', value: 'wasLost', becomes: 'false' }],
  },
  {
    what: 'a result does not prove an earlier upload if a 401 and its replay come between',
    promises: ['P1'],
    killedBy: 'test/ledger/sqlite/contract.test.ts',
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
    what: 'a copy in the spool is not synced before it gets its name',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/copyFiles.ts', in: 'writeCopy', drop: 'sync' }],
  },
  {
    what: 'the name of a copy in the spool is not synced',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/copyFiles.ts', in: 'writeCopy', drop: 'syncDirectory' }],
  },
  {
    what: 'the journal of deferred images is not synced',
    promises: ['P1'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/delivery/spool/deferredJournal.ts', in: '#write', drop: 'datasync' }],
  },
  {
    what: 'the journal of the ledger is not synced',
    promises: ['P2'],
    killedBy: DURABILITY,
    edits: [
      { file: 'src/ledger/journal/journal.ts', drop: 'fdatasyncSync' },
      { file: 'src/ledger/journal/journal.ts', drop: 'fsyncSync' },
    ],
  },
  {
    what: 'an original goes before the archive knows its name for good',
    promises: ['P3'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/intake/folder/moveToArchive.ts', in: 'moveToArchive', drop: 'syncDirectory' }],
  },
  {
    what: 'an original goes before its copy in the archive is synced',
    promises: ['P3'],
    killedBy: DURABILITY,
    edits: [{ file: 'src/intake/folder/exclusiveCopy.ts', in: 'copy', drop: 'sync' }],
  },
  // One image, one name.
  {
    what: 'names are not in the journal',
    promises: ['P2'],
    killedBy: 'simulation',
    edits: [unwritten('named')],
  },
  {
    what: 'a retry has a name of its own',
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
    what: 'an image that is known already is named again',
    promises: ['P2', 'P1'],
    killedBy: 'simulation',
    edits: [{ file: 'src/ledger/sqlite/admit.ts', in: 'admit', value: 'existing', becomes: 'undefined' }],
  },
  {
    what: 'an interrupted upload counts as never sent',
    promises: ['P2', 'P5'],
    killedBy: 'simulation',
    edits: [{ file: 'src/ledger/sqlite/queue.ts', in: 'recover', value: 'outcome', becomes: "'notSent'" }],
  },
  {
    what: 'a document that a result has accepted is sent if it was claimed before',
    promises: ['P2'],
    killedBy: 'simulation',
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
    what: 'the memory of an image is lent again while the image is sent',
    promises: ['P2'],
    killedBy: 'simulation',
    edits: [
      {
        file: DELIVER,
        in: 'deliver',
        call: 'sending',
        becomes: '$&.then(() => payloads.accepted(document, bytes))',
      },
    ],
  },
  // The original is sacred.
  {
    what: 'originals are deleted before they are accepted',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [
      {
        file: 'src/ledger/sqlite/sql/disposals.ts',
        value: 'ACCEPTED_FILES',
        becomes: `$&.replace("AND d.state = 'accepted'", "AND d.state <> 'lost'")`,
      },
    ],
  },
  {
    what: 'originals that were known before afterUpload was set are disposed of',
    promises: ['P3'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [
      {
        file: 'src/ledger/sqlite/sql/disposals.ts',
        value: 'DISPOSABLE_FILES',
        becomes: "$&.replace('max(:after, :stays)', ':after').replace(':stays = 0 OR', ':stays >= 0 OR')",
      },
    ],
  },
  {
    what: 'an original is disposed of without a look at its bytes',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [{ file: DISPOSE, in: 'disposeAside', condition: 'hash', is: "read.kind !== 'bytes'" }],
  },
  {
    what: 'an original is disposed of whose bytes are only as many as those that were sent',
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
    what: 'an original is disposed of before that is announced',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [{ file: DISPOSE, in: 'disposeOne', drop: 'disposing' }],
  },
  {
    what: 'originals are deleted although they are to be kept',
    promises: ['P3'],
    killedBy: 'simulation',
    edits: [
      { file: DISPOSE, in: 'disposeAccepted', condition: 'keep', is: 'false' },
      // Either of the two alone keeps them.
      { file: 'src/intake/dispose/originalsRule.ts', in: 'begin', condition: 'keep', is: 'false' },
    ],
  },
  {
    what: 'what was set aside is forgotten after a crash',
    promises: ['P3', 'P1'],
    killedBy: 'simulation',
    edits: [{ file: DISPOSE, in: 'recoverAside', value: 'left', becomes: '[]' }],
  },
  // One receipt's trouble is its own.
  {
    what: 'an endpoint that is closed closes all others',
    promises: ['P4', 'P1'],
    killedBy: 'simulation',
    edits: [
      {
        file: HOLDS,
        in: 'holdEndpoint',
        call: '#close',
        becomes: "this.#close('service', sent.endpoint.baseUrl, sent, why, times)",
      },
    ],
  },
  {
    what: 'an original that cannot be disposed of keeps all others of its folder waiting',
    promises: ['P4'],
    killedBy: 'test/intake/dispose/dispose.test.ts',
    edits: [{ file: DISPOSE, in: 'disposeAccepted', condition: 'TROUBLE_OF_ALL', is: 'true' }],
  },
  {
    what: 'an account that is refused holds the other accounts',
    promises: ['P4'],
    killedBy: 'test/delivery/outcomes.test.ts',
    edits: [{ file: 'src/core/domain/account.ts', in: 'credentialsKey', returns: 'baseUrl' }],
  },
  {
    what: 'a deferred image that cannot be admitted keeps the others waiting',
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
    what: 'a document that the service always fails on is never parked',
    promises: ['P4'],
    killedBy: 'test/delivery/outcomes.test.ts',
    edits: [{ file: 'src/delivery/record.ts', value: 'parked', becomes: 'false' }],
  },
  {
    what: 'a file that cannot be looked at ends the settling of its folder',
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
  // An outage fails nothing.
  {
    what: 'a server error fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
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
    what: 'an endpoint that is gone fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
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
    edits: [{ file: OUTCOME, in: 'classify', condition: 'answerLost', is: 'false' }],
  },
  {
    what: 'a redirect fails the document',
    promises: ['P5'],
    killedBy: 'simulation',
    edits: [
      {
        file: OUTCOME,
        in: 'classify',
        first:
          "if (answer.kind !== 'fault' && answer.httpStatus === 302) return { kind: 'failed', reason: 'HTTP_302', message: 'It failed.' };",
      },
    ],
  },
  // Limits hold.
  {
    what: 'an upload starts before it is recorded',
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
    what: 'requests are not in the journal',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [unwritten('began')],
  },
  {
    what: 'the rate starts over after a restart',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [{ file: LIMITER, in: 'create', value: 'times', becomes: '[]' }],
  },
  {
    what: 'one request more than allowed is under way',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [
      { file: LIMITER, in: 'constructor', value: 'concurrency', becomes: '$& + 1' },
      { file: LIMITER, in: 'limitTo', first: 'atOnce += 1;' },
    ],
  },
  {
    what: "p-queue's own window is left out",
    promises: ['P6'],
    killedBy: 'test/delivery/limits/pacer.test.ts',
    edits: [{ file: LIMITER, in: 'createStarts', condition: 'rate', is: 'false' }],
  },
  {
    what: 'the budget of the day is not kept',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [{ file: 'src/core/domain/limits.ts', in: 'Budget.delay', condition: 'limit', is: 'true' }],
  },
  {
    what: 'Retry-After is not heeded',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [{ file: HOLDS, in: '#close', value: 'asked', becomes: '0' }],
  },
  {
    what: 'Retry-After of a server error is not heeded',
    promises: ['P6'],
    killedBy: 'simulation',
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
    what: 'Retry-After is forgotten over a restart',
    promises: ['P6'],
    killedBy: 'simulation',
    seeds: 4_000,
    edits: [{ file: HOLDS, in: '#closeAgain', condition: 'waitMs', is: 'true' }],
  },
  {
    what: 'a Retry-After that is shorter than our own back-off is forgotten over a restart',
    promises: ['P6'],
    killedBy: 'test/delivery/holds/holds.test.ts',
    edits: [{ file: HOLDS, in: '#close', value: 'demandedUntil', becomes: 'waitMs === asked ? $& : null' }],
  },
  {
    what: 'others are sent while one request tries a held endpoint',
    promises: ['P6'],
    killedBy: 'simulation',
    edits: [{ file: HOLDS, in: 'gate', condition: 'probe', is: 'false' }],
  },
  {
    what: "a fleet's request leaves without a last look at its lease",
    promises: ['P6'],
    killedBy: 'test/fleet/fleet.test.ts',
    edits: [{ file: 'src/delivery/sendPermit.ts', in: 'leave', value: 'isLost', becomes: '!keepsTurn' }],
  },
  // Secrets stay secret.
  {
    what: 'a token is written into the journal',
    promises: ['P7'],
    killedBy: 'simulation',
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
    what: 'a log line is written as it came',
    promises: ['P7'],
    killedBy: 'test/logs/log.test.ts',
    edits: [{ file: 'src/logs/redact.ts', in: 'redact', first: 'if (text !== "") return text;' }],
  },
  {
    what: 'an answer of the service that repeats a secret is kept as it came',
    promises: ['P7'],
    killedBy: 'test/api/upload.test.ts',
    edits: [{ file: 'src/api/receiptService.ts', in: 'redacted', first: 'redact = (text) => text;' }],
  },
  {
    what: 'credentials in a file that others may read are used',
    promises: ['P7'],
    killedBy: 'test/api/credentials/file.test.ts',
    edits: [{ file: 'src/api/credentials/file.ts', condition: 'GROUP_AND_OTHERS', is: 'false' }],
  },
];

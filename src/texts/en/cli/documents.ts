import type { Format } from '../../format.ts';

/** Commands about documents: list, show, send, retry, resend, move, pause, resume, dismiss, erase, results, export. */
export const documentsHelp = {
  /** Of list, dismiss and export. */
  filters: {
    state: 'only these states',
    endpoint: 'only this endpoint',
    folder: 'only this folder',
    search:
      "only entries that contain all of these words in name, path, hash, state or the service's message; ignores case and accents",
    since:
      'only files first seen in this period or later, in local time: a day (2026-01-31), a month (2026-01), today, yesterday, last-week, last-month, or the last hours (2h)',
    until: 'only files first seen by the end of this period, given in the same way',
    where:
      'only entries whose results match, by names from results.columns: "total>=100", "total<=300", "merchant=hotel"',
    limit: 'maximum number of entries',
  },
  list: {
    about: 'list the files receiptd has seen, their names, and what happened to them',
    needsPerson: 'only what needs a person',
    dismissed: 'only what was dismissed',
    json: 'as one JSON array (docs/commands.md lists the fields)',
  },
  show: {
    about: "show everything about a document: files, attempts, the service's answer",
    json: 'as a JSON array, one object per endpoint that has the name',
    byContent: 'A file is looked up by its content, whatever its name is now and wherever it lies.',
  },
  send: {
    about: 'send individual files; they are named and recorded like scans, and stay where they are',
    file: 'images that are not in a watched folder',
    endpoint: 'endpoint to send to; optional if only one is configured',
    wait: 'how long to wait for the files to be accepted',
    noWait: 'return as soon as the files are named and saved; the agent, or the next run, sends them',
    json: 'as a JSON array of { file, outcome, name, message, fact }',
    statuses:
      '3 something failed, was rejected or lost; 4 something is still waiting; 5 the service could not be reached; 6 another receiptd is starting on this state directory; 130 stopped by a signal',
  },
  retry: {
    about: 'queue failed, unconfirmed, lost and waiting documents again now, under the same names',
    documents: 'document names, the start of names, or files',
    all: 'all such documents; also retries everything on hold',
    json: 'as JSON: { queued, names }',
  },
  resend: {
    about: 'send an accepted document again; this is recorded and counts against the quota',
    endpoint: 'send to this endpoint instead of its own',
    json: 'as JSON: { name, endpointUid, outcome }',
  },
  move: {
    about: 'move everything that waits for an endpoint that is gone to another one',
    from: 'uid of an endpoint that is no longer configured',
    to: 'alias of the endpoint that gets its documents',
    json: 'as JSON: { moved }',
  },
  pause: {
    about: 'pause uploads; scans are still named and recorded',
    until: 'when the pause ends by itself, such as 2h, 08:00, tomorrow, monday or 2026-01-31',
  },
  resume: { about: 'resume paused uploads' },
  /** Of both. */
  pauses: { target: 'a folder or an endpoint; everything if omitted', json: 'as JSON: { targets }' },
  dismiss: {
    about: 'mark documents or files that need a person as handled',
    documents: 'document names, file paths or file names',
    all: 'all that match the filters',
    undo: 'undo: they need a person again',
    json: 'as JSON: { dismissed }',
    more: 'Their state does not change, and `list` shows who dismissed them. A file that changes, or a document that fails again, needs a person again.',
  },
  erase: {
    about: 'permanently erase the personal data of documents (paths, messages, answers)',
    documents: 'document names',
    before: 'all documents named before this day (YYYY-MM-DD, local time)',
    withOriginals: 'also delete their files in watched folders, if accepted and unchanged',
    json: 'as JSON: { erased, skipped, there }',
    there:
      'A document is skipped while its file is in a watched folder: its path would be recorded again within a minute. Move the file away, or add --with-originals. Documents still waiting to be sent are skipped too.',
  },
  results: { about: 'results that the service posted about documents, and the address to post them to' },
  resultsList: {
    about: (shown: number) => `list the last ${shown} results, newest first`,
    unmatched: 'only results for unknown documents',
    json: 'all results, as one JSON array',
  },
  resultsShow: {
    about: 'show one result as it was posted',
    id: 'number of the result',
    json: 'as JSON, including the posted text',
  },
  resultsUrl: {
    about: 'print the address to give an endpoint as its outgoingUrl; it contains a secret',
    endpoint: 'the endpoint, if its results do not name it',
    base: 'address at which the service reaches this machine, such as https://receipts.example.com',
  },
  export: {
    about:
      "export the ledger to a file; FILE.head.json next to it holds the journal's last entry, for `ledger verify --head`",
    format: "defaults to the file's extension, otherwise csv",
    excel:
      'for Excel: UTF-8 with a byte order mark, and semicolons where the decimal separator is a comma; with --all-columns, heads and explanations in your language',
    allColumns: 'all columns, for programs: the heads are names of fields, times in UTC',
    separator: 'csv separator: ",", ";" or tab',
    output: 'file to create; defaults to standard output',
  },
};

export function documentsTexts({ counted, plural, bytes, time }: Format) {
  const erased = (n: number) => `Erased the personal data of ${counted(n, 'document', 'documents')}`;
  const queued = (n: number) => `Queued ${counted(n, 'document', 'documents')}`;
  return {
    filters: {
      nothing: 'Nothing yet.',
      /** `options`: as on a command line. */
      noMatch: (options: string) => `No matches for ${options}.`,
      notWatched: (folder: string) => `No matches: ${folder} is not a watched folder.`,
      inside: (watched: string) =>
        `It is inside ${watched}: use that with --folder, and search for the rest with --search.`,
      nearest: (watched: string) => `Did you mean ${watched}?`,
      watched: (folders: readonly string[]) => `Watched: ${folders.join(', ')}.`,
    },
    list: {
      dismissed: (p: { by: string; at: string }) => `Dismissed by ${p.by} on ${time(p.at)}.`,
    },
    /** Labels have at most 10 characters. */
    show: {
      unreadable: (file: string) => `${file} can't be read, so it is looked up by its path:`,
      otherContent: (file: string) =>
        `No document has the content of ${file}. This is the document of the file with that path:`,
      state: 'state',
      why: 'why',
      nextTry: 'next try',
      note: 'note',
      endpoint: 'endpoint',
      sha256: 'sha256',
      image: 'image',
      named: 'named',
      file: 'file',
      duplicate: 'duplicate',
      quality: 'quality',
      attempt: 'attempt',
      result: 'result',
      answer: 'answer',
      serviceSays: (status: string) => `service: ${status}`,
      notBefore: (at: string) => `not before ${time(at)}`,
      answerLost: 'One upload got no clear answer: the service may already have the document.',
      endpointAt: (alias: string | null, uid: string, baseUrl: string) =>
        `${alias === null ? uid : `${alias} (${uid})`} at ${baseUrl}`,
      imageOf: (type: string, size: number) => `${type}, ${counted(size, 'byte', 'bytes')}`,
      disposed: { archived: 'archived', deleted: 'deleted', kept: 'kept' },
      there: 'there',
      gone: (at: string) => `gone since ${time(at)}`,
      erased: (folder: string) => `erased; it was in ${folder}`,
      outcomes: {
        accepted: 'accepted',
        refused: 'refused',
        limited: 'limited',
        trouble: 'trouble',
        unknown: 'unknown',
        notSent: 'not sent',
        open: 'open',
      },
      underWay: 'running',
      noStatus: 'no status',
      more: '--json shows more of it',
      cut: (size: number, sha256: string) =>
        `the ledger keeps the beginning of ${bytes(size)}; SHA-256 of all: ${sha256}`,
    },
    send: {
      recorded: (file: string, name: string) => `${file}: recorded as ${name}.`,
      gone: 'It does not exist or is not a file.',
      changed: 'It changed while it was being read. Send it again once it is complete.',
      tooLarge: (limit: number) => `It has more than ${limit} bytes (\`maxFileSize\`).`,
      tooLargeToSend: (limit: number) => `It has more than ${limit} bytes (the most that can be sent so).`,
      unreadable: (system: string) => `It can't be read (${system}).`,
      itsTurn: 'It is waiting for its turn.',
      accepted: (file: string, name: string) => `${file}: accepted as ${name}`,
      queued: (file: string, name: string) => `${file}: queued as ${name}`,
      duplicate: (file: string, name: string) => `${file}: duplicate of ${name}`,
      duplicateWaits: (file: string, name: string) => `${file}: duplicate of ${name}, which waits`,
      rejected: (file: string, why: string) => `${file}: rejected: ${why}`,
      failed: (file: string, name: string) => `${file}: failed, as ${name}`,
      unconfirmed: (file: string, name: string) => `${file}: unconfirmed, as ${name}`,
      lost: (file: string, name: string) => `${file}: lost, as ${name}`,
    },
    retry: {
      soFar: (n: number) => `${queued(n)} so far`,
      queued: (n: number, names: readonly string[]) =>
        `${queued(n)}${names.length === 0 ? '' : `: ${names.join(', ')}`}.`,
      held: 'Everything on hold is being retried now.',
      missing: (agent: string) =>
        `Agent ${agent}, which alone has the image, is not running. Start it, or give it up: \`receiptd fleet retire ${agent}\`.`,
    },
    resend: {
      duplicate: (name: string) => `That endpoint already has this image, as "${name}".`,
      queued: (name: string, uid: string) => `Queued "${name}" for endpoint ${uid}.`,
    },
    move: {
      moved: (n: number, endpoint: string) => `Moved ${counted(n, 'document', 'documents')} to ${endpoint}.`,
    },
    pauses: {
      pause: (targets: readonly string[], until: number | null) =>
        `Paused ${targets.join(', ')}${until === null ? '' : ` until ${time(until)}`}.`,
      resume: (targets: readonly string[]) => `Resumed ${targets.join(', ')}.`,
      everything: 'everything',
      nothing: 'Nothing was paused.',
      newLedger: (stateDir: string) => `warning: ${stateDir} had no ledger; a new one was created.`,
    },
    dismiss: {
      done: (n: number) => `Dismissed ${counted(n, 'document or file', 'documents and files')}.`,
      undone: (n: number) =>
        `${counted(n, 'document or file needs', 'documents and files need')} a person again.`,
    },
    erase: {
      goes: "Erased permanently: the paths of their files, all messages, and the service's answers; in the ledger, in its journal, and in copies in the spool.",
      stays:
        'Name, hash, times and states stay, so the journal can still be verified. Not erased: the archive, the service itself, log files, exports, and earlier backups.',
      soFar: (n: number) => `${erased(n)} so far`,
      erased: (n: number) => `${erased(n)}.`,
      there: (name: string, files: number) =>
        `Not erased: ${name}, because its ${plural(files, 'file is', 'files are')} still in a watched folder:`,
      moveAway: (files: number) => `Move ${plural(files, 'it', 'them')} away first.`,
      moveAwayOr: (files: number) =>
        `Move ${plural(files, 'it', 'them')} away first, or add --with-originals to delete accepted files.`,
      waiting: 'Not erased, because still waiting to be sent:',
      ask: (n: number, names: readonly string[]) =>
        `Erase the personal data of ${counted(n, 'document', 'documents')} (${names.join(', ')})?`,
      askBefore: (n: number, before: string) =>
        `Erase the personal data of ${counted(n, 'document', 'documents')} named before ${before}?`,
    },
    results: {
      allMatch: 'Every result matches a document.',
      none: 'None yet.',
      columns: { id: 'ID', received: 'RECEIVED', status: 'STATUS', size: 'SIZE', document: 'DOCUMENT' },
      more: 'There are more. --json shows all of them.',
      unknown: '(unknown)',
      unknownName: (name: string) => `(unknown: ${name})`,
      title: (id: number) => `Result ${id}`,
      /** Labels have at most 10 characters. */
      labels: {
        received: 'received',
        document: 'document',
        name: 'name',
        endpoint: 'endpoint',
        status: 'status',
        sha256: 'sha256',
        payload: 'payload',
      },
      documentAt: (name: string, uid: string) => `${name} (endpoint ${uid})`,
      unknownHere: 'unknown here',
      noStatus: 'none',
      base64: (size: number) => `${bytes(size)}, shown in base64`,
      erased: '(erased)',
    },
    export: {
      head: (head: string) => `The journal's last entry at this time: ${head}`,
      wrote: (file: string, headFile: string) =>
        `Wrote ${file}, and the journal's last entry at that time to ${headFile}.`,
    },
  };
}

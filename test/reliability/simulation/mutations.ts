/** A promise broken on purpose: what stands in a file is replaced. `promise` is what the oracle has to complain of. */
export interface Mutation {
  readonly what: string;
  readonly promises: readonly string[];
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const edit = (file: string, from: string, to: string) => ({ file, from, to });

export const MUTATIONS: readonly Mutation[] = [
  {
    what: 'an upload starts before it is recorded',
    promises: ['P6'],
    edits: [
      edit(
        'src/pipeline/deliver.ts',
        `    const attemptId = await orCancel(slot, () => begin(document, bytes.length, deps));
    if (attemptId === null) {
      slot.cancel();
      return { isSettled: true, isAccepted: true, isTaken: looking === 0 };
    }
    const { place } = deps;
    const isKept = await orCancel(slot, () => isEntered(document, askedAt, deps, signal));
    const hasPlace = isKept && (await orCancel(slot, place));
    if (!hasPlace) slot.cancel();
    looking += 1;
    const answer = hasPlace
      ? await request(document, attemptId, bytes, token, slot, deps, signal, onTaken)
      : null;`,
        `    looking += 1;
    const asked = request(document, 0, bytes, token, slot, deps, signal, onTaken);
    const attemptId = await deps.ledger.begin(document.id, deps.clock.now(), bytes.length);
    const isKept = await orCancel(slot, () => isEntered(document, askedAt, deps, signal));
    const hasPlace = isKept && (await orCancel(slot, deps.place));
    const answer = hasPlace ? await asked : null;`,
      ),
    ],
  },
  {
    what: 'requests are not in the journal',
    promises: ['P6'],
    edits: [
      edit(
        'src/ledger/sqlite/store.ts',
        'this.#events.push(toJournal(event, at));',
        "if (event.kind !== 'began') this.#events.push(toJournal(event, at));",
      ),
    ],
  },
  {
    what: 'names are not in the journal',
    promises: ['P2'],
    edits: [
      edit(
        'src/ledger/sqlite/store.ts',
        'this.#events.push(toJournal(event, at));',
        "if (event.kind !== 'named') this.#events.push(toJournal(event, at));",
      ),
    ],
  },
  {
    what: 'a retry has a name of its own',
    promises: ['P2'],
    edits: [
      edit(
        'src/pipeline/deliver.ts',
        'const upload = { endpoint, name, bytes,',
        'const upload = { endpoint, name: slotName(name), bytes,',
      ),
      edit(
        'src/pipeline/deliver.ts',
        'function request(',
        `const sent = new Map<string, number>();
function slotName(name: string): string {
  const before = sent.get(name) ?? 0;
  sent.set(name, before + 1);
  return before === 0 ? name : \`\${name}-\${before}\`;
}

function request(`,
      ),
    ],
  },
  {
    what: 'an image that is known already is named again',
    promises: ['P1', 'P2'],
    edits: [
      edit(
        'src/ledger/sqlite/admit.ts',
        'const existing = documentByBytes(sql, endpoint, sha256);\n  const own',
        'const existing = undefined as DocumentRow | undefined;\n  const own',
      ),
    ],
  },
  {
    what: 'an interrupted upload counts as never sent',
    promises: ['P2', 'P5'],
    edits: [
      edit(
        'src/ledger/sqlite/queue.ts',
        "const end = { outcome: 'unknown' as const,",
        "const end = { outcome: 'notSent' as const,",
      ),
    ],
  },
  {
    what: 'what a crash interrupted is not put right at the next start',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/recover.ts',
        'const interrupted = await deps.ledger.recover(deps.clock.now());',
        'const interrupted: number = 0;',
      ),
    ],
  },
  {
    what: 'half a commit is taken over from the journal',
    promises: ['P1', 'P2', 'P3'],
    edits: [
      edit(
        'test/reliability/simulation/stateDirectory.ts',
        "if (kill === 'after') this.#append(events);",
        "this.#append(events.slice(0, kill === 'after' ? events.length : 1));",
      ),
    ],
  },
  {
    what: 'originals are deleted before they are accepted',
    promises: ['P3'],
    edits: [edit('src/ledger/sqlite/sql/sightings.ts', "AND d.state = 'accepted'", "AND d.state <> 'lost'")],
  },
  {
    what: 'an original is disposed of without a look at its bytes',
    promises: ['P3'],
    edits: [
      edit(
        'src/pipeline/dispose.ts',
        "if (read.kind !== 'bytes' || sha256(read.bytes) !== hash) {",
        "if (read.kind !== 'bytes') {",
      ),
    ],
  },
  {
    what: 'originals are deleted although they are to be kept',
    promises: ['P3'],
    edits: [edit('src/pipeline/dispose.ts', "if (settings.afterUpload === 'keep') return true;", '')],
  },
  {
    what: 'what was set aside is forgotten after a crash',
    promises: ['P1', 'P3'],
    edits: [
      edit(
        'src/pipeline/dispose.ts',
        'const left = await folder.leftAside(signal);',
        'const left: Awaited<ReturnType<WatchedFolder["leftAside"]>> = signal.aborted ? await folder.leftAside() : [];',
      ),
    ],
  },
  {
    what: 'the spool is forgotten when bytes are looked for',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/originals.ts',
        'const bytes = await spool.read(document.sha256);',
        'const bytes = document.id < 0 ? await spool.read(document.sha256) : null;',
      ),
    ],
  },
  {
    what: 'copies are dropped while a document waits for them',
    promises: ['P1'],
    edits: [
      edit('src/pipeline/copies.ts', '      if (wanted.has(hash)) return;\n', ''),
      edit('src/pipeline/spoolSweep.ts', '      if (wanted.has(hash)) continue;\n', ''),
    ],
  },
  {
    what: 'copies are dropped that only the journal of accepted images needs',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/absence.ts',
        'return this.#accepting.has(sha256) || this.#deps.standby.needs(sha256);',
        'return sha256 === this.#deps.host;',
      ),
    ],
  },
  {
    what: 'events alone are trusted',
    promises: ['P1', 'P4'],
    edits: [
      edit(
        'src/pipeline/intake.ts',
        'const isFull = this.#relistSoon || now >= due.all;\n        const isOver = now >= due.changed;',
        'const isFull = this.#relistSoon;\n        const isOver = now < 0;',
      ),
    ],
  },
  {
    what: 'a directory counts as unchanged for good',
    promises: ['P1', 'P4'],
    edits: [
      edit(
        'src/pipeline/unchanged.ts',
        'if (known?.stamp !== stamp) return null;',
        "if (!known || stamp === '') return null;",
      ),
      edit(
        'src/pipeline/intake.ts',
        'const isFull = this.#relistSoon || now >= due.all;',
        'const isFull = this.#relistSoon;',
      ),
    ],
  },
  {
    what: 'the listing at the start is left out',
    promises: ['P1', 'P4'],
    edits: [
      edit(
        'src/pipeline/intake.ts',
        '    return this.#listAll(lane, signal);',
        '    return signal.aborted ? this.#listAll(lane, signal) : 0;',
      ),
      edit(
        'src/pipeline/intake.ts',
        'const isFull = this.#relistSoon || now >= due.all;\n        const isOver = now >= due.changed;',
        'const isFull = this.#relistSoon;\n        const isOver = now < 0;',
      ),
    ],
  },
  {
    what: 'a folder that was unmounted counts as emptied',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/folderPlace.ts',
        '    return foreign(this.#folder.path, home?.mark ?? FORGOTTEN, mark);',
        '    return this.takeOver(mark);',
      ),
    ],
  },
  {
    what: 'a share that does not answer holds nothing, and nobody looks for what was in it',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/deliver.ts',
        '  return lookedThrough(folder, since);',
        '  return since >= 0 || lookedThrough(folder, since);',
      ),
      edit(
        'src/pipeline/originals.ts',
        "        away = `${folder}/${path} can't be read (${read.code}).`;\n",
        '',
      ),
    ],
  },
  {
    what: 'pages that are still to come are not waited for',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/examine.ts',
        'if (judgement.growing && !settling.needsLong(file)) return settling.keep(file);',
        '',
      ),
    ],
  },
  {
    what: 'a file is sent although its end is missing',
    promises: ['P1'],
    edits: [
      edit(
        'src/pipeline/admit.ts',
        "if (inspection.structure === 'incomplete') {",
        'if (bytes.length < 0) {',
      ),
      edit('src/pipeline/admit.ts', '${inspection.detail}. It is', '${inspection.type}. It is'),
    ],
  },
  {
    what: 'a 200 with a web page counts as accepted',
    promises: ['P1'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        "    return notOurs('the body is not JSON');",
        "    return { kind: 'accepted', record: { name: expected.name, endpointUid: '', status: 'OK', verbatim: body } };",
      ),
    ],
  },
  {
    what: "another document's record counts as accepted",
    promises: ['P1'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        "  if (name !== expected.name) return notOurs('the record carries another name');\n",
        '',
      ),
      edit(
        'src/domain/outcome.ts',
        'record: { name, endpointUid',
        'record: { name: expected.name, endpointUid',
      ),
    ],
  },
  {
    what: 'a 202 counts as accepted',
    promises: ['P1'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        'if (status === 200) return judgeRecord(body, expected);',
        'if (status === 200 || status === 202) return judgeRecord(body, expected);',
      ),
    ],
  },
  {
    what: 'a server error fails the document',
    promises: ['P5'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        '  if (status >= 500) {\n',
        "  if (status >= 500) {\n    if (status === 500) return { kind: 'failed', reason: 'HTTP_500', message: 'It failed.' };\n",
      ),
    ],
  },
  {
    what: 'an endpoint that is gone fails the document',
    promises: ['P5'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        '      return hold(status, `The service does not know this endpoint${words}.`);',
        "      return { kind: 'failed', reason: `HTTP_${status}`, message: 'It failed.' };",
      ),
    ],
  },
  {
    what: 'a broken connection fails the document',
    promises: ['P5'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        "  if (answer.kind === 'fault') {\n",
        "  if (answer.kind === 'fault') {\n    if (answer.sent) return { kind: 'failed', reason: answer.code, message: 'It failed.' };\n",
      ),
    ],
  },
  {
    what: 'a refusal after a lost answer counts as failed',
    promises: ['P5'],
    edits: [
      edit(
        'src/domain/outcome.ts',
        '      return expected.answerLost\n        ? unconfirmed(status, words)',
        '      return expected.name === ""\n        ? unconfirmed(status, words)',
      ),
    ],
  },
  {
    what: 'the rate begins anew after a restart',
    promises: ['P6'],
    edits: [
      edit(
        'src/pipeline/pacer.ts',
        'times.map((at) => Math.min(at, now) + offset),',
        'times.filter(() => false).map((at) => Math.min(at, now) + offset),',
      ),
    ],
  },
  {
    what: 'one request more than allowed is under way',
    promises: ['P6'],
    edits: [
      edit(
        'src/compose/pipeline.ts',
        'const overall = config.delivery.limits;',
        'const overall = { ...config.delivery.limits, concurrency: config.delivery.limits.concurrency + 1 };',
      ),
    ],
  },
  {
    what: 'the budget of the day is not kept',
    promises: ['P6'],
    edits: [
      edit(
        'src/domain/limits.ts',
        'if (this.#used < this.limit) return 0;',
        'if (this.#used < this.limit * 100) return 0;',
      ),
    ],
  },
  {
    what: 'Retry-After is not heeded',
    promises: ['P6'],
    edits: [
      edit(
        'src/pipeline/holds.ts',
        'const asked = Math.min(retryAfterMs ?? 0, LONGEST_DEMAND_MS);',
        'const asked = Math.min(retryAfterMs ?? 0, 0);',
      ),
    ],
  },
  {
    what: 'an endpoint that is closed closes all others',
    promises: ['P4', 'P1'],
    edits: [
      edit(
        'src/pipeline/holds.ts',
        "await this.#close('endpoint', endpointId(sent.endpoint), sent, why, HOLD_BACKOFF, null, false);",
        "await this.#close('service', sent.endpoint.baseUrl, sent, why, HOLD_BACKOFF, null, false);",
      ),
    ],
  },
  {
    what: 'the memory of an image is lent again while the image is sent',
    promises: ['P2'],
    edits: [
      edit(
        'src/pipeline/deliver.ts',
        'await keeper.sending(document, bytes);',
        'await keeper.sending(document, bytes);\n        keeper.accepted(document, bytes);',
      ),
    ],
  },
  {
    what: 'a token is written into the journal',
    promises: ['P7'],
    edits: [
      edit(
        'src/pipeline/deliver.ts',
        'await deps.recorder.replay(attemptId, outcome.message, signal);',
        'await deps.recorder.replay(attemptId, `${outcome.message} (${token})`, signal);',
      ),
    ],
  },
  {
    what: 'a result is answered as taken before it is durable',
    promises: ['P1'],
    edits: [
      edit(
        'src/ledger/sqlite/store.ts',
        'this.#events.push(toJournal(event, at));',
        "if (event.kind !== 'result') this.#events.push(toJournal(event, at));",
      ),
    ],
  },
  {
    what: 'a document that a result has accepted is sent if it was claimed before',
    promises: ['P2'],
    edits: [
      edit(
        'src/ledger/sqlite/queue.ts',
        "if (row.state === 'queued' || (row.state === 'uploading' && row.attemptOpen === 0)) return row;",
        "if (row.state !== 'failed' && row.attemptOpen === 0) return row;",
      ),
    ],
  },
  {
    what: 'the answer to an upload takes the place of the status of a later result',
    promises: ['P1'],
    edits: [
      edit(
        'src/ledger/sqlite/results.ts',
        "if (move.state === 'accepted') return statuses > 0 ? { ...move, status } : move;",
        "if (move.state === 'accepted') return move;",
      ),
    ],
  },
  {
    what: 'a result that came before an answer was lost is no proof',
    promises: ['P1'],
    edits: [
      edit(
        'src/ledger/sqlite/results.ts',
        "return results > 0 ? { state: 'accepted', status, response } : move;",
        'return move;',
      ),
    ],
  },
];

import type { Event } from '../../oracle/evidence.ts';
import { readChain } from '../../oracle/journal.ts';
import { UIDS } from '../support/office.ts';
import type { World } from './world.ts';

/** How much closer together requests may arrive on a busy machine than they were sent. */
const LEEWAY_MS = 250;

/** What was seen of a fleet, for the oracle. The chains are those of agents on one machine, so their times put them in order. */
export function historyOf(world: World): Event[] {
  const { folder, scans, perSecond, stallMs, documents, attempts } = world;
  const uid = UIDS.office;
  const rate = perSecond === null ? null : { count: perSecond, intervalMs: 1_000 };
  const settings = {
    folders: [{ path: folder, uid, afterUpload: 'keep', archive: null }],
    endpoints: { [uid]: { rate } },
    leewayMs: LEEWAY_MS + 2 * stallMs,
  } as const;
  const chains = world.chains.map(({ agent, lines, headSeq: seq, headHash: hash }) => ({
    agent,
    ...readChain(lines, { seq, hash }),
  }));
  const entries = chains
    .flatMap((chain) => chain.entries)
    .toSorted((a, b) => String(a.at).localeCompare(String(b.at)));
  const events: Event[] = [{ kind: 'settings', settings }];
  for (const { sha256, path, isThere, isDue } of scans) {
    events.push({ kind: 'content', at: 0, content: { sha256, is: 'image' } });
    events.push({ kind: 'image', uid, sha256, knownAs: isDue ? null : 'unseen' });
    if (isThere && isDue) events.push({ kind: 'file', at: 0, folder, path, sha256 });
  }
  events.push({ kind: 'possible', entries }, ...requestsOf(world, uid));
  for (const entry of entries) events.push({ kind: 'entry', at: 0, entry });
  for (const { agent, problem } of chains)
    events.push({ kind: 'journal', where: `the chain of ${agent}`, problem });
  const sent = attempts.filter(({ outcome }) => outcome !== 'notSent');
  const rows = documents.map(({ path, message: reason, ...document }) => ({
    ...document,
    reason,
    path: `${folder}/${path}`,
    attempts: sent.filter((attempt) => attempt.document === document.id).length,
  }));
  const left = [
    ...documents.flatMap(({ name, claimedBy }) =>
      claimedBy === null ? [] : [`${name} is still claimed by agent ${claimedBy}`],
    ),
    ...attempts.flatMap(({ id, agent, outcome }) =>
      outcome === null ? [`attempt ${id} of agent ${agent} never ended`] : [],
    ),
  ];
  const stored = world.stored.map(({ endpointUid, name, sha256, tries }) => ({
    uid: endpointUid,
    name,
    sha256,
    tries,
  }));
  return [...events, { kind: 'end', end: { rows, stored, left } }];
}

function* requestsOf({ requests, stored }: World, uid: string): Generator<Event> {
  const repeated = new Set(stored.filter(({ tries }) => tries > 1).map(({ name }) => name));
  const inOrder = requests.toSorted((a, b) => a.arrivedAt - b.arrivedAt);
  for (const [id, { name, arrivedAt: at, status }] of inOrder.entries()) {
    // A frozen agent may have sent it when it continued.
    const mayBeLate = repeated.has(name);
    yield { kind: 'request', request: { id, uid, name, sha256: null, askedAt: at, at, life: 1, mayBeLate } };
    yield { kind: 'answer', id, at, answer: { status, isRecord: status === 200, reached: null } };
  }
}

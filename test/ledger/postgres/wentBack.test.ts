import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import type { Admission } from '../../../src/core/ports/ledgerIntake.ts';
import { ACCEPTANCE, admission, claim, naming } from '../../contract/ledger/support.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { FleetPlace, type Agent } from './fleetPlace.ts';
import { targetOf } from './place.ts';

/** Names are numbers, and no number may name two images. */
function numbered(content: string, folder: string): Admission {
  const file = { folder, path: `${content}.jpg`, identity: { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n } };
  return admission(`${content}.jpg`, content, { file, naming: naming('{seq}', content) });
}

describe.skipIf(!needsPostgres())('a database restored to an earlier state', () => {
  let place: FleetPlace;
  let dir: string;
  const stories: string[] = [];

  beforeEach(async () => {
    stories.length = 0;
    place = await FleetPlace.create();
    dir = await mkdtemp(join(tmpdir(), 'receiptd-back-'));
    cleanUp(async () => {
      await place.remove();
      await rm(dir, { recursive: true });
    });
  });

  const instances = new Map<string, string>();
  function open(name: string): Promise<Agent> {
    const instance = instances.get(name) ?? randomUUID();
    instances.set(name, instance);
    const memoryPath = join(dir, name);
    return place.open(name, {
      instance,
      memoryPath,
      random: () => 0,
      onWentBack: (story) => stories.push(`${name}: ${story}`),
    });
  }

  async function named(agent: Agent, ...contents: readonly string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    for (const content of contents) {
      const { document } = await agent.admit(numbered(content, `/mnt/${agent.fleet.agent}`));
      ids.set(content, document.id);
    }
    return ids;
  }

  const sent = async (agent: Agent, id: number | undefined): Promise<void> =>
    agent.finish(await agent.begin(id ?? 0, 2_000, 1), ACCEPTANCE);

  const told = (count: number) => vi.waitUntil(() => stories.length >= count, { timeout: 30_000 });
  /** Writes are possible; this one adds no entry. */
  const works = (agent: Agent) =>
    vi.waitFor(() => agent.fleet.endLead(`/mnt/${agent.fleet.agent}`), { timeout: 30_000, interval: 20 });

  const standing = () =>
    place.ask<{ path: string; name: string; state: string; answer_lost: number; outcomes: string | null }>(
      `SELECT d.path, d.name, d.state, d.answer_lost,
              (SELECT string_agg(a.outcome, ' ') FROM attempts a WHERE a.document_id = d.id) AS outcomes
         FROM documents d ORDER BY d.path`,
    );

  it('is noticed by its agents, which reuse the same names and mark sent documents', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const before = await named(a, 'before', 'waiting');
    const kept = await place.keep();
    await Promise.all([works(a), works(b)]);
    const lost = await named(a, 'first', 'second', 'third');
    await sent(a, before.get('before'));
    await sent(b, lost.get('second'));
    await kept.restore();
    await told(2);
    await Promise.all([works(a), works(b)]);
    expect(stories.toSorted()).toEqual([
      expect.stringMatching(
        /^a: The database \S+ went back: it lacks 5 commits of this agent, behind entry 5 and up to entry \d+ of its history\. Of 4 images .* meanwhile, 1 may have arrived and is marked; each keeps its name\.$/,
      ),
      expect.stringMatching(
        /^b: .* lacks 2 commits of this agent, behind entry 0 .* Of 1 image that .* 1 may have arrived/,
      ),
    ]);

    // A new image arrives first, and the former ones arrive in another order.
    await named(a, 'new', 'third', 'second');
    await named(b, 'first');
    const perhaps = { state: 'queued', answer_lost: 1, outcomes: 'unknown' };
    const never = { state: 'queued', answer_lost: 0, outcomes: null };
    expect(await standing()).toEqual([
      { path: 'before.jpg', name: '1', ...perhaps },
      { path: 'first.jpg', name: '3', ...never },
      { path: 'new.jpg', name: '6', ...never },
      { path: 'second.jpg', name: '4', ...perhaps },
      { path: 'third.jpg', name: '5', ...never },
      { path: 'waiting.jpg', name: '2', ...never },
    ]);
    for (const { id } of await claim(a)) await sent(a, id);

    const { journal, ledger } = await verifyPostgresLedger(targetOf(place.url), 'a', null);
    expect(journal.findings).toEqual([]);
    expect(ledger.findings).toHaveLength(2);
    expect(ledger.findings).toContainEqual(
      expect.stringMatching(/^Agent a: entry 6 says: The database \S+ went back: it lacks 5 commits/),
    );
    // A head kept since then is recognized.
    const since = await a.head();
    const confirmed = await verifyPostgresLedger(targetOf(place.url), 'a', since);
    expect(confirmed.ledger.findings).toHaveLength(1);
  });

  it('is reported once by an agent that starts on it, even with a truncated memory file; another database is not reported', async () => {
    const kept = await place.keep();
    const a = await open('a');
    const { document } = await a.admit(numbered('x', '/mnt/a'));
    await sent(a, document.id);
    await a.close();
    await appendFile(join(dir, 'a'), '{"seq":99,"hash":"');
    await kept.restore();
    const again = await open('a');
    expect(stories).toEqual([expect.stringContaining('lacks 3 commits of this agent, behind entry 0')]);
    await named(again, 'y', 'x');
    expect((await standing()).map(({ name, answer_lost }) => `${name} ${answer_lost}`)).toEqual([
      '1 1',
      '2 0',
    ]);
    await again.close();
    await (await open('a')).close();
    expect(stories).toHaveLength(1);

    const other = await FleetPlace.create();
    cleanUp(() => other.remove());
    const moved = await other.open('a', {
      memoryPath: join(dir, 'a'),
      onWentBack: (story) => stories.push(story),
    });
    await moved.admit(numbered('x', '/mnt/a'));
    expect(stories).toHaveLength(1);
  });
});

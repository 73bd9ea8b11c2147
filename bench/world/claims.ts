import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../test/support/postgresCluster.ts';
import type { Bench, Figure } from '../scenario.ts';
import { fillFleet } from './fillFleet.ts';
import { asAdmin, freshDatabase } from './fleetDatabase.ts';
import { openLedgerAgent } from './ledgerAgent.ts';
import { quantile } from './measure.ts';

const PROBE = fileURLToPath(new URL('./claimProbe.js', import.meta.url));
const BASE_URL = 'http://127.0.0.1:9';
const DATABASE = 'claims';
const FOLDERS = 10;
const CLAIMERS = [1, 4];

/** Claim latencies in a ledger with very many documents, few of them queued. */
export async function claimLatencies(cluster: Cluster, { quick, say }: Bench): Promise<Figure[]> {
  const [accepted, queued] = quick ? [200_000, 50_000] : [10_000_000, 100_000];
  const database = await freshDatabase(cluster, DATABASE);
  const { url } = database;
  await (await openLedgerAgent(url, 'filler')).close();
  const startedAt = performance.now();
  await asAdmin(cluster, DATABASE, (client) =>
    fillFleet(client, { baseUrl: BASE_URL, accepted, queued, folders: FOLDERS }),
  );
  say(
    `created ${accepted} accepted and ${queued} queued documents in ${seconds(performance.now() - startedAt)}`,
  );
  const figures: Figure[] = [
    { name: 'claims: accepted documents', value: accepted, unit: 'count', better: null },
    { name: 'claims: queued documents', value: queued, unit: 'count', better: null },
  ];
  for (const claimers of CLAIMERS) {
    const all = await probe(url, claimers, quick ? 3 : 20);
    for (const what of ['claim', 'begin', 'finish']) {
      const timings = all.flatMap((each) => each[what] ?? []);
      const of = `claims: ${what}, ${claimers} ${claimers === 1 ? 'agent' : 'agents'}`;
      const note = `${timings.length} times.`;
      figures.push(
        { name: `${of}, median`, value: quantile(timings, 0.5), unit: 'ms', better: 'less', note },
        { name: `${of}, p99`, value: quantile(timings, 0.99), unit: 'ms', better: 'less' },
      );
      say(`${of}: ${quantile(timings, 0.5).toFixed(1)} ms, p99 ${quantile(timings, 0.99).toFixed(1)} ms`);
    }
  }
  await database.remove();
  return figures;
}

/** Runs all claimers at once. */
async function probe(url: string, claimers: number, runSeconds: number): Promise<Record<string, number[]>[]> {
  const children = Array.from({ length: claimers }, (_, n) => {
    const args = [PROBE, url, `claimer-${claimers}-${n}`, BASE_URL, String(FOLDERS), String(runSeconds)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    return { child, said: () => said };
  });
  await Promise.all(children.map(({ child }) => once(child.stdout, 'data')));
  for (const { child } of children) child.stdin.end('go\n');
  return Promise.all(
    children.map(async ({ child, said }) => {
      const [status] = (await once(child, 'close')) as [number | null];
      if (status !== 0) throw new Error(`a claimer ended with ${String(status)}`);
      return JSON.parse(said().replace('ready\n', '')) as Record<string, number[]>;
    }),
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

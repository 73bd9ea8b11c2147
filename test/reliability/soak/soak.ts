import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { ROWS } from '../../support/listRows.ts';
import { killAgents, pause } from '../support/agentProcess.ts';
import type { Outcome } from '../support/campaign.ts';
import { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { ImageMaker } from '../support/images.ts';
import { UIDS } from '../support/office.ts';
import { Service } from '../support/service.ts';
import { flatness, type Row } from './flatness.ts';
import { tooFast, tooManyAtOnce } from './limits.ts';
import { Lives } from './lives.ts';
import { Office } from './office.ts';
import { Operator } from './operator.ts';
import { judge, said } from '../../oracle/oracle.ts';
import { makePlace, writeConfig, type Place } from './place.ts';
import { LogRecord } from './record.ts';
import { SAMPLE_MS, Watch } from './watch.ts';
import { Weather } from './weather.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Receipts per second, on average. */
  readonly rate: number;
  /** File for the samples, as JSON lines; null for none. */
  readonly samplesFile: string | null;
  readonly tell: (line: string) => void;
}

interface Soaked extends Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** Null if the longest life was too short for a verdict. */
  readonly flatness: readonly Row[] | null;
}

const MIX = { photographed: 2, drawn: 90, otherType: 8 };
const TIDY_MS = 2_000;
/** After a restart the agent checks what it did before a kill; nobody removes files from the archive until then. */
const RECOVERED_MS = 20_000;
/** Time without further acceptances after which the soak is stuck; everything on hold has been retried by then. */
const STUCK_MS = 120_000;
const LOOK_MS = 2_000;

/** One soak, from an empty directory to a verdict. Removes the directory unless there is a breach. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const place = await makePlace();
  options.tell(`working in ${place.dir}`);
  try {
    const soaked = await run(options, place);
    const isKept = soaked.breaches.length > 0;
    if (!isKept) await rm(place.dir, { recursive: true, force: true, maxRetries: 5 });
    return { ...soaked, keptAt: isKept ? place.dir : null };
  } finally {
    killAgents();
  }
}

async function run({ seconds, seed, rate, ...options }: SoakOptions, place: Place): Promise<Soaked> {
  const dice = (name: string): Dice => Dice.of(seed, name);
  const faults = new AbortController();
  const end = new AbortController();
  const log = new LogRecord();
  const lives = new Lives(place, log);
  const service = await Service.start(place.sandboxDir, dice('service'));
  await writeConfig(place, service.sandbox.url);
  const images = await ImageMaker.prepare(String(seed), MIX);
  const office = new Office({ place, images, log, seed, rate });
  const operator = new Operator({ place, dice: dice('operator'), lives });
  const weather = new Weather(service, dice('weather'));
  const bodies = new Bodies(place.sandboxDir);
  const watch = new Watch({ place, office, log, lives, service, weather }, options.samplesFile);

  await lives.begin();
  const watching = [
    every(SAMPLE_MS, end.signal, () => watch.sample()),
    every(TIDY_MS, end.signal, async () => {
      await office.tidy(lives.now !== null && Date.now() - lives.now.startedAt > RECOVERED_MS);
      await bodies.drop();
    }),
  ];
  const acting = [
    office.run(faults.signal),
    weather.run(faults.signal, () => operator.retryAll()),
    operator.run(faults.signal),
    lives.disturb(office, dice('disturbances'), faults.signal),
    lives.run(seconds, faults.signal),
  ];
  await pause(seconds * 1_000);
  // Samples of the final drain do not show leaks.
  const flat = flatness(watch.longestLife());
  faults.abort();
  await Promise.all(acting);
  options.tell(`${log.acceptedCount} accepted under faults, ${office.waiting} still waiting; draining`);

  const closing = [...(await drain(operator, office, log)), ...(await originals(office))];
  await operator.must('audit');
  await operator.must('ledger', 'verify');
  const list = await operator.must('list', '--json');
  end.abort();
  await Promise.all(watching);
  await lives.end();
  await watch.close();
  await bodies.drop();
  await service.close();
  const rows = ROWS.parse(JSON.parse(list));
  const stored = service.received().map(({ endpointUid: uid, ...each }) => ({ ...each, uid }));
  const stateFiles = await stateFilesOf(place.stateDir);
  const judged = judge([
    ...office.history(),
    { kind: 'end', end: { rows, stored, stateFiles, isStopped: true } },
  ]);
  const unexplained = log.unexplained(weather.spells, lives.deeds, (hash) => office.mayBeLost(hash));
  return {
    breaches: [
      ...[lives, office, operator, bodies, log].flatMap(({ breaches }) => breaches),
      ...tooFast(service.uploads, watch.jolts),
      ...tooManyAtOnce(service.mostAtOnce),
      ...closing,
      ...unexplained.map((text) => `unexplained error: ${text}`),
      ...judged.map((breach) => said(breach, breach.what)),
    ],
    flatness: flat,
    figures: {
      ...countBy(office.scans, ({ kind, gone }) => `scans: ${kind}${gone ? `, ${gone.how}` : ''}`),
      ...named('done: ', operator.counts),
      ...countBy(rows, ({ state }) => `ledger: ${state}`),
      ...named('log ', log.messages),
      ...countBy(weather.spells, ({ phase }) => `weather: ${phase}`),
      ...countBy(lives.deeds, ({ what }) => `agent: ${what}`),
      'agent: lives': lives.count,
      'service: upload requests': service.uploads.length,
      'service: bodies checked': bodies.checked,
    },
  };
}

/** The stored files: checks and deletes them, so that an hour fits on the disk. */
class Bodies {
  readonly #dir: string;
  readonly breaches: string[] = [];
  checked = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async drop(): Promise<void> {
    for (const uid of Object.values(UIDS)) {
      const dir = join(this.#dir, uid);
      for (const file of await readdir(dir).catch(() => [])) {
        const bytes = await readFile(join(dir, file));
        if (`${sha256(bytes)}.bin` !== file)
          this.breaches.push(`the service stored different bytes as ${file}`);
        await rm(join(dir, file));
        this.checked += 1;
      }
    }
  }
}

/** What lies in the state directory; directories end with a slash. */
async function stateFilesOf(stateDir: string): Promise<string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  return entries.map(
    (entry) => relative(stateDir, join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''),
  );
}

const STATUS = z.object({
  counts: z.array(z.looseObject({ state: z.string(), count: z.number() })),
  holds: z.array(z.looseObject({ reason: z.string() })),
  daemon: z
    .looseObject({ incidents: z.array(z.unknown()), spool: z.looseObject({ images: z.number() }) })
    .nullable(),
});
const UNSETTLED = ['queued', 'uploading', 'held', 'failed', 'unconfirmed'];
/** Number of looks after which a missing acceptance line is attributed to a kill. */
const LOOKS_FOR_LINES = 10;
/** A document without bytes is lost only after its folder has been listed, so it must not be retried sooner. */
const LOOKS_BETWEEN_RETRIES = 10;

/** Waits until everything is sent once the faults are over, and decides what needs a person. Resolves what is left. */
async function drain(operator: Operator, office: Office, log: LogRecord): Promise<string[]> {
  let last = { accepted: 0, at: performance.now() };
  for (let looks = 0; ; looks += 1) {
    const { counts, holds, daemon } = STATUS.parse(JSON.parse(await operator.must('status', '--json')));
    if (daemon === null) return ['the agent was not running while the queue drained'];
    const { incidents, spool } = daemon;
    const left = counts.filter(({ state, count }) => UNSETTLED.includes(state) && count > 0);
    const open = left.length + holds.length + incidents.length + spool.images;
    if (open === 0 && (office.waiting === 0 || looks > LOOKS_FOR_LINES)) return [];
    if (log.acceptedCount > last.accepted) last = { accepted: log.acceptedCount, at: performance.now() };
    if (performance.now() > last.at + STUCK_MS) {
      const what = JSON.stringify({ left, holds, incidents, images: spool.images });
      return [`nothing was accepted for ${STUCK_MS / 1_000} s, but work is left: ${what}`];
    }
    if (looks % LOOKS_BETWEEN_RETRIES === 0) await operator.retryAll();
    await pause(LOOK_MS);
  }
}

/** Listing and disposal happen at least every ten seconds. */
async function originals(office: Office): Promise<string[]> {
  let left = await office.leftBehind();
  for (let looks = 0; looks < 20 && left.length > 0; looks += 1) {
    await pause(LOOK_MS);
    left = await office.leftBehind();
  }
  return left.map((path) => `not archived or deleted: ${path}`);
}

async function every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await pause(ms, signal);
  }
}

function named(prefix: string, counts: Iterable<readonly [string, number]>): Record<string, number> {
  return Object.fromEntries([...counts].map(([what, count]) => [`${prefix}${what}`, count]));
}

function countBy<T>(list: readonly T[], by: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of list) counts[by(item)] = (counts[by(item)] ?? 0) + 1;
  return counts;
}

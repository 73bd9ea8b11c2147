/** Two built agents on one folder: their database goes away and comes back, an agent is killed, and one is frozen for longer than its lease. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import YAML from 'yaml';
import { pagePath } from '../../../src/core/domain/pages.ts';
import { judge, said } from '../../oracle/oracle.ts';
import type { FleetAgent } from '../../reliability/fleet/agent.ts';
import { Site } from '../../reliability/fleet/site.ts';
import { historyOf } from '../../reliability/fleet/world.ts';
import { sha256 } from '../../reliability/support/digest.ts';
import { UIDS } from '../../reliability/support/office.ts';
import type { Scan } from '../../reliability/support/scanner.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { drawReceipt } from '../../support/images.ts';
import { pdfOf, type PdfPage } from '../../support/pdf.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { until } from '../support/agent.ts';
import { runInProcess } from '../support/inProcess.ts';

const SETTLED_MS = 60_000;
const LOOK_EVERY_MS = 100;

test.skipIf(!needsPostgres())(
  'images are deferred while the database is away, and sent once it is back; the work of a killed or frozen agent is taken over, and each image is sent once',
  async () => {
    const plan = { seed: 0, agents: 2, perSecond: null, lostAnswers: 0, answerAfterMs: 0, withStandby: true };
    const site = await Site.open(plan);
    cleanUp(() => site.close({ kept: false }));
    const { sandbox } = site.service;
    const [a, b] = site.agents as [FleetAgent, FleetAgent];
    const desk = new Desk(site);

    // Nobody has ever reached the database: images are deferred, even across a change of the configuration and a restart.
    await site.cluster.stop();
    await desk.start(a);
    await desk.scan(1);
    await desk.deferred(a, 1);
    const config = YAML.parse(await readFile(a.config, 'utf8')) as Record<string, unknown>;
    await writeFile(a.config, YAML.stringify({ ...config, delivery: { concurrency: 2, grace: '500ms' } }));
    expect(await look(a, 'reload')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/reached: .*\[LEDGER_UNREACHABLE\]$/m) as string,
    });
    expect((await look(a, 'status')).stdout).toContain(
      `${a.config} cannot take effect yet, so the previous configuration stays in effect: The ledger at 127.0.0.1`,
    );
    expect(await a.stop()).toBe(0);
    await desk.start(a);
    await desk.scan(1);
    await desk.deferred(a, 2);
    expect((await look(a, 'status')).stdout).toContain('\n2 images');
    await site.cluster.start();
    await desk.settled();

    // Its connections are half-open.
    a.proxy.hang();
    await until(() => a.log.includes("The ledger can't be reached"), 'the agent to notice');
    await desk.scan(3);
    await desk.deferred(a, 3);
    // The bytes are in the spool.
    await desk.removeLast();
    expect(sandbox.received()).toHaveLength(2);
    a.proxy.heal();
    await desk.settled();
    expect(sandbox.received().map(({ tries }) => tries)).toEqual([1, 1, 1, 1, 1]);

    // Killed while it splits PDFs.
    await desk.start(b);
    for (const name of ['first.pdf', 'second.pdf']) await desk.feed(name, 7);
    await until(() => sandbox.received().length >= 5 + 8, 'pages of the second file');
    await a.stop('SIGKILL');
    expect(sandbox.received().length).toBeLessThan(5 + 14);
    await desk.settled();
    expect(sandbox.received()).toHaveLength(5 + 14);

    // Frozen for longer than its lease: its late writes are refused, and it continues under a new lease.
    sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000, times: 1 });
    await desk.scan(1);
    await until(() => sandbox.stats().uploadsInFlight === 1, 'an upload to be under way');
    b.freeze();
    // From now on, the answer waits for the frozen agent.
    sandbox.behave();
    const epoch = Number(await site.epochOf(b.name));
    await desk.start(a);
    await desk.settled();
    expect(sandbox.received().at(-1)).toMatchObject({ tries: 2 });
    const frozen = desk.scans.at(-1)?.sha256;
    b.mend();
    await until(async () => (await site.epochOf(b.name)) === epoch + 2, 'the frozen agent to begin anew');

    // The standby replaces the database: the agents find it among the hosts of their URL.
    await desk.scan(5);
    await until(() => sandbox.received().length >= 5 + 14 + 1 + 2, 'the first uploads');
    await site.failOver();
    await desk.scan(5);
    await desk.settled();
    await a.stop();
    await desk.scan(1);
    await desk.settled();
    const last = desk.scans.at(-1)?.sha256;

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(sandbox.received()).toHaveLength(5 + 14 + 1 + 10 + 1);
    const attempts = (of: (scan: Scan) => boolean) => {
      const hashes = new Set(desk.scans.filter(of).map((scan) => scan.sha256));
      const ids = new Set(world.documents.filter((row) => hashes.has(row.sha256)).map(({ id }) => id));
      return world.attempts.filter(({ document }) => ids.has(document));
    };
    expect(new Set(attempts(({ path }) => path.includes('.pdf')).map(({ agent }) => agent))).toEqual(
      new Set([a.name, b.name]),
    );
    expect(attempts((scan) => scan.sha256 === frozen)).toMatchObject([
      { agent: b.name, outcome: 'unknown' },
      { agent: a.name, outcome: 'accepted' },
    ]);
    expect(attempts((scan) => scan.sha256 === last)).toMatchObject([{ agent: b.name, outcome: 'accepted' }]);
    const files = world.files.filter(({ path }) => path.endsWith('.pdf'));
    expect(files.map(({ verdict }) => verdict)).toEqual(['split', 'split']);
  },
);

function look({ config }: FleetAgent, ...args: string[]) {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
  return runInProcess([...args, '--config', config], { cwd: TMPDIR, env: { PATH, HOME, TMPDIR } });
}

/** The people and the scanner beside the agents. */
class Desk {
  readonly #site: Site;
  readonly scans: Scan[] = [];

  constructor(site: Site) {
    this.#site = site;
  }

  /** Starts an agent, and waits until it reports that it works. */
  async start(agent: FleetAgent): Promise<void> {
    const from = agent.log.length;
    agent.start();
    await until(() => {
      if (agent.log.includes('receiptd has started', from)) return true;
      if (!agent.isRunning) throw new Error(`agent ${agent.name} ended: ${agent.log.slice(-2000)}`);
      return false;
    }, `agent ${agent.name} to start`);
  }

  /** Puts that many different images into the folder. */
  async scan(count: number): Promise<void> {
    for (let each = 0; each < count; each += 1) {
      const path = `SCAN${String(this.scans.length + 1).padStart(4, '0')}.jpg`;
      const bytes = await drawReceipt({ type: 'jpeg', seed: path });
      await this.#put(path, bytes);
      this.#note(path, bytes, null);
    }
  }

  /** Puts a PDF of that many scans into the folder; each page must arrive byte for byte. */
  async feed(path: string, pages: number): Promise<void> {
    const scans: PdfPage[] = [];
    for (let page = 1; page <= pages; page += 1) {
      const jpeg = await drawReceipt({ type: 'jpeg', seed: `${path} ${page}` });
      const { width, height } = await sharp(jpeg).metadata();
      scans.push({ jpeg, width, height });
      this.#note(pagePath(path, page), jpeg, { how: 'deleted', knownAs: 'accepted' });
    }
    await this.#put(path, pdfOf(scans));
  }

  async removeLast(): Promise<void> {
    const scan = this.scans.at(-1)!;
    await rm(scan.path);
    scan.gone = { how: 'deleted', knownAs: 'copied' };
  }

  #note(name: string, bytes: Buffer, gone: Scan['gone']): void {
    const path = join(this.#site.folder, name);
    this.scans.push({ uid: UIDS.office, sha256: sha256(bytes), kind: 'image', path, at: Date.now(), gone });
  }

  async #put(path: string, bytes: Buffer): Promise<void> {
    const part = join(this.#site.folder, `.${path}.part`);
    await writeFile(part, bytes);
    await rename(part, join(this.#site.folder, path));
  }

  /** Waits until the agent has deferred that many images in its own journal. */
  async deferred(agent: FleetAgent, count: number): Promise<void> {
    const journal = join(agent.stateDir, 'deferred.journal');
    const lines = async () => (await readFile(journal, 'utf8').catch(() => '')).split('\n').length - 1;
    await until(async () => (await lines()) >= count, `${count} images to be deferred`);
  }

  /** Waits until all images are accepted in the ledger. */
  async settled(): Promise<void> {
    const due = new Set(this.scans.map((scan) => scan.sha256));
    let waitsFor: string | null = null;
    const isSettled = async () => (waitsFor = await this.#site.unsettled(due)) === null;
    // Polls slowly, because some tests wait for the end of a lease.
    await until(isSettled, 'everything to be sent', SETTLED_MS, LOOK_EVERY_MS).catch((error: unknown) => {
      throw new Error(String(waitsFor), { cause: error });
    });
  }

  /** Stops every agent. @returns the final state and the broken promises */
  async judged() {
    const { agents } = this.#site;
    for (const agent of agents) if (agent.isRunning) await agent.stop();
    const world = await this.#site.world(this.scans);
    const surprises = agents.flatMap(({ name, surprises: all }) => all.map((how) => `${name} ${how}`));
    const breaches = judge(historyOf(world)).map((breach) => said(breach, breach.what));
    return { world, breaches: [...surprises, ...breaches] };
  }
}

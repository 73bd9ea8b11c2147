import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { pagePath } from '../../../src/core/domain/pages.ts';
import { drawReceipt } from '../../support/images.ts';
import { pdfOf, type PdfPage } from '../../support/pdf.ts';
import type { FleetAgent } from '../../reliability/fleet/agent.ts';
import { sha256 } from '../../reliability/support/digest.ts';
import { Site, type SitePlan } from '../../reliability/fleet/site.ts';
import { judge, said } from '../../oracle/oracle.ts';
import { historyOf } from '../../reliability/fleet/gather.ts';
import type { Scan } from '../../reliability/fleet/scanner.ts';
import type { World } from '../../reliability/fleet/world.ts';
import { until } from '../support/agent.ts';
import { cleanUp } from '../../support/cleanUp.ts';

const SETTLED_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** A site that is removed after the test, and the files in its folder. */
export class Desk {
  readonly site: Site;
  readonly scans: Scan[] = [];

  private constructor(site: Site) {
    this.site = site;
  }

  static async open(options: Partial<SitePlan> & Pick<SitePlan, 'agents'>): Promise<Desk> {
    const site = await Site.open({
      seed: 0,
      perSecond: null,
      lostAnswers: 0,
      answerAfterMs: 0,
      ...options,
    });
    cleanUp(() => site.close({ kept: false }));
    return new Desk(site);
  }

  agent(at: number): FleetAgent {
    const agent = this.site.agents[at];
    if (!agent) throw new Error(`there is no agent ${at}`);
    return agent;
  }

  /** Starts an agent, and waits until it reports that it works. */
  async start(at: number): Promise<FleetAgent> {
    const agent = this.agent(at);
    const before = (await agent.log()).length;
    agent.start();
    await this.#said(agent, 'receiptd has started', before);
    return agent;
  }

  /** Puts that many different images into the folder. */
  async scan(count: number): Promise<void> {
    for (let each = 0; each < count; each += 1) {
      const path = `SCAN${String(this.scans.length + 1).padStart(4, '0')}.jpg`;
      const bytes = await drawReceipt({ type: 'jpeg', seed: path });
      await this.#put(path, bytes);
      this.scans.push({ path, sha256: sha256(bytes), at: Date.now(), isThere: true, isDue: true });
    }
  }

  /** Puts a PDF of that many scans into the folder; each page must arrive byte for byte. */
  async feed(path: string, pages: number): Promise<void> {
    const scans: PdfPage[] = [];
    for (let page = 1; page <= pages; page += 1) {
      const jpeg = await drawReceipt({ type: 'jpeg', seed: `${path} ${page}` });
      const { width, height } = await sharp(jpeg).metadata();
      scans.push({ jpeg, width, height });
      const at = { path: pagePath(path, page), sha256: sha256(jpeg), at: Date.now() };
      this.scans.push({ ...at, isThere: false, isDue: true });
    }
    await this.#put(path, pdfOf(scans));
  }

  async #put(path: string, bytes: Buffer): Promise<void> {
    const part = join(this.site.folder, `.${path}.part`);
    await writeFile(part, bytes);
    await rename(part, join(this.site.folder, path));
  }

  /** Waits until the agent has deferred that many images in its own journal while the database is unreachable. */
  async deferred(agent: FleetAgent, count: number): Promise<void> {
    const journal = join(agent.stateDir, 'deferred.journal');
    const lines = async (): Promise<number> =>
      (await readFile(journal, 'utf8').catch(() => '')).split('\n').length - 1;
    await until(async () => (await lines()) >= count, `${count} images to be deferred`);
  }

  /** Waits until all images are accepted in the ledger. */
  async settled(): Promise<void> {
    const due = new Set(this.scans.map((scan) => scan.sha256));
    let waitsFor: string | null = null;
    const isSettled = async () => (waitsFor = await this.site.unsettled(due)) === null;
    // Polls slowly, because some tests wait for the end of a lease.
    await until(isSettled, 'everything to be sent', SETTLED_MS, LOOK_EVERY_MS).catch((error: unknown) => {
      throw new Error(String(waitsFor), { cause: error });
    });
  }

  /** Stops every agent. @returns the final state and the broken promises */
  async judged(): Promise<{ readonly world: World; readonly breaches: readonly string[] }> {
    for (const agent of this.site.agents) if (agent.isRunning) await agent.stop();
    const world = await this.site.world(this.scans);
    const surprises = this.site.agents.flatMap(({ name, surprises: all }) =>
      all.map((how) => `${name} ${how}`),
    );
    const breaches = judge(historyOf(world)).map((breach) => said(breach, breach.what));
    return { world, breaches: [...surprises, ...breaches] };
  }

  async #said(agent: FleetAgent, text: string, from: number): Promise<void> {
    await until(async () => {
      if ((await agent.log()).includes(text, from)) return true;
      if (!agent.isRunning) throw new Error(`agent ${agent.name} ended: ${(await agent.log()).slice(-2000)}`);
      return false;
    }, `agent ${agent.name} to say "${text}"`);
  }
}

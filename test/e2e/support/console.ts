import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startBrowser, type TestBrowser } from '../../console/app/support/browser.ts';
import { perform, signIn } from '../../console/server/browser.ts';
import { keepForFile } from '../../support/cleanUp.ts';
import { drawReceipt } from '../../support/images.ts';
import { prepare, storedOnce, until, type Site } from './agent.ts';
import type { Resident } from './inProcess.ts';

/** A running agent with an open console and a signed-in browser. */
export interface Attacked {
  readonly site: Site;
  readonly agent: Resident;
  readonly origin: string;
  readonly host: string;
  readonly cookie: string;
  link(): Promise<string>;
  /** Asserts that the agent still answers and works, has lost nothing, and that nothing was paused. */
  stillWell(): Promise<void>;
}

/** A running agent, and a browser in which its console opens. */
export interface Watched {
  readonly site: Site;
  readonly browser: TestBrowser;
  readonly link: () => Promise<string>;
}

/** One agent and browser for the tests of a `describe`, one after the other. Each test closes its pages, which must have had no trouble. */
export function watchedForFile(): () => Watched {
  let watched: Watched;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const site = await prepare();
    await site.quickStart();
    end = keepForFile();
    const link = async () => (await site.quickMust('console', '--no-open')).trim();
    const first = await link();
    const browser = await startBrowser({ url: new URL(first).origin, link: async () => first });
    watched = { site, browser, link };
  });
  afterEach(async () => {
    watched.browser.expectNoTrouble();
    await watched.browser.closePages();
  });
  afterAll(async () => {
    await watched?.browser.close();
    await end?.();
  });
  return () => watched;
}

/** One agent for all tests of a file; call it at the top. Each test must leave the agent working. */
export function attackedForFile(): () => Attacked {
  let attacked: Attacked;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    attacked = await underAttack();
    end = keepForFile();
  });
  afterAll(() => end?.());
  return () => attacked;
}

async function underAttack(): Promise<Attacked> {
  const site = await prepare();
  const agent = await site.quickStart();
  const link = async () => (await site.quickMust('console', '--no-open')).trim();
  const first = await link();
  const { origin, host } = new URL(first);
  const cookie = await signIn(first);
  return {
    site,
    agent,
    origin,
    host,
    cookie,
    link,
    async stillWell() {
      const sent = () => site.sandbox.received();
      const name = `after-${sent().length}`;
      await writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
      await until(() => sent().some((each) => each.name.startsWith(name)), 'the next receipt to be sent');
      await until(async () => (await site.list('--state', 'accepted')).length === sent().length);
      expect((await storedOnce(site)).size).toBe(sent().length);
      const answer = await perform(origin, cookie, 'status');
      expect([answer.status, answer.json]).toMatchObject([200, { pid: process.pid, incidents: [] }]);
      expect((await site.look('status')).stdout).not.toContain('paused');
      expect(agent.alive).toBe(true);
      expect(agent.stderr).not.toContain('"level":"error"');
    },
  };
}

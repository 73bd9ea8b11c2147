import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Dialog,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import { ordinaryOwner } from '../../../support/ordinaryUser.ts';
import { requirement } from '../../../support/requires.ts';
import { signIn } from '../../server/browser.ts';

/** The first installed one. The shell draws no windows and takes half the processor time. */
const CHROMIUM =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync) ?? '/usr/bin/chromium';
const VIEWPORT = { width: 1280, height: 900 };
/** A page is slow on a busy machine. */
const PATIENCE_MS = 90_000;

export const hasChromium = requirement(
  'Chromium',
  existsSync(CHROMIUM),
  'apt-get install chromium-headless-shell',
);

/** The server of the console: a stand-in or the daemon itself. */
export interface ConsoleUnderTest {
  /** Without a trailing slash. */
  readonly url: string;
  /** A new link that signs in once. */
  readonly link: () => Promise<string>;
}

export interface TestBrowser {
  /** A signed-in page, at a place such as `#/documents`. */
  readonly open: (place?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Moves an open page to another place, as if it was opened there. */
  readonly reopen: (page: Page, place: string) => Promise<void>;
  /** A page without a session, not yet at any address. */
  readonly blank: (options?: BrowserContextOptions) => Promise<Page>;
  /** Fails if a page contacted another machine, broke the content security policy or threw. */
  readonly expectNoTrouble: () => void;
  /** Addresses of all requests so far. */
  readonly requests: readonly string[];
  /** Call it after each test. */
  readonly closePages: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Chromium refuses root unless its sandbox is off, so it runs as nobody, who must own the profile. */
async function wrapper(dir: string): Promise<string> {
  if (process.geteuid?.() !== 0) return CHROMIUM;
  const { uid, gid } = ordinaryOwner();
  const file = join(dir, 'chromium.sh');
  const script = [
    '#!/bin/sh',
    'for each in "$@"; do case $each in --user-data-dir=*) profile=${each#*=} ;; esac; done',
    `chown ${uid}:${gid} "$profile"`,
    `exec setpriv --reuid=${uid} --regid=${gid} --clear-groups env HOME="$profile" ${CHROMIUM} "$@"`,
  ];
  await writeFile(file, `${script.join('\n')}\n`, { mode: 0o755 });
  return file;
}

/** The sandbox needs user namespaces, which some containers forbid. Without it, Chromium still runs as an ordinary user. */
async function launch(executablePath: string): Promise<Browser> {
  const args = ['--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];
  try {
    return await chromium.launch({ executablePath, args, chromiumSandbox: true });
  } catch (error) {
    if (!/sandbox|namespace/i.test(String(error))) throw error;
    return chromium.launch({ executablePath, args, chromiumSandbox: false });
  }
}

/** A Chromium for several consoles, one after another. */
export interface Chromium {
  readonly browser: Browser;
  readonly close: () => Promise<void>;
}

export async function startChromium(): Promise<Chromium> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-chromium-'));
  await chmod(dir, 0o755);
  const browser = await launch(await wrapper(dir));
  return {
    browser,
    close: async () => {
      await browser.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Loads a new document, which keeps no earlier state. A reload keeps the process, which halves the processor time. */
async function reopen(page: Page, place: string): Promise<void> {
  await page.evaluate(`history.replaceState(null, '', ${JSON.stringify(`/${place}`)})`);
  // Left alone, "Leave this page?" is dismissed, which keeps a page whose form is still being saved.
  const accept = (dialog: Dialog) => void dialog.accept();
  page.on('dialog', accept);
  await page.reload();
  page.off('dialog', accept);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** @param shared keeps running after `close`; default: a new one */
export async function startBrowser(under: ConsoleUnderTest, shared?: Chromium): Promise<TestBrowser> {
  const started = shared ?? (await startChromium());
  const { browser } = started;
  const requests: string[] = [];
  const problems: string[] = [];
  const contexts = new Map<string, BrowserContext>();
  /** One page of each kind is reused, because a new page starts a process, which takes most of a test's time. */
  const kept = new Map<BrowserContext, Page>();
  const idle = new Map<BrowserContext, Page>();
  let cookie: string | undefined;

  const watch = async (context: BrowserContext): Promise<void> => {
    context.on('request', (request) => requests.push(request.url()));
    context.on('weberror', (error) => problems.push(`thrown: ${error.error().message}`));
    context.on('console', (message) => {
      // Messages from the browser's own page around an image.
      if (message.page()?.url().includes('/v1/')) return;
      if (/content security policy|violates/i.test(message.text())) problems.push(message.text());
    });
    await context.addInitScript(
      `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error('violates ' + violatedDirective + ': ' + blockedURI))`,
    );
  };
  const contextFor = async (options: BrowserContextOptions, isSignedIn: boolean): Promise<BrowserContext> => {
    const key = JSON.stringify(options);
    const known = isSignedIn ? contexts.get(key) : undefined;
    if (known !== undefined) return known;
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      viewport: VIEWPORT,
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await watch(context);
    if (isSignedIn) {
      // Without opening a page.
      const [name = '', value = ''] = (cookie ??= await signIn(await under.link())).split('=');
      await context.addCookies([{ name, value, url: under.url, httpOnly: true, sameSite: 'Strict' }]);
      contexts.set(key, context);
    }
    return context;
  };

  return {
    requests,
    open: async (place = '#/', { viewport, colorScheme = 'light', ...options } = {}) => {
      const context = await contextFor(options, true);
      const known = idle.get(context);
      idle.delete(context);
      const page = known ?? (await context.newPage());
      // Set for the page, because another context would start another process.
      const size = viewport ?? VIEWPORT;
      if (!isDeepStrictEqual(page.viewportSize(), size)) await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, media: null });
      if (known?.url().startsWith(`${under.url}/#`)) {
        // Clears the timers: a search typed by the previous test would still change the address.
        await page.evaluate(`for (let id = setTimeout(() => {}); id > 0; id -= 1) clearTimeout(id);
          localStorage.clear()`);
        await reopen(page, place);
      } else {
        await page.goto(`${under.url}/${place}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      }
      kept.set(context, page);
      return page;
    },
    reopen,
    blank: async (options = {}) => (await contextFor(options, false)).newPage(),
    expectNoTrouble: () => {
      const origin = `${new URL(under.url).origin}/`;
      expect(requests.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url))).toEqual([]);
      expect(requests.length).toBeGreaterThan(0);
      expect(problems).toEqual([]);
    },
    closePages: async () => {
      for (const context of browser.contexts()) {
        for (const page of context.pages()) if (page !== kept.get(context)) await page.close();
        const page = kept.get(context);
        if (page !== undefined) idle.set(context, page);
      }
    },
    close: async () => {
      for (const context of browser.contexts()) await context.close();
      if (shared === undefined) await started.close();
    },
  };
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Accessibility violations in light and dark mode, one line each. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Through the debugger, because the page's policy allows no foreign script.
  if (await page.evaluate<boolean>(`typeof globalThis.axe === 'undefined'`)) await page.evaluate(axe);
  await page.emulateMedia({ colorScheme: 'light' });
  const found = await violations(page, TAGS);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Only colours differ in dark mode.
  const dark = await violations(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: null });
  return [...found, ...dark.map((each) => `dark: ${each}`)];
}

async function violations(page: Page, runOnly: readonly string[]): Promise<string[]> {
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)} })
      .then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}

/** How far the page scrolls sideways, in CSS pixels, and the element that causes it. */
export async function sideways(page: Page): Promise<{ by: number; what: string }> {
  return page.evaluate<{ by: number; what: string }>(`(() => {
    const width = document.documentElement.clientWidth;
    const by = document.documentElement.scrollWidth - width;
    const out = [...document.querySelectorAll('main *')].filter((each) =>
      each.getBoundingClientRect().right > width + 1 && !each.closest('.scroll, svg, .hidden, thead'));
    return { by, what: out.slice(0, 3).map((each) => each.outerHTML.slice(0, 120)).join('\\n') };
  })()`);
}

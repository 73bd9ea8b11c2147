// Takes the screenshots of the console in README.md: runs `npm start` and opens it in Chromium.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAIN = join(ROOT, 'dist', 'receiptd.cjs');
const CONFIG = join(ROOT, 'scratch', 'receiptd.yaml');
const CHROMIUM =
  process.env.CHROMIUM ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((each) => existsSync(each));
const VIEWPORT = { width: 1280, height: 860 };

const demo = spawn(process.execPath, [join(ROOT, 'dist', 'demo', 'start.js')], {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await said(demo.stdout, 'Press Ctrl-C to stop both.');
  const { stdout } = await promisify(execFile)(process.execPath, [
    MAIN,
    'console',
    '--no-open',
    '--config',
    CONFIG,
  ]);
  const [link] = /http\S+#token=\S+/.exec(stdout);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu'] });
  try {
    const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', colorScheme: 'light' });
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await take(page, 'console-overview');
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('table').locator('tbody tr').first().waitFor();
    await take(page, 'console-documents');
    await page.locator('tbody tr', { hasText: 'hotel' }).first().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await take(page, 'console-document');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('link', { name: 'Folders', exact: true }).first().click();
    await page.getByRole('link', { name: /^Edit / }).click();
    await page.getByRole('heading', { level: 1, name: 'Edit folder' }).waitFor();
    await page.getByLabel('Path').waitFor();
    await take(page, 'console-folder-dark');
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGINT');
  await once(demo, 'close');
}

async function take(page, name) {
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every(({ complete }) => complete),
  );
  await page.evaluate(withoutPlace, [join(ROOT, 'scratch', 'inbox'), '/srv/scans']);
  await page.screenshot({ path: join(ROOT, 'docs', 'images', `${name}.png`) });
}

/** Replaces the path of the checkout, which should not appear in screenshots. */
function withoutPlace([place, instead]) {
  for (const input of document.querySelectorAll('input')) input.value = input.value.replace(place, instead);
  // Innermost elements first; a long path consists of several elements that allow line breaks.
  for (const each of [...document.querySelectorAll('body *')].reverse()) {
    const isText = each.querySelector(':not(span, wbr, code)') === null;
    if (isText && each.textContent.includes(place))
      each.textContent = each.textContent.replaceAll(place, instead);
  }
  if (document.body.innerText.includes(place)) throw new Error(`The picture would show ${place}.`);
}

function said(stream, text) {
  return new Promise((resolve, reject) => {
    let all = '';
    stream.setEncoding('utf8').on('data', (part) => {
      all += part;
      if (all.includes(text)) resolve();
    });
    stream.on('end', () => reject(new Error(`The demo ended: ${all}`)));
  });
}

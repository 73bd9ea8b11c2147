/**
 * Damaged PDFs, TIFFs, HEICs and JPEGs, given to the process that splits files. Whatever happens to it, each question gets one answer, a
 * complete image or a reason.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jpegGap } from '../../../src/intake/image/structure/jpeg.ts';
import { pngGap } from '../../../src/intake/image/structure/png.ts';
import type { Unreadable } from '../../../src/core/ports/pages.ts';
import { confinement, type Confinement } from '../../../src/pages/confinement.ts';
import { installedPackages } from '../../../src/pages/installed.ts';
import type { Frame, Reply } from '../../../src/pages/protocol.ts';
import { RendererProcess } from '../../../src/pages/rendererProcess.ts';
import { mutated } from '../images/mutate.ts';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { inCheckout } from '../support/checkout.ts';
import { Dice } from '../support/dice.ts';
import { pagedOrigins, type PagedOrigin } from './origins.ts';

const PROGRAM = inCheckout('dist/pageRenderer.js');
const LIMITS = {
  withinMs: 10_000,
  startWithinMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
  imageBytes: 50 * 1024 * 1024,
};
const PAGES_AT_MOST = 3;
/** The number of files that the agent gives to one process at most. */
const FILES_A_PROCESS = 40;

const options = trialOptions('pages', roundsOf(10_000, 0));
if (installedPackages(PROGRAM).missing.length > 0 || !existsSync(PROGRAM)) {
  process.stderr.write('The packages that split files are not installed: run npm ci and npm run build.\n');
  process.exit(2);
}
const origins = await pagedOrigins();
const how = await confinement(PROGRAM, installedPackages(PROGRAM).files);
let renderer = null as RendererProcess | null;
let given = 0;
await playRounds('pages', options, async (seed) => {
  const { origin, bytes, name } = caseOf(seed, origins);
  renderer = await ready(renderer, given % FILES_A_PROCESS === 0, how);
  given += 1;
  const figures: Record<string, number> = {};
  const began = performance.now();
  const add = (what: string): void => void (figures[what] = (figures[what] ?? 0) + 1);
  const sentence = await tryFile(renderer, origin, bytes, add);
  figures['most ms for a file'] = performance.now() - began;
  if (renderer.isOver) add('ended processes');
  if (sentence === null) return { breaches: [], figures };
  const file = join(tmpdir(), `receiptd-pages-${seed}.bin`);
  writeFileSync(file, bytes);
  return { breaches: [`${name}: ${sentence}`], figures, keptAt: file };
});
await renderer?.end();

function caseOf(number: number, origins: readonly PagedOrigin[]) {
  const dice = Dice.of(number, 'pages');
  const origin = dice.pick(origins);
  const [bytes, mutations] = mutated(origin, origins, dice);
  return { origin, bytes, name: `${origin.type}, ${origin.name}: ${mutations.join(', ')}` };
}

async function ready(
  before: RendererProcess | null,
  isOld: boolean,
  how: Confinement,
): Promise<RendererProcess> {
  if (before !== null && !before.isOver && !isOld) return before;
  await before?.end();
  const started = await RendererProcess.start(how, LIMITS);
  if ('kind' in started) throw new Error(`The process does not start: ${started.detail.is}.`);
  return started;
}

/** Resolves what is wrong with the answers; null if nothing is. */
async function tryFile(
  process: RendererProcess,
  { type }: PagedOrigin,
  bytes: Buffer,
  add: (what: string) => void,
): Promise<string | null> {
  const how = { resolution: 100, mostPages: 5_000, isLookedAt: true } as const;
  const opened = await process.ask({ kind: 'open', type, into: ['jpeg', 'png'], ...how }, bytes);
  add(`${type}: ${endOf(opened)}`);
  if (!('head' in opened) || opened.head.kind === 'refused') return null;
  if (opened.head.kind !== 'open') return `asked to open a file, it answers "${opened.head.kind}"`;
  for (let page = 1; page <= Math.min(PAGES_AT_MOST, opened.head.pages) && !process.isOver; page += 1) {
    const answer = await process.ask({ kind: 'page', page });
    add(`page of a ${type}: ${endOf(answer)}`);
    const wrong = wrongWith(answer);
    if (wrong !== null) return wrong;
  }
  return null;
}

function endOf(answer: Frame<Reply> | Unreadable): string {
  if (!('head' in answer)) return `ended, ${answer.detail.is}`;
  return answer.head.kind === 'refused' ? answer.head.reason : answer.head.kind;
}

function wrongWith(answer: Frame<Reply> | Unreadable): string | null {
  if (!('head' in answer) || answer.head.kind === 'refused') return null;
  const { head, body } = answer;
  if (head.kind !== 'image') return `asked for a page, it answers "${head.kind}"`;
  const gap = head.type === 'jpeg' ? jpegGap(body) : pngGap(body);
  return gap === null ? null : `its ${head.type} is not complete: ${JSON.stringify(gap)}`;
}

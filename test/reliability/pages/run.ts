import { existsSync } from 'node:fs';

import { jpegGap } from '../../../src/intake/image/structure/jpeg.ts';
import { pngGap } from '../../../src/intake/image/structure/png.ts';
import type { Unreadable } from '../../../src/core/ports/pages.ts';
import { confinement, type Confinement } from '../../../src/pages/confinement.ts';
import { installedPackages } from '../../../src/pages/installed.ts';
import type { Frame, Reply } from '../../../src/pages/protocol.ts';
import { RendererProcess } from '../../../src/pages/rendererProcess.ts';
import { mutated } from '../images/mutate.ts';
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

export interface Breach {
  readonly number: number;
  readonly name: string;
  readonly sentence: string;
  readonly bytes: Buffer;
}

export interface Summary {
  /** Counts of outcomes of files and pages. */
  readonly tally: ReadonlyMap<string, number>;
  readonly breaches: readonly Breach[];
  /** Processes that ended because of a file, or were ended. */
  readonly ended: number;
  readonly slowestMs: number;
}

/**
 * Gives damaged files to the process that splits files. Whatever happens to it, each question gets one answer, a complete image or a
 * reason, and the process is gone once it was ended.
 */
export async function run(from: number, count: number, onProgress: (line: string) => void): Promise<Summary> {
  const origins = await pagedOrigins();
  const how = await confinement(PROGRAM, installedPackages(PROGRAM).files);
  const tally = new Map<string, number>();
  const breaches: Breach[] = [];
  const add = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  let [ended, slowestMs, files] = [0, 0, 0];
  let process: RendererProcess | null = null;
  for (let number = from; number < from + count; number += 1) {
    const { origin, bytes, name } = caseOf(number, origins);
    process = await ready(process, files % FILES_A_PROCESS === 0, how);
    files += 1;
    const began = performance.now();
    const sentence = await tryFile(process, origin, bytes, add);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    if (process.isOver) ended += 1;
    if (sentence !== null) breaches.push({ number, name, sentence, bytes });
    if ((number - from + 1) % 1_000 === 0) onProgress(`${number - from + 1} files`);
  }
  await process?.end();
  return { tally, breaches, ended, slowestMs };
}

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

/** Whether the packages that split files are installed. */
export function isInstalled(): boolean {
  return installedPackages(PROGRAM).missing.length === 0 && existsSync(PROGRAM);
}

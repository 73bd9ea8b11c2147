import { isElsewhere } from '../core/domain/elsewhere.ts';
import { sharedLedger } from '../config/fleetMember.ts';
import type { Config } from '../config/config.ts';
import type { FolderStatus } from '../control/protocol/protocol.ts';
import { LIST_STATES } from '../core/ports/ledgerReports.ts';
import { count, counted, local, size, span } from '../core/domain/words.ts';
import { colorsFor, print, type Colors, type Io } from './io.ts';
import { STATE_WORDS } from './stateWords.ts';
import type { Overview } from './overview.ts';
import { countIn } from '../control/queries/overview.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { noteWords, sentencesOf } from '../texts/explain.ts';
import type { Texts } from '../texts/texts.ts';
import { textsOf } from './language.ts';

/** Incidents during which no files are taken in. With LEDGER_DAMAGED, the agent has rebuilt its ledger and continues, or has ended. */
export const NO_ROOM: ReadonlySet<string> = new Set(['SPOOL_FULL', 'DISK_FULL', 'LEDGER_WRITE_FAILED']);

export async function printStatus(io: Io, config: Config, overview: Overview): Promise<void> {
  const texts = await textsOf(io);
  for (const line of statusLines(config, overview, colorsFor(io, io.stdout), texts)) print(io, line);
}

export function statusLines(config: Config, overview: Overview, colors: Colors, texts: Texts): string[] {
  const lines: string[] = [];
  const say = (line = ''): void => void lines.push(line);
  const { daemon, silent } = overview;
  if (daemon) {
    const under = counted(daemon.inFlight, 'upload is', 'uploads are');
    say(
      `${colors.green('Running')} since ${local(daemon.startedAt)} (process ${daemon.pid}, version ${escapeUnsafe(daemon.version)}); ${under} under way.`,
    );
  } else if (silent !== null) {
    say(`${colors.yellow('No usable answer')} from the agent: ${escapeUnsafe(silent)}`);
  } else if (overview.movedAway) {
    say(
      `${colors.yellow('Not running.')} ${escapeUnsafe(overview.movedAway)} To let receiptd run here again: \`receiptd backup --reopen\`.`,
    );
  } else say(`${colors.yellow('Not running.')} Start it with \`${overview.startWith ?? 'receiptd run'}\`.`);
  const shared = sharedLedger(config);
  if (shared)
    say(
      `The ledger is ${escapeUnsafe(shared.place)}, shared by several agents. This agent is ${shared.agent}.`,
    );

  const { problems } = overview;
  const isTried = daemon !== null || silent !== null;
  const list = (title: string, needsAttention: boolean): void => {
    const own = problems.filter((each) => each.needsAttention === needsAttention);
    if (own.length > 0) say(title);
    for (const each of own) {
      const sentences = sentencesOf(texts, each, isTried ? overview.now : null);
      say(`  ${escapeUnsafe(`${sentences.join(' ')} [${each.code}]`)}`);
    }
  };
  list(colors.red('Needs a person:'), true);
  list(colors.yellow('Resolves itself:'), false);
  const backlog = backlogLine(overview);
  if (problems.length === 0 && daemon) say(`Nothing is wrong. ${backlog}`);
  else if (overview.counts.length > 0) say(backlog);
  for (const each of daemon?.notes ?? []) say(escapeUnsafe(noteWords(texts, each)));
  const spool = daemon?.spool;
  if (spool && spool.images > 0) {
    const copies = counted(spool.images, 'image', 'images');
    say(
      `${spool.images === 1 ? 'A copy' : 'Copies'} of ${copies} ${spool.images === 1 ? 'is' : 'are'} kept in the state directory (${size(spool.used)} of at most ${size(spool.limit)}).`,
    );
  }

  const noRoom = (daemon?.incidents ?? []).some(({ code }) => NO_ROOM.has(code));
  // If the agent does not answer or can't reach its ledger, empty counts mean unknown, not zero.
  const isKnown = overview.counts.length > 0 || (silent === null && !isAway(overview));
  for (const { path, alias } of config.folders) {
    const live = daemon?.folders.find((each) => each.path === path) ?? null;
    say();
    say(`${colors.bold(escapeUnsafe(path))} → endpoint ${escapeUnsafe(alias)}`);
    say(`  ${escapeUnsafe(live === null ? 'Not watched now.' : watchLine(live, config, noRoom))}`);
    if (isKnown) say(`  ${countsLine((folder) => folder === path, overview)}`);
  }
  const isWatched = new Set(config.folders.map(({ path }) => path));
  const isOther = (folder: string) => !isWatched.has(folder) && !isElsewhere(folder);
  if (overview.counts.some(({ folder }) => isOther(folder))) {
    say();
    say(colors.bold('Not in a watched folder (former folders, and files from `receiptd send`)'));
    say(`  ${countsLine(isOther, overview)}`);
  }
  return lines;
}

function isAway({ daemon }: Overview): boolean {
  return (daemon?.incidents ?? []).some(({ code }) => code === 'LEDGER_UNREACHABLE');
}

function backlogLine({ counts, oldestWaiting, now }: Overview): string {
  const total = countIn(counts, ['queued', 'uploading', 'held']);
  if (total === 0) return 'Nothing is waiting to be sent.';
  const oldest = oldestWaiting === null ? '' : `, the oldest for ${span(now - oldestWaiting)}`;
  return `${counted(total, 'document is', 'documents are')} waiting to be sent${oldest}.`;
}

function watchLine(folder: FolderStatus, config: Config, noRoom: boolean): string {
  const { settling, lastListing, fileSystem } = folder;
  const parts = [stateWords(folder)];
  // A pause is shown by its hold, and does not keep the other agent from taking in the folder.
  if (folder.state === 'standby') {
    const message = (folder.message ?? '').replace(/\.$/, '');
    return `${[...parts, ...(message === '' ? [] : [message])].join('; ')}.`;
  }
  if (folder.state === 'watching' || folder.state === 'starting' || folder.state === 'paused') {
    parts.push(
      folder.mode === 'events'
        ? 'new files are noticed at once'
        : `listed every ${span(config.intake.pollEvery)}`,
    );
  }
  if (fileSystem !== null) parts.push(`file system ${fileSystem}`);
  parts.push(lastListing === null ? 'not listed yet' : `last listed ${local(lastListing)}`);
  if (settling > 0)
    parts.push(
      counted(settling, 'file is', 'files are') + (noRoom ? ' waiting to be taken in' : ' still settling'),
    );
  return `${parts.join('; ')}.`;
}

function stateWords({ state, since }: FolderStatus): string {
  const from = `since ${local(since)}`;
  switch (state) {
    case 'watching':
      return `Watched ${from}`;
    case 'starting':
      return `Being listed for the first time, ${from}`;
    case 'standby':
      return `On standby ${from}; its documents are also sent from here`;
    case 'paused':
      return 'Watched, and its uploads are paused';
    case 'missing':
      return `Missing ${from}`;
    case 'notADirectory':
      return `Not a folder ${from}`;
    case 'unreadable':
      return `Not readable ${from}`;
    case 'unreachable':
      return `Not reachable ${from}`;
    case 'taken':
      return `Watched by another agent ${from}`;
  }
}

function countsLine(isMeant: (folder: string) => boolean, { counts }: Overview): string {
  const own = counts.filter(({ folder }) => isMeant(folder));
  const parts = LIST_STATES.flatMap((state) => {
    const total = countIn(own, [state]);
    return total > 0 ? [`${count(total)} ${STATE_WORDS[state]}`] : [];
  });
  return parts.length > 0 ? `${parts.join(', ')}.` : 'Nothing seen yet.';
}

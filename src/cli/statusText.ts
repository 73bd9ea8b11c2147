import { isElsewhere } from '../core/domain/elsewhere.ts';
import { agentName, databaseOf } from '../config/fleetMember.ts';
import type { Config } from '../config/config.ts';
import type { FolderStatus } from '../control/protocol/protocol.ts';
import { LIST_STATES } from '../core/ports/ledgerReports.ts';
import { colorsFor, print, type Colors, type Io } from './io.ts';
import type { Overview } from './overview.ts';
import { countIn } from '../control/queries/overview.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { CliTexts } from '../texts/cli.ts';
import { errorWords, noteWords, sentencesOf, urgencyOf } from '../texts/explain.ts';
import type { Texts } from '../texts/texts.ts';
import { messageOf, textsOf } from './language.ts';

/** Incidents during which no files are taken in. With LEDGER_DAMAGED, the agent has rebuilt its ledger and continues, or has ended. */
export const NO_ROOM: ReadonlySet<string> = new Set(['SPOOL_FULL', 'DISK_FULL', 'LEDGER_WRITE_FAILED']);

export async function printStatus(io: Io, config: Config, overview: Overview): Promise<void> {
  const texts = { ...(await textsOf(io)), cli: io.texts };
  for (const line of statusLines(config, overview, colorsFor(io, io.stdout), texts)) print(io, line);
}

export function statusLines(
  config: Config,
  overview: Overview,
  colors: Colors,
  texts: Texts & { readonly cli: CliTexts },
): string[] {
  const lines: string[] = [];
  const say = (line = ''): void => void lines.push(line);
  const { status: words, stateWords } = texts.cli;
  const { daemon, silent } = overview;
  if (daemon) {
    const { startedAt: since, pid, inFlight } = daemon;
    const version = escapeUnsafe(daemon.version);
    say(`${colors.green(words.running)} ${words.runs({ since, pid, version, inFlight })}`);
  } else if (silent !== null) {
    const why = `${errorWords(texts, silent)} [${silent.code}]`;
    say(`${colors.yellow(words.silent)} ${words.silentWhy(escapeUnsafe(why))}`);
  } else {
    const { movedAway, startWith = 'receiptd run' } = overview;
    const cure = movedAway ? words.movedAway(movedAway) : words.startWith(startWith);
    say(`${colors.yellow(words.notRunning)} ${escapeUnsafe(cure)}`);
  }
  const { ledger } = config;
  if (ledger.kind === 'postgres')
    say(escapeUnsafe(words.shared({ ...databaseOf(ledger), agent: agentName(ledger) })));

  const { problems } = overview;
  const isTried = daemon !== null || silent !== null;
  const list = (title: string, urgency: ReturnType<typeof urgencyOf>): void => {
    const own = problems.filter((each) => urgencyOf(each) === urgency);
    if (own.length > 0) say(title);
    for (const each of own) {
      const sentences = sentencesOf(texts, each, isTried ? overview.now : null);
      say(`  ${escapeUnsafe(`${sentences.join(' ')} [${each.code}]`)}`);
    }
  };
  list(colors.red(words.needsAttention), 'needed');
  list(words.paused, 'paused');
  list(colors.yellow(words.resolves), 'passing');
  const backlog = backlogLine(overview, words);
  if (problems.length === 0 && daemon) say(`${words.allWell} ${backlog}`);
  else if (overview.counts.length > 0) say(backlog);
  for (const each of daemon?.notes ?? []) say(escapeUnsafe(noteWords(texts, each)));
  const spool = daemon?.spool;
  if (spool && spool.images > 0) say(words.spool(spool));

  const noRoom = (daemon?.incidents ?? []).some(({ code }) => NO_ROOM.has(code));
  const countsLine = (isMeant: (folder: string) => boolean): string => {
    const own = overview.counts.filter(({ folder }) => isMeant(folder));
    const parts = LIST_STATES.flatMap((state) => {
      const total = countIn(own, [state]);
      return total > 0 ? [`${texts.cli.format.number(total)} ${stateWords[state]}`] : [];
    });
    return parts.length > 0 ? `${parts.join(', ')}.` : words.nothingSeen;
  };
  // If the agent does not answer or can't reach its ledger, empty counts mean unknown, not zero.
  const isKnown = overview.counts.length > 0 || (silent === null && !isAway(overview));
  for (const { path, alias } of config.folders) {
    const live = daemon?.folders.find((each) => each.path === path) ?? null;
    say();
    say(`${colors.bold(escapeUnsafe(path))} ${words.folder({ alias: escapeUnsafe(alias) })}`);
    const watch = live === null ? words.notWatched : watchLine(live, config, noRoom, texts);
    say(`  ${escapeUnsafe(watch)}`);
    if (isKnown) say(`  ${countsLine((folder) => folder === path)}`);
  }
  const isWatched = new Set(config.folders.map(({ path }) => path));
  const isOther = (folder: string) => !isWatched.has(folder) && !isElsewhere(folder);
  if (overview.counts.some(({ folder }) => isOther(folder))) {
    say();
    say(colors.bold(words.otherFolders));
    say(`  ${countsLine(isOther)}`);
  }
  return lines;
}

function isAway({ daemon }: Overview): boolean {
  return (daemon?.incidents ?? []).some(({ code }) => code === 'LEDGER_UNREACHABLE');
}

function backlogLine({ counts, oldestWaiting, now }: Overview, words: CliTexts['status']): string {
  const total = countIn(counts, ['queued', 'uploading', 'held']);
  if (total === 0) return words.nothingWaits;
  return words.waiting(total, oldestWaiting === null ? null : now - oldestWaiting);
}

function watchLine(
  folder: FolderStatus,
  config: Config,
  noRoom: boolean,
  texts: Texts & { readonly cli: CliTexts },
): string {
  const words = texts.cli.folderWatch;
  const { state, since, settling, lastListing, fileSystem } = folder;
  const parts = [words.states[state](since)];
  // A pause is shown by its hold, and does not keep the other agent from taking in the folder.
  if (state === 'standby') {
    const message = (messageOf(texts, folder) ?? '').replace(/\.$/, '');
    return `${[...parts, ...(message === '' ? [] : [message])].join('; ')}.`;
  }
  if (state === 'watching' || state === 'starting' || state === 'paused')
    parts.push(folder.mode === 'events' ? words.events : words.polled(config.intake.pollEvery));
  if (fileSystem !== null) parts.push(words.fileSystem(fileSystem));
  parts.push(lastListing === null ? words.notListed : words.listed(lastListing));
  if (settling > 0) parts.push(noRoom ? words.noRoom(settling) : words.settling(settling));
  return `${parts.join('; ')}.`;
}

import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { composeFolders } from '../wiring/folders.ts';
import { withReports } from '../ledger/configured/reports.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { compareFolder, notListed } from '../features/audit/audit.ts';
import { addsUp, crossCheck, tally } from '../features/audit/accounting.ts';
import type { LedgerReports } from '../core/ports/ledgerReports.ts';
import type { CliTexts } from '../texts/cli.ts';
import { auditJson } from './auditJson.ts';
import { printAudit } from './auditText.ts';
import type { Audit, AuditedFolder } from './auditResult.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { dayOf, durationOf } from './optionValues.ts';
import { printJson, type Io } from './io.ts';
import { configOf, type JsonOption } from './session.ts';
import type { Shown } from '../core/domain/why.ts';
import { inEnglish, textsOf } from './language.ts';

interface AuditOptions extends JsonOption {
  readonly day?: string;
  readonly folder?: string;
  readonly wait: string;
}

export function addAudit(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { audit: help } = io.texts.help;
  program
    .command('audit')
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--day <date>', help.day)
    .option('--folder <path>', help.folder)
    .option('--wait <duration>', help.wait, '15s')
    .option('--json', help.json)
    .explain({
      examples: ['audit', 'audit --day 2026-01-31 --folder /srv/scans'],
      statuses: help.statuses,
    })
    .action(async (options: AuditOptions) => {
      const config = await configOf(io, options);
      return withReports(config, async (reports) => {
        const audit = await conduct(io, config, reports, options);
        if (audit.verdict === 'unaccounted') done(EXIT.refused);
        else if (audit.verdict === 'incomplete') done(EXIT.waiting);
        if (options.json) printJson(io, auditJson(audit, (await inEnglish(io, options)).texts));
        else printAudit(io, audit, await textsOf(io));
      });
    });
}

async function conduct(
  io: Io,
  config: Config,
  reports: LedgerReports,
  options: AuditOptions,
): Promise<Audit> {
  const waitMs = durationOf('--wait', options.wait);
  const day = options.day === undefined ? null : wholeDay(options.day);
  const folders = await foldersOf(io, config, reports, options.folder);
  const { agentRuns, away } = await askAgent(config, io.texts.audit);
  const open = composeFolders(config);
  const compared = new Map<string, AuditedFolder['now']>();
  for (const { path, alias } of folders) {
    if (alias === null) continue;
    const why = away.get(path);
    const deps = { folder: open(path), reports, clock };
    compared.set(
      path,
      why === undefined ? await compareFolder(deps, agentRuns ? waitMs : null, io.stop) : notListed(why),
    );
  }
  // After the comparison, which waits for new files to reach the ledger.
  const check = await crossCheck(reports, clock, io.stop);
  const counts = await reports.seenCounts(day?.from ?? null, day?.until ?? null);
  const audited = folders.map(({ path, alias }): AuditedFolder => {
    const now = compared.get(path) ?? null;
    return { path, endpoint: alias, tally: tally(counts.filter(({ folder }) => folder === path)), now };
  });
  const paths = new Set(folders.map(({ path }) => path));
  const total = tally(counts.filter(({ folder }) => paths.has(folder)));
  const differences = [
    ...check.differences,
    ...[...audited.map((each) => each.tally), total].flatMap((each) =>
      addsUp(each) ? [] : [{ is: 'doesNotAddUp', seen: each.seen } as const],
    ),
  ];
  const isUnaccounted =
    differences.length > 0 || audited.some(({ now }) => now !== null && now.unaccounted.length > 0);
  const isIncomplete =
    !check.settled || audited.some(({ now }) => now !== null && now.notLookedAt.length > 0);
  return {
    at: clock.now(),
    day: options.day ?? null,
    agentRuns,
    head: await reports.head(),
    folders: audited,
    total,
    check: { ...check, differences },
    verdict: isUnaccounted ? 'unaccounted' : isIncomplete ? 'incomplete' : 'complete',
  };
}

/** The configured folders, and former ones that only the ledger knows (alias null). */
async function foldersOf(
  io: Io,
  config: Config,
  reports: LedgerReports,
  wanted: string | undefined,
): Promise<{ path: string; alias: string | null }[]> {
  const configured = config.folders.map(({ path, alias }) => ({ path, alias }));
  const known = await reports.seenCounts(null, null);
  const former = new Set(known.map(({ folder }) => folder));
  for (const { path } of configured) former.delete(path);
  const all = [...configured, ...[...former].map((path) => ({ path, alias: null }))];
  if (wanted === undefined) return all;
  const path = resolve(io.cwd, wanted);
  const found = all.filter((each) => each.path === path || each.path === wanted);
  if (found.length > 0) return found;
  throw new ReceiptdError('USAGE.folderNotInLedger', { wanted, known: all.map((each) => each.path) });
}

/**
 * Whether an agent answers, even in a form that this version can't read, and which folders it reports as unavailable:
 * an unmounted share may look like an empty folder.
 */
async function askAgent(
  { stateDir }: Config,
  words: CliTexts['audit'],
): Promise<{ agentRuns: boolean; away: ReadonlyMap<string, Shown<string>> }> {
  try {
    const { folders } = await callControl(stateDir, 'status', {});
    const unreachable = folders.filter(({ state }) => state === 'unreachable');
    return {
      agentRuns: true,
      away: new Map(
        unreachable.map(({ path, message, fact }) => [
          path,
          { message: message ?? words.unreachable(path), fact },
        ]),
      ),
    };
  } catch (error) {
    if (error instanceof ReceiptdError)
      return { agentRuns: error.code !== 'NOT_RUNNING', away: new Map<string, Shown<string>>() };
    throw error;
  }
}

function wholeDay(text: string): { from: number; until: number } {
  const from = dayOf('--day', text);
  const until = new Date(from);
  // Not 24 hours: some days have 23 or 25.
  until.setDate(until.getDate() + 1);
  return { from, until: until.getTime() };
}

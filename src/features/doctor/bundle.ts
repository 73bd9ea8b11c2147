import { readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { writeArchive, type NewMember } from '../../system/tar/write.ts';
import type { Config } from '../../config/config.ts';
import { callControl } from '../../control/client.ts';
import { isOwnName, ledgerPath } from '../../state-dir/stateFiles.ts';
import { describeError, systemCode } from '../../core/domain/errors.ts';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { Finding } from '../../core/domain/finding.ts';
import { openReports } from '../../ledger/configured/reports.ts';
import { LOOK_MS, orElse } from './inTime.ts';
import { refuseOddFiles } from './ledgerFinding.ts';
import { fileFacts, mountOf, systemdUnit, tailOf } from './machine.ts';
import { redactedConfig } from './redactedConfig.ts';
import { redactedLines, redactedValue } from './redactedLines.ts';
import type { Redaction } from './redaction.ts';
import { bundleTexts } from '../../texts/en/written.ts';

const LOG_BYTES = 2_000_000;
const LOGS = 3;
const JOURNAL_BYTES = 100_000;
const ANSWER_MS = 5_000;
const MOST_FILES = 200;

export interface Patient {
  readonly config: Config | null;
  /** Text of the config file; empty if it can't be read. */
  readonly text: string;
  readonly stateDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly findings: readonly FindingLine[];
}

/** The files of a support bundle. If one can't be created, its content says why. Reads no images and no secrets. */
export async function bundleOf(patient: Patient, redaction: Redaction): Promise<NewMember[]> {
  const { stateDir } = patient;
  const parts: [name: string, text: () => Promise<string>][] = [
    ['findings.txt', async () => findingsText(patient.findings, redaction)],
    ['config.yaml', async () => redactedConfig(patient.text, redaction)],
    ['environment.json', async () => json(environment(patient, redaction))],
    ['state.json', async () => json(await stateFiles(stateDir, redaction))],
    ['ledger.json', async () => json(await ledgerFigures(patient, redaction))],
    ['agent.json', async () => json(await agentStatus(stateDir, redaction))],
    ['mounts.json', async () => json(await mounts(patient, redaction))],
    ['service-manager.json', async () => json(await systemdUnit())],
    ['journal-tail.jsonl', () => journalTail(stateDir, redaction)],
  ];
  for (let n = 0; n < LOGS; n += 1) {
    const file = n === 0 ? 'receiptd.log' : `receiptd.log.${n}`;
    parts.push([
      `logs/${file}`,
      async () => redactedLines(await tailOf(join(stateDir, 'logs', file), LOG_BYTES / LOGS), redaction),
    ]);
  }
  const done: NewMember[] = [];
  for (const [name, text] of parts) {
    const late = `${bundleTexts.late(LOOK_MS / 1000)}\n`;
    const what = await orElse(text, () => late).catch(
      (error: unknown) => `${bundleTexts.failed(redaction.sentence(describeError(error).detail))}\n`,
    );
    if (what !== '') done.push({ name, from: Buffer.from(redaction.scrub(what)) });
  }
  return done;
}

export type { NewMember };

/** Writes a new file, completely or not at all. @throws errors of the file system */
export async function writeBundle(file: string, parts: readonly NewMember[]): Promise<void> {
  try {
    await writeArchive(file, parts, new Date());
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** In English, for support. */
export interface FindingLine extends Pick<Finding, 'level' | 'subject'> {
  readonly message: string;
}

function findingsText(findings: readonly FindingLine[], redaction: Redaction): string {
  return findings
    .map(
      ({ level, subject, message }) =>
        `${level}  ${redaction.sentence(subject)}: ${redaction.sentence(message)}\n`,
    )
    .join('');
}

/** Environment variables whose values can't be sensitive if they match; of our own variables, only the names are shown. */
const LOCALE = /^(?:C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)(?:\.(?:UTF-?8|ISO-?8859-?\d{1,2}))?(?:@euro)?$/i;
const SHOWN_VARIABLES: Readonly<Record<string, RegExp>> = {
  LANG: LOCALE,
  LC_ALL: LOCALE,
  TERM: /^(?:dumb|linux|vt\d{3}|ansi|(?:xterm|screen|tmux|rxvt)(?:-(?:16|88|256)?color|-kitty)?)$/,
  XDG_SESSION_TYPE: /^(?:x11|wayland|tty|unspecified)$/,
};
const NAMED_VARIABLES =
  /^(?:RECEIPTD_(?:CONFIG|STATE_DIR|CLIENT_ID|CLIENT_SECRET|VERSION)|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy|DBUS_SESSION_BUS_ADDRESS|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|INVOCATION_ID)$/i;

function environment({ env, version }: Patient, redaction: Redaction) {
  const { rss } = process.memoryUsage();
  return {
    receiptd: version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    // Custom kernels may have any text after the numbers.
    system: /^\d[\d.]{0,20}(?:-\d{1,6})?/.exec(os.release())?.[0] ?? null,
    processors: os.availableParallelism(),
    memory: { total: os.totalmem(), free: os.freemem(), rss },
    uptimeSeconds: Math.round(os.uptime()),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    utcOffsetMinutes: -new Date().getTimezoneOffset(),
    isRoot: process.geteuid?.() === 0,
    variables: Object.fromEntries(
      Object.entries(SHOWN_VARIABLES).flatMap(([name, shape]) => {
        const value = env[name];
        return value === undefined ? [] : [[name, shape.test(value) ? value : '[set]']];
      }),
    ),
    variablesThatAreSet: Object.keys(env).flatMap((name) => {
      if (NAMED_VARIABLES.test(name)) return [name];
      // Variables of an account contain its name.
      return name.startsWith('RECEIPTD_') ? [redaction.name(name, 'variable')] : [];
    }),
  };
}

async function stateFiles(stateDir: string, redaction: Redaction) {
  const files: Record<string, unknown> = { '.': await fileFacts(stateDir) };
  for (const folder of ['', 'backups', 'logs']) {
    for (const name of (await readdir(join(stateDir, folder)).catch(() => [])).slice(0, MOST_FILES)) {
      // Foreign files, and files named after an account, get a stand-in.
      const isPlain = isOwnName(name) && !name.startsWith('credentials-');
      const shown = isPlain ? name : redaction.name(name, 'file');
      files[folder === '' ? shown : `${folder}/${shown}`] = await fileFacts(join(stateDir, folder, name));
    }
  }
  return { files, spool: await spoolFigures(stateDir) };
}

async function spoolFigures(stateDir: string) {
  let images = 0;
  let bytes = 0;
  for (const fanOut of await readdir(join(stateDir, 'spool')).catch(() => [])) {
    for (const name of await readdir(join(stateDir, 'spool', fanOut)).catch(() => [])) {
      images += 1;
      bytes += (await fileFacts(join(stateDir, 'spool', fanOut, name)))?.bytes ?? 0;
    }
  }
  return { images, bytes };
}

const AGES: readonly [label: string, ms: number][] = [
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 7 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['older', Infinity],
];

/** Number of documents by state, and their age. */
async function ledgerFigures({ config, stateDir }: Patient, redaction: Redaction) {
  await refuseOddFiles(stateDir);
  const reports =
    config?.ledger.kind === 'postgres'
      ? await openReports(config)
      : await openSqliteReports({ path: ledgerPath({ stateDir }) });
  try {
    const counts = (await reports.counts()).map(
      ({ endpoint, folder, state, count, needsPerson, reason }) => ({
        endpoint:
          endpoint === null ? null : redaction.name(`${endpoint.baseUrl} ${endpoint.uid}`, 'endpoint'),
        folder: redaction.name(folder),
        state,
        count,
        ...(needsPerson && { needsPerson, reason }),
      }),
    );
    const waiting: Record<string, number> = {};
    const reasons: Record<string, number> = {};
    for await (const { createdAt, reason } of reports.list({
      states: ['queued', 'held', 'uploading', 'unconfirmed'],
      limit: 20_000,
    })) {
      const age = Date.now() - Date.parse(createdAt);
      const [label = ''] = AGES.find(([, ms]) => age <= ms) ?? [];
      waiting[label] = (waiting[label] ?? 0) + 1;
      const why = reason !== null && /^[A-Z][A-Z0-9_]{1,39}$/.test(reason) ? reason : 'none';
      reasons[why] = (reasons[why] ?? 0) + 1;
    }
    const holds = (await reports.holds()).map((hold) => redactedValue(hold, '', redaction));
    const head = await reports.head();
    return {
      counts,
      waitingByAge: waiting,
      waitingByReason: reasons,
      holds,
      journalEntries: head?.seq ?? null,
    };
  } finally {
    await reports.close();
  }
}

async function agentStatus(stateDir: string, redaction: Redaction) {
  return redactedValue(
    await callControl(
      stateDir,
      'status',
      {},
      { timeoutMs: ANSWER_MS, signal: AbortSignal.timeout(2 * ANSWER_MS) },
    ),
    '',
    redaction,
  );
}

async function mounts({ config, stateDir }: Patient, redaction: Redaction) {
  const paths = [stateDir, ...(config?.folders ?? []).map(({ path }) => path)];
  const found: Record<string, unknown> = {};
  for (const path of paths) found[redaction.name(path)] = await mountOf(path);
  return found;
}

/** Numbers, times and kinds only. An entry's data about a document is left out. */
async function journalTail(stateDir: string, redaction: Redaction): Promise<string> {
  const text = await tailOf(join(stateDir, 'ledger.journal'), JOURNAL_BYTES);
  const lines = text.split('\n').flatMap((line) => {
    const [entry = '', , personal = ''] = line.split('\t');
    if (entry === '') return [];
    try {
      const { seq, at, kind, facts } = JSON.parse(entry) as Record<string, unknown>;
      return [
        JSON.stringify({
          ...(redactedValue({ seq, at, kind, facts }, '', redaction) as object),
          hasPersonal: personal !== '',
        }),
      ];
    } catch {
      return [JSON.stringify({ notShown: bundleTexts.noEntry(line.length) })];
    }
  });
  return lines.map((line) => `${line}\n`).join('');
}

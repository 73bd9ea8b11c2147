import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { failure, type Finding } from '../core/domain/finding.ts';
import { bundleOf, writeBundle, type NewMember } from '../features/doctor/bundle.ts';
import { examine } from '../features/doctor/examine.ts';
import { withinAll } from '../features/doctor/inTime.ts';
import { knownNames, ownWords } from '../features/doctor/knownNames.ts';
import { knownSecrets } from '../features/doctor/knownSecrets.ts';
import { createRedaction } from '../features/doctor/redaction.ts';
import type { Config } from '../config/config.ts';
import { loadConfig, readConfigFile, textOf } from '../config/load.ts';
import { findConfig } from '../config/locate.ts';
import { stateDirOf } from '../config/stateDirOf.ts';
import type { ReceiptdError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import type { CliTexts } from '../texts/cli.ts';
import { findingWords } from '../texts/explain.ts';
import { textsIn, type Texts } from '../texts/texts.ts';
import { findingsOf, printFinding } from './check.ts';
import { unlessStopped } from './ending.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { loadContext, print, type Io } from './io.ts';
import { textsOf } from './language.ts';
import { outputUnwritable } from './output.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { ConfigOption } from './session.ts';
import { VERSION } from './version.ts';

interface DoctorOptions extends ConfigOption {
  readonly output?: string;
  readonly list?: boolean;
  readonly withNames?: boolean;
  readonly offline?: boolean;
}

export function addDoctor(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { doctor: help } = io.texts.help;
  program
    .command('doctor')
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--output <file>', help.output)
    .option('--list', help.list)
    .option('--with-names', help.withNames)
    .option('--offline', io.texts.option.offline)
    .explain({
      examples: ['doctor', 'doctor --list', 'doctor --offline --output /tmp/help.tar.gz'],
      more: help.more,
    })
    .action(async (options: DoctorOptions) => {
      await unlessStopped(io, () => run(io, options, done));
    });
}

async function run(io: Io, options: DoctorOptions, done: (status: ExitStatus) => void): Promise<void> {
  const offline = options.offline ?? false;
  const { config, text, stateDir, trouble } = await found(io, options);
  const checked =
    config === null ? trouble : await withinAll('check', () => findingsOf(io, config, { offline }));
  const findings = [...checked, ...(await examine({ config, stateDir, offline, version: VERSION }))];
  const redaction = createRedaction({
    withNames: options.withNames ?? false,
    secrets: await knownSecrets({ env: io.env, stateDir, config, text }),
    names: await knownNames({ config, text, stateDir, env: io.env, findings }),
    words: await ownWords(),
  });
  const english = await textsIn('en', local);
  const inEnglish = (found: Finding) => ({ ...found, message: findingWords(english, found) });
  const parts = await bundleOf(
    { config, text, stateDir, env: io.env, version: VERSION, findings: findings.map(inEnglish) },
    redaction,
  );
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const file = resolve(io.cwd, options.output ?? `receiptd-doctor-${stamp}.tar.gz`);
  // Written before printing: a reader that stops (`doctor | head`) ends the process.
  const unwritten = options.list ? null : await write(file, parts);
  if (findings.some(({ level }) => level === 'fail')) done(EXIT.failed);
  tellFindings(io, await textsOf(io), findings);
  print(io);
  if (unwritten !== null) throw unwritten;
  const { doctor: words } = io.texts;
  const withNames = options.withNames ?? false;
  const wrote = { file: escapeUnsafe(file), isPrivate: process.platform !== 'win32', withNames };
  print(io, options.list ? words.wouldContain : words.wrote(wrote));
  tellParts(io, parts);
}

function tellFindings(io: Io, texts: Texts, findings: readonly Finding[]): void {
  print(io, verdict(findings, io.texts.doctor));
  const order = { fail: 0, warn: 1, ok: 2 };
  for (const finding of findings.toSorted((a, b) => order[a.level] - order[b.level]))
    printFinding(io, texts, finding);
}

async function found(io: Io, options: DoctorOptions) {
  const context = loadContext(io);
  let text = '';
  let file: string | null = null;
  let config: Config | null = null;
  const trouble: Finding[] = [];
  try {
    file = await findConfig(options.config, context);
    text = textOf(await readConfigFile(file), file);
    config = await loadConfig(file, context);
  } catch (error) {
    trouble.push(failure('config', error));
  }
  return {
    config,
    text,
    trouble,
    stateDir: config?.stateDir ?? stateDirOf(text, file ?? resolve(io.cwd, 'receiptd.yaml'), context),
  };
}

function verdict(findings: readonly Finding[], words: CliTexts['doctor']): string {
  const failed = findings.filter(({ level }) => level === 'fail').length;
  const warned = findings.filter(({ level }) => level === 'warn').length;
  if (failed > 0) return words.failed(failed, warned);
  return warned > 0 ? words.warned(warned) : words.allWell;
}

function tellParts(io: Io, parts: readonly NewMember[]): void {
  for (const { name, from } of parts)
    print(io, `  ${name} (${io.texts.format.bytes(Buffer.isBuffer(from) ? from.length : from.size)})`);
}

/** Writes the file. @returns the error, if that failed */
async function write(file: string, parts: readonly NewMember[]): Promise<ReceiptdError | null> {
  try {
    await writeBundle(file, parts);
    return null;
  } catch (error) {
    return outputUnwritable(file, error, 'report');
  }
}

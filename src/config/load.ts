import { constants, open, readFile } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { foreignEncoding, type NotUtf8 } from '../core/domain/encoding.ts';
import { assemble } from './assemble.ts';
import type { Config, LoadContext } from './config.ts';
import { crossChecks } from './crossChecks.ts';
import { draftOf } from './draft.ts';
import { problemsError, secretProblems, shapeProblems } from './problems.ts';
import { pathsOf } from './resolve.ts';
import { configSchema } from './schema.ts';
import type { ParsedConfig } from './schema.ts';
import { readYaml } from './yamlSource.ts';

/**
 * Reads a config file and resolves it. `file` may be relative to `context.cwd`.
 * @throws ReceiptdError CONFIG_NOT_FOUND, CONFIG_UNREADABLE, CONFIG_SYNTAX, and what `parseConfig` throws
 */
export async function loadConfig(file: string, context: LoadContext): Promise<Config> {
  const path = pathsOf(context.platform).resolve(context.cwd, file);
  // Unlike readConfigFile, this allows a pipe: --config <(...).
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return parseConfig(textOf(bytes, path), path, context);
}

/** Refuses pipes, because an agent reads the file repeatedly. @throws ReceiptdError CONFIG_NOT_FOUND, CONFIG_UNREADABLE */
export async function readConfigFile(path: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a pipe would block until it has a writer, and that can't be cancelled.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const about = await handle.stat();
      if (!about.isFile() && !about.isDirectory())
        throw new ReceiptdError('CONFIG_UNREADABLE.notAFile', { path });
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof ReceiptdError ? error : unreadable(path, error);
  }
}

/** Decodes UTF-8 and drops a byte order mark. @throws ReceiptdError CONFIG_SYNTAX */
export function textOf(bytes: Uint8Array, path: string): string {
  const encoding = foreignEncoding(bytes);
  if (encoding !== null) throw notUtf8(path, encoding);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(path, null, error);
  }
}

function notUtf8(path: string, encoding: NotUtf8 | null, cause?: unknown): ReceiptdError {
  return new ReceiptdError('CONFIG_SYNTAX.notUtf8', { path, encoding }, { cause });
}

function unreadable(path: string, error: unknown): ReceiptdError {
  const system = systemCode(error) ?? null;
  const isGone = system === 'ENOENT' || system === 'ENOTDIR';
  return isGone
    ? new ReceiptdError('CONFIG_NOT_FOUND.file', { path }, { cause: error })
    : new ReceiptdError('CONFIG_UNREADABLE.file', { path, system }, { cause: error });
}

/**
 * Parses and resolves the text of a config file. `file` is absolute; relative paths in the text start at its directory.
 * @throws ReceiptdError CONFIG_SYNTAX, or a single error with one line per problem. Its code is the one that all problems
 * share, such as HTTPS_REQUIRED, TEMPLATE_INVALID, ENDPOINT_UNKNOWN or FOLDERS_NESTED; otherwise CONFIG_INVALID
 */
export function parseConfig(text: string, file: string, context: LoadContext): Config {
  return readConfig(text, file, context).config;
}

export interface ReadConfig {
  readonly config: Config;
  /** The file's content with defaults filled in; equal values mean the same configuration. */
  readonly parsed: ParsedConfig;
  /** The file's content as plain data, without defaults. */
  readonly data: unknown;
}

/** Like `parseConfig`, but also returns the parsed data. Same errors. */
export function readConfig(text: string, file: string, context: LoadContext): ReadConfig {
  const source = readYaml(text, file);
  if (source.data === null) {
    throw new ReceiptdError('CONFIG_INVALID.empty', { file });
  }
  const parsed = configSchema.safeParse(source.data);
  const draft = draftOf(source.data, file, context);
  const problems = [
    ...secretProblems(source.data),
    ...(parsed.success ? [] : shapeProblems(parsed.error.issues, source.data)),
    ...crossChecks(draft, context.platform),
  ];
  if (problems.length > 0 || !parsed.success) throw problemsError(problems, source, file);
  const config = assemble(parsed.data, draft, file, context);
  return { config, parsed: parsed.data, data: source.data };
}

import { constants, open, readFile } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { foreignEncoding } from '../core/domain/encoding.ts';
import { assemble } from './assemble.ts';
import type { Config, LoadContext } from './config.ts';
import { crossChecks } from './crossChecks.ts';
import { draftOf } from './draft.ts';
import { problemsError, secretProblems, shapeProblems } from './problems.ts';
import { pathsOf } from './resolve.ts';
import { configSchema } from './schema.ts';
import type { ParsedConfig } from './schema.ts';
import { readYaml } from './yamlSource.ts';

const A_FILE = 'It must be a file that the user running receiptd can read.';

/**
 * Reads a config file and resolves it. `file` may be relative to `context.cwd`.
 * @throws ReceiptdError CONFIG_NOT_FOUND, CONFIG_UNREADABLE, CONFIG_SYNTAX, and what `parseConfig` throws
 */
export async function loadConfig(file: string, context: LoadContext): Promise<Config> {
  const path = pathsOf(context.platform).resolve(context.cwd, file);
  // A command may get it through a pipe: --config <(...).
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return parseConfig(textOf(bytes, path), path, context);
}

/** Never waits for a pipe: an agent reads it again and again. @throws ReceiptdError CONFIG_NOT_FOUND, CONFIG_UNREADABLE */
export async function readConfigFile(path: string): Promise<Buffer> {
  try {
    // Opening a pipe would wait until somebody writes it, which cannot be given up.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const about = await handle.stat();
      if (!about.isFile() && !about.isDirectory()) throw notAFile(path);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof ReceiptdError ? error : unreadable(path, error);
  }
}

/** A byte order mark is no part of it. @throws ReceiptdError CONFIG_SYNTAX */
export function textOf(bytes: Uint8Array, path: string): string {
  const encoding = foreignEncoding(bytes);
  if (encoding !== null) throw notUtf8(path, encoding);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(path, null, error);
  }
}

function notUtf8(path: string, encoding: 'UTF-16' | 'binary' | null, cause?: unknown): ReceiptdError {
  const what = { 'UTF-16': 'UTF-16 text, not UTF-8', binary: 'not text: it contains NUL bytes' };
  const message = `${path} is ${encoding === null ? 'not text in UTF-8' : what[encoding]}.`;
  return new ReceiptdError('CONFIG_SYNTAX', message, {
    hint: 'Save it as UTF-8 in your editor (in Notepad: Save as, Encoding: UTF-8).',
    cause,
  });
}

function notAFile(path: string): ReceiptdError {
  return new ReceiptdError('CONFIG_UNREADABLE', `The config file ${path} is a pipe, socket or device.`, {
    hint: A_FILE,
  });
}

function unreadable(path: string, error: unknown): ReceiptdError {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ReceiptdError('CONFIG_NOT_FOUND', `The config file ${path} does not exist.`, {
      hint: 'Create one with `receiptd setup`.',
      cause: error,
    });
  }
  const why = code === 'EISDIR' ? 'is a directory' : `can't be read (${code ?? 'unknown error'})`;
  return new ReceiptdError('CONFIG_UNREADABLE', `The config file ${path} ${why}.`, {
    hint: A_FILE,
    cause: error,
  });
}

/**
 * The same for text. `file` is absolute; relative paths in the text start at its directory.
 * @throws ReceiptdError CONFIG_SYNTAX, or all other problems in one, a line each: CONFIG_INVALID, or
 * HTTPS_REQUIRED, TEMPLATE_INVALID, ENDPOINT_UNKNOWN, FOLDERS_NESTED where all of them are of that one kind
 */
export function parseConfig(text: string, file: string, context: LoadContext): Config {
  return readConfig(text, file, context).config;
}

export interface ReadConfig {
  readonly config: Config;
  /** What the file says, defaults filled in; two that are equal mean the same configuration. */
  readonly parsed: ParsedConfig;
  /** What the file says. */
  readonly data: unknown;
}

/** As `parseConfig`. */
export function readConfig(text: string, file: string, context: LoadContext): ReadConfig {
  const source = readYaml(text, file);
  if (source.data === null) {
    throw new ReceiptdError('CONFIG_INVALID', `The config file ${file} is empty or contains only comments.`, {
      hint: 'Remove it, then create one with `receiptd init` or `receiptd setup`.',
    });
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

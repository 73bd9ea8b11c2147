import type { z } from 'zod';
import type { LoadContext } from './config.ts';
import { pathsOf, resolvePath, resolveStateDir } from './resolve.ts';
import { accountSchema, configSchema, endpointSchema, folderSchema } from './schema.ts';
import type { ParsedAccount, ParsedConfig, ParsedEndpoint, ParsedFolder } from './schema.ts';
import { isSecret } from './secrets.ts';

/** The well-formed parts of a config. Malformed ones are left out here and reported by `shapeProblems`. */
export interface Draft extends Partial<
  Pick<ParsedConfig, 'service' | 'ledger' | 'console' | 'monitoring' | 'alerts' | 'results'>
> {
  /** All account names in the file, including accounts with wrong settings. */
  readonly accountNames: readonly string[];
  readonly accounts: readonly DraftAccount[];
  /** Credentials file of the default account; absolute. */
  readonly credentialsFile: string;
  /** All endpoint aliases in the file, including endpoints with wrong settings. */
  readonly aliases: readonly string[];
  readonly endpoints: readonly DraftEndpoint[];
  readonly folders: readonly DraftFolder[];
  readonly stateDir: { readonly path: string; readonly inFile: boolean };
}

export interface DraftAccount {
  readonly name: string;
  readonly store: ParsedAccount['store'];
  /** Absolute. */
  readonly file: string;
}

export interface DraftEndpoint {
  readonly alias: string;
  readonly settings: ParsedEndpoint;
}

export interface DraftFolder {
  readonly index: number;
  readonly settings: ParsedFolder;
  /** Absolute, like the other paths here. */
  readonly path: string;
  readonly archiveTo: string;
  /** Null: none. */
  readonly needsAttention: string | null;
}

/** Reads each part separately, so that one wrong key does not hide conflicts between the others. */
export function draftOf(data: unknown, file: string, context: LoadContext): Draft {
  const configDir = pathsOf(context.platform).dirname(file);
  const { accounts, credentials, endpoints, folders, stateDir, ...others } = mapping(data);
  const inFile = typeof stateDir === 'string' && stateDir !== '' && !context.env['RECEIPTD_STATE_DIR'];
  const statePath = resolveStateDir(inFile ? stateDir : undefined, configDir, context.isRoot, context);
  const fileOf = (file: unknown, name: string): string =>
    typeof file === 'string' && file !== ''
      ? resolvePath(file, configDir, context)
      : pathsOf(context.platform).join(statePath, name);
  return {
    ...sections(others),
    accountNames: namesOf(accounts),
    accounts: Object.entries(mapping(accounts)).flatMap(([name, value]) => {
      const settings = part(accountSchema, value);
      if (settings === undefined) return [];
      return [{ name, store: settings.store, file: fileOf(settings.file, `credentials-${name}.json`) }];
    }),
    credentialsFile: fileOf(mapping(credentials)['file'], 'credentials.json'),
    aliases: namesOf(endpoints),
    endpoints: Object.entries(mapping(endpoints)).flatMap(([alias, value]) => {
      const settings = part(endpointSchema, value);
      return settings === undefined ? [] : [{ alias, settings }];
    }),
    folders: (Array.isArray(folders) ? folders : []).flatMap((value: unknown, index) => {
      const settings = part(folderSchema, value);
      return settings === undefined ? [] : [draftFolder(index, settings, configDir, context)];
    }),
    stateDir: { path: statePath, inFile },
  };
}

/** The sections that are right as they are. */
function sections(data: Readonly<Record<string, unknown>>): Partial<ParsedConfig> {
  const schemas = Object.entries(configSchema.shape as Readonly<Record<string, z.ZodType>>);
  const parsed = schemas.map(([key, schema]) => [key, part(schema, data[key])] as const);
  return Object.fromEntries(parsed.filter(([, value]) => value !== undefined));
}

function draftFolder(
  index: number,
  settings: ParsedFolder,
  configDir: string,
  context: LoadContext,
): DraftFolder {
  const path = resolvePath(settings.path, configDir, context);
  const { archiveTo = 'archive', needsAttention } = settings;
  return {
    index,
    settings,
    path,
    archiveTo: resolvePath(archiveTo, path, context),
    needsAttention: needsAttention === 'none' ? null : resolvePath(needsAttention, path, context),
  };
}

function namesOf(value: unknown): string[] {
  return Object.entries(mapping(value)).flatMap(([name, inner]) => (isSecret(name, inner) ? [] : [name]));
}

function part<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

function mapping(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

import { z } from 'zod';
import type { RateUnit } from '../core/domain/rate.ts';
import { configSchema } from './schema.ts';

/** When a change takes effect: at once, once the agent has begun again with it (uploads in progress finish first), or at the next start. */
export type Applies = 'live' | 'flow' | 'start';

/**
 * Why only the file changes a setting. A hijacked console session must not be able to run a program, read a secret or key,
 * open a port, or send credentials elsewhere.
 */
export type FileReason = 'program' | 'secret' | 'listens' | 'credentials' | 'trust' | 'reach' | 'ledger';

declare module 'zod' {
  interface GlobalMeta {
    applies?: Applies;
    /** Page of the console that shows the setting. */
    page?: string;
    /** Group of fields on that page. */
    group?: string;
    why?: FileReason;
    defaultText?: string;
    example?: unknown;
    /** A path: relative ones start at the config file. */
    relativeTo?: 'file';
    /** The value is a name in that section. */
    among?: 'accounts' | 'endpoints';
    /** A rate: the unit of a number alone. */
    unit?: RateUnit;
  }
}

/** A setting as the table has it, with what its section says. */
export interface Setting {
  /** `folders[].settle.short`, `endpoints.*.uid` */
  readonly key: string;
  /** The same as steps; `[]` and `*` stand for each item and each name. */
  readonly path: readonly string[];
  readonly page: string;
  readonly applies: Applies;
  /** Null if only the file changes it. */
  readonly group: string | null;
  /** Null if the console may change it. */
  readonly why: FileReason | null;
  readonly isFile: boolean;
  readonly among: 'accounts' | 'endpoints' | null;
}

/** All settings, in the order of the schema. */
export const SETTINGS: readonly Setting[] = settingsIn(configSchema, [], {});

function settingsIn(schema: unknown, path: readonly string[], around: z.GlobalMeta): Setting[] {
  const { inner, about } = unwrapped(schema, around);
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape as object).flatMap(([key, its]) =>
      settingsIn(its, [...path, key], about),
    );
  const each =
    inner instanceof z.ZodArray ? inner.element : inner instanceof z.ZodRecord ? inner.valueType : null;
  if (each !== null && unwrapped(each, {}).inner instanceof z.ZodObject)
    return settingsIn(each, [...path, inner instanceof z.ZodArray ? '[]' : '*'], about);
  const { page, applies, group = null, why = null, relativeTo, among = null } = about;
  const key = path.join('.').replaceAll('.[]', '[]');
  if (page === undefined || applies === undefined)
    throw new Error(`${key} lacks a page, or when it applies.`);
  if (group === null && why === null) throw new Error(`${key} has neither a group nor a reason.`);
  return [
    {
      key,
      path,
      page,
      applies,
      group: why === null ? group : null,
      why,
      isFile: relativeTo === 'file',
      among,
    },
  ];
}

/** The schema without wrappers, and what they and the section around it say about it. */
function unwrapped(schema: unknown, around: z.GlobalMeta): { inner: unknown; about: z.GlobalMeta } {
  const said: z.GlobalMeta[] = [];
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodType) said.unshift(z.globalRegistry.get(inner) ?? {});
    if (inner instanceof z.ZodPipe) inner = inner.in;
    else if (inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) inner = inner.unwrap();
    else break;
  }
  return { inner, about: Object.assign({}, around, ...said) as z.GlobalMeta };
}

/** The key of the setting at a path in a file: `folders[].name`, `endpoints.*.uid`. */
export function settingKey(path: readonly (string | number)[]): string {
  if (path[0] === 'results' && path[1] === 'columns' && path.length === 3) return 'results.columns';
  const [section, ...rest] = path.map((key) => (typeof key === 'number' ? '[]' : key));
  const isNamed = section === 'endpoints' || section === 'accounts';
  return [section, ...(isNamed && rest.length > 0 ? ['*', ...rest.slice(1)] : rest)]
    .join('.')
    .replaceAll('.[]', '[]');
}

/** A copy of the settings in which `change` is applied to each value of one setting; undefined removes it. */
export function withEach<T>(settings: T, path: readonly string[], change: (value: unknown) => unknown): T {
  return changed(settings, path, change) as T;
}

function changed(value: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (step === '[]') return (value as readonly unknown[]).map((each) => changed(each, rest, change));
  const steps = step === '*' ? Object.keys(value) : [step];
  const its = steps.map((key) => [key, changed(Reflect.get(value, key), rest, change)] as const);
  const entries = Object.entries({ ...value, ...Object.fromEntries(its) });
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

/** The value of a setting that occurs once. */
export function valueOf(settings: unknown, { path }: Pick<Setting, 'path'>): unknown {
  return path.reduce<unknown>((value, step) => Reflect.get(Object(value) as object, step), settings);
}

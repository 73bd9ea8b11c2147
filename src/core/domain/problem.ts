import { accountOfKey, accountsAmong, credentialsKey } from './account.ts';
import { endpointId, endpointOf, type EndpointKey } from './document.ts';
import { isElsewhere } from './elsewhere.ts';
import type {
  Condition,
  Detail,
  ErrorCode,
  Need,
  NeedingState,
  ParamsOf,
  SaidElsewhere,
  Unusable,
} from '../../texts/facts.ts';
import { EVERYTHING, PAUSED } from './hold.ts';
import { isNeeding } from './needsPerson.ts';
import { isUnreachable } from './unreachable.ts';
import { iso } from './words.ts';
import { meaningOf, statusOf } from '../../texts/answers.ts';
import { isOfError } from '../../texts/explain.ts';
import { factOf, toMessage, whyText, within, type WhyFact } from './why.ts';

export type { Condition, Detail, Need, ParamsOf } from '../../texts/facts.ts';

/** Why credentials can't be used, besides that the service refuses them. */
const UNUSABLE = [
  'CREDENTIALS_MISSING',
  'CREDENTIALS_INSECURE',
  'KEYCHAIN_UNAVAILABLE',
  'KEYCHAIN_LOCKED',
] as const satisfies readonly Unusable[];

/** The problem that an error is. `detail`: its words in English, if they say more. */
export function conditionOf(said: SaidElsewhere, detail?: string): Condition {
  const { code, message, hint, key = null, params = null } = said;
  const words = detail ?? [message, hint].filter(Boolean).join(' ');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { code, params: { detail: words, ...(key !== null && { error: { key, params } }) } } as Condition;
}

/** Originals that can't leave their folder. `file`: null if none has to yet. */
export function originalsStay(
  params: Omit<ParamsOf<'FOLDER_UNWRITABLE'>, 'isAway'>,
): Extract<Condition, { code: 'FOLDER_UNWRITABLE' }> {
  return { code: 'FOLDER_UNWRITABLE', params: { ...params, isAway: isUnreachable(params.system) } };
}

/** Paths that a problem names at most. */
export const NAMED = 3;

/** Directories in a folder that can't be listed, each with the system's error code. */
export function subfoldersShut(
  folder: string,
  directories: ReadonlyMap<string, string>,
): Extract<Condition, { code: 'SUBFOLDERS_UNREADABLE' }> {
  const codes = [...new Set(directories.values())].sort();
  const params = {
    folder,
    count: directories.size,
    system: codes.join(', '),
    subfolders: [...directories.keys()].slice(0, NAMED),
    isAway: codes.every(isUnreachable),
  };
  return { code: 'SUBFOLDERS_UNREADABLE', params };
}

/** Why a folder is not taken in; null for the states in which it is, or soon will be. */
export function conditionOfFolder(
  folder: string,
  state: Facts['folders'][number]['state'],
  told: Detail,
): Condition | null {
  switch (state) {
    case 'missing':
      return { code: 'FOLDER_MISSING', params: { folder } };
    case 'notADirectory':
      return { code: 'FOLDER_NOT_A_DIRECTORY', params: { folder } };
    case 'unreadable':
      return { code: 'FOLDER_UNREADABLE', params: { folder, ...told } };
    case 'taken':
      return { code: 'FOLDER_TAKEN', params: { folder, ...told } };
    case 'unreachable':
      return { code: 'FOLDER_UNREACHABLE', params: { folder, ...told } };
    default:
      return null;
  }
}

/** What a person can do about it: an operation of the control protocol with its parameters, or a place to change something. */
export type Action =
  /** `target`: null for everything that is paused. */
  | { readonly operation: 'resume'; readonly target: string | null }
  | { readonly operation: 'tryHeld' }
  /** Documents and files; `folder`: null for all. */
  | { readonly operation: 'list'; readonly states: readonly NeedingState[]; readonly folder: string | null }
  | { readonly operation: 'changeConfig'; readonly section: Section; readonly folder: string | null }
  /** Moves what waits for an endpoint to another. */
  | { readonly operation: 'move'; readonly from: EndpointKey }
  | { readonly operation: 'log' };

/** Where a setting is changed. */
export const SECTIONS = [
  'folders',
  'endpoints',
  'fleet',
  'file',
  'alerts',
  'results',
  'monitoring',
  'storage',
] as const;
export type Section = (typeof SECTIONS)[number];

/** What a person should know now. Derived, never stored, never a sentence. */
export type Problem = Condition & {
  /** Identifies the problem: stays the same while it lasts and when it returns. */
  readonly key: string;
  /** The folder, file, endpoint, agent or channel that it is about. */
  readonly subject: string | null;
  /** Null if nothing says when it began. */
  readonly since: string | null;
  /** Whether a person has to act; otherwise it resolves itself. */
  readonly needsAttention: boolean;
  /** The most useful first. */
  readonly actions: readonly Action[];
};

/**
 * If the service does not answer or asks for fewer uploads, receiptd tries again at least every five minutes, and nothing is lost
 * meanwhile. People are alerted after three failed attempts: by then it is neither a restart nor a short disturbance, and someone may
 * have to look at the network.
 */
const MENDS_ITSELF_MS = 15 * 60_000;

/** A first listing that takes longer is said: no scan of the folder may be sent until it ends. */
const LISTED_WITHIN_MS = 10 * 60_000;

/** By then a machine is back from a restart or an update. */
const RESTARTS_WITHIN_MS = 10 * 60_000;

interface Trait<P> {
  /** Left out: true. */
  readonly needsAttention?: boolean;
  /** How long it must last before people are alerted; null: as configured. `never`: whoever caused it knows. */
  readonly patienceMs?: number | null | 'never';
  readonly subject?: (params: P) => string | null;
  readonly actions?: (params: P) => readonly Action[];
}

type Traits = { readonly [C in ErrorCode]?: Trait<ParamsOf<C>> };

const LOG: Action = { operation: 'log' };
const TRY: Action = { operation: 'tryHeld' };
const change = (section: Section, folder: string | null = null): Action => ({
  operation: 'changeConfig',
  section,
  folder,
});
const ofFolder = {
  subject: ({ folder }: { readonly folder: string }) => folder,
  actions: ({ folder }: { readonly folder: string }) => [change('folders', folder)],
};
const ofCredentials = {
  subject: ({ account }: { readonly account: string | null }) => account,
  actions: () => [TRY],
};
const isIn = (section: Section) => ({ actions: () => [change(section)] });

/** What is special about each. Others need attention, and the log says more. */
const TRAITS: Traits = {
  CONFIG_NOT_FOUND: isIn('file'),
  CONFIG_UNREADABLE: isIn('file'),
  CONFIG_SYNTAX: isIn('file'),
  CONFIG_INVALID: isIn('file'),
  TEMPLATE_INVALID: isIn('file'),
  FOLDERS_NESTED: isIn('file'),
  HTTPS_REQUIRED: isIn('file'),
  ACCOUNT_UNKNOWN: isIn('file'),
  ENDPOINT_UNKNOWN: isIn('endpoints'),
  ENDPOINT_IS_EXAMPLE: isIn('endpoints'),
  FOLDER_MISSING: ofFolder,
  FOLDER_NOT_A_DIRECTORY: ofFolder,
  FOLDER_UNREADABLE: ofFolder,
  FOLDER_UNREACHABLE: {
    ...ofFolder,
    actions: ({ folder }) => [{ operation: 'resume', target: folder }, change('folders', folder)],
  },
  FOLDER_UNLISTED: { ...ofFolder, needsAttention: false },
  FOLDER_TAKEN: ofFolder,
  FOLDER_UNWRITABLE: ofFolder,
  FOLDER_TAKEN_OVER: ofFolder,
  FOLDER_TAKEN_ELSEWHERE: ofFolder,
  SUBFOLDERS_UNREADABLE: ofFolder,
  SUBFOLDERS_UNWATCHED: ofFolder,
  FILE_UNREADABLE: ofFolder,
  WATCH_LIMIT: isIn('folders'),
  FOLDER_SILENT: ofFolder,
  FOLDERS_SILENT: isIn('folders'),
  ATTENTION_UNWRITABLE: { subject: ({ place }) => place, ...isIn('folders') },
  LOG_UNWRITABLE: { subject: ({ dir }) => dir },
  AGENT_SILENT: { subject: ({ agent }) => agent, patienceMs: RESTARTS_WITHIN_MS, ...isIn('fleet') },
  AGENT_NAME_TAKEN: isIn('fleet'),
  AGENT_FENCED: isIn('fleet'),
  SPOOL_FULL: isIn('storage'),
  SPOOL_UNWRITABLE: isIn('storage'),
  PORT_IN_USE: isIn('file'),
  CONSOLE_UNAVAILABLE: isIn('file'),
  MONITORING_UNAVAILABLE: isIn('monitoring'),
  RESULTS_UNAVAILABLE: isIn('results'),
  RESULTS_COMMAND_FAILED: { subject: ({ program }) => program, ...isIn('results') },
  ALERT_UNDELIVERED: { subject: ({ channel }) => channel, ...isIn('alerts') },
  CREDENTIALS_MISSING: ofCredentials,
  CREDENTIALS_INSECURE: ofCredentials,
  KEYCHAIN_UNAVAILABLE: ofCredentials,
  KEYCHAIN_LOCKED: ofCredentials,
  UPLOADS_PAUSED: {
    needsAttention: false,
    patienceMs: 'never',
    subject: ({ target }) => target,
    actions: ({ target }) => [{ operation: 'resume', target }],
  },
  SERVICE_UNREACHABLE: {
    needsAttention: false,
    patienceMs: MENDS_ITSELF_MS,
    subject: ({ service }) => service,
    actions: () => [TRY],
  },
  SERVICE_BUSY: {
    needsAttention: false,
    patienceMs: MENDS_ITSELF_MS,
    subject: ({ service }) => service,
    actions: () => [TRY],
  },
  CREDENTIALS_REFUSED: ofCredentials,
  ENDPOINT_BUSY: {
    needsAttention: false,
    patienceMs: MENDS_ITSELF_MS,
    subject: ({ endpoint }) => endpoint,
    ...isIn('endpoints'),
  },
  ENDPOINT_HELD: { subject: ({ endpoint }) => endpoint, actions: () => [TRY, change('endpoints')] },
  PERSON_NEEDED: {
    subject: ({ folder }) => folder,
    actions: ({ folder, needs }) => [
      { operation: 'list', states: [...new Set(needs.map(({ state }) => state))], folder },
    ],
  },
  ENDPOINT_GONE: {
    subject: ({ endpoint }) => endpoint,
    actions: ({ endpoint }) => {
      const from = endpointOf(endpoint);
      return [...(from === null ? [] : [{ operation: 'move', from } as const]), change('endpoints')];
    },
  },
};

function traitOf(code: ErrorCode): Trait<unknown> {
  // Each takes the parameters of its own code.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (TRAITS[code] ?? {}) as Trait<unknown>;
}

/** Everything that problems are derived from. Times are wall-clock milliseconds. */
export interface Facts {
  readonly now: number;
  readonly incidents: readonly (Condition & { readonly key: string; readonly since: number })[];
  readonly folders: readonly {
    readonly path: string;
    readonly state: string;
    readonly why: WhyFact | null;
    readonly since: number;
  }[];
  readonly holds: readonly HoldFact[];
  readonly counts: readonly CountFact[];
  readonly endpoints: readonly {
    readonly key: EndpointKey;
    readonly alias: string;
    readonly account?: string | null;
  }[];
}

interface HoldFact {
  readonly scope: 'service' | 'credentials' | 'endpoint' | 'folder';
  readonly key: string;
  readonly reason: string;
  readonly message: string;
  readonly since: number;
  readonly until: number | null;
  readonly demandedUntil: number | null;
  readonly agent?: string | undefined;
}

interface CountFact {
  readonly endpoint: EndpointKey | null;
  readonly folder: string;
  readonly state: string;
  readonly count: number;
  readonly needsPerson?: true | undefined;
  readonly reason?: string | undefined;
}

/** Everything that is wrong, each once. */
export function problemsOf(facts: Facts): Problem[] {
  const incidents = facts.incidents.filter(
    ({ code }) => code !== 'FILE_UNREADABLE' || !areUnreadableDismissed(facts.counts),
  );
  const all = [
    ...facts.folders.flatMap((folder) => ofFolderState(folder, facts.now)),
    ...incidents.map(({ key, since, ...condition }) => problem(keyOf(key, condition), since, condition)),
    ...facts.holds.map((hold) => ofHold(hold, facts)),
    ...ofCases(facts),
    ...ofFormerEndpoints(facts),
  ];
  // An unreachable folder is also an incident, with the same key.
  const byKey = new Map<string, Problem>();
  for (const each of all) if (!byKey.has(each.key)) byKey.set(each.key, each);
  return [...byKey.values()];
}

function problem(key: string, since: number | null, condition: Condition): Problem {
  const { needsAttention = true, subject, actions } = traitOf(condition.code);
  const isKnown = subject === undefined || !isOfError(condition.params);
  return {
    key,
    ...condition,
    subject: subjectOf(condition),
    since: since === null ? null : iso(since),
    needsAttention,
    actions: (isKnown ? actions?.(condition.params) : undefined) ?? [LOG],
  };
}

/** The key of the problem that an incident is. Another code needs another cure, so it is another problem. */
export function keyOf(key: string, { code, params }: Condition): string {
  if (code === 'FOLDER_UNREACHABLE') return folderKey(params.folder);
  return key === code || key.startsWith(`${code} `) ? key : `${code} ${key}`;
}

/** One key for every way of being away: a lost share may first be missing, then unreachable. */
function folderKey(path: string): string {
  return `folder ${path}`;
}

function ofFolderState(
  { path: folder, state, why, since }: Facts['folders'][number],
  now: number,
): Problem[] {
  const isLate = state === 'starting' && now - since >= LISTED_WITHIN_MS;
  const condition: Condition | null = isLate
    ? { code: 'FOLDER_UNLISTED', params: { folder } }
    : conditionOfFolder(folder, state, why === null ? { detail: '' } : within(why));
  return condition === null ? [] : [problem(folderKey(folder), since, condition)];
}

function ofHold(hold: HoldFact, facts: Facts): Problem {
  const { scope, key, since } = hold;
  const condition = ofHeld(hold, facts);
  const { code } = condition;
  return problem(code === 'UPLOADS_PAUSED' ? `${code} ${scope} ${key}` : `${code} ${key}`, since, condition);
}

function ofHeld(hold: HoldFact, facts: Facts): Condition {
  const { scope, key, reason, message, until, demandedUntil, agent = null } = hold;
  const waiting = waitingFor(hold, facts);
  const alias = facts.endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias ?? key;
  const found = { detail: whyText(message), why: factOf(message) };
  const held = { reason, ...found, until: until === null ? null : iso(until), waiting, agent };
  if (scope === 'folder' || reason === PAUSED) {
    const paused = {
      scope: scope === 'credentials' ? 'endpoint' : scope,
      target: { service: null, credentials: alias, endpoint: alias, folder: key }[scope],
      by: message === '' ? null : message,
      until: until === null ? null : iso(until),
      waiting,
    } as const;
    return { code: 'UPLOADS_PAUSED', params: paused };
  }
  switch (scope) {
    case 'service': {
      const code = demandedUntil === null ? 'SERVICE_UNREACHABLE' : 'SERVICE_BUSY';
      return { code, params: { ...held, service: key } };
    }
    case 'credentials': {
      const code = UNUSABLE.find((each) => each === reason) ?? 'CREDENTIALS_REFUSED';
      return { code, params: { ...held, account: accountOfKey(key) } };
    }
    case 'endpoint':
      return {
        code: meaningOf(statusOf(reason) ?? 0) === 'slowDown' ? 'ENDPOINT_BUSY' : 'ENDPOINT_HELD',
        params: { ...held, endpoint: alias },
      };
  }
}

function waitingFor({ scope, key }: HoldFact, { counts, endpoints }: Facts): number {
  const accountOf = accountsAmong(endpoints);
  const held = counts.filter(({ endpoint, folder, state }) => {
    if (state !== 'held' && state !== 'queued') return false;
    if (scope === 'folder') return folder === key;
    if (endpoint === null) return false;
    if (scope === 'credentials') return credentialsKey(endpoint.baseUrl, accountOf(endpoint)) === key;
    if (scope === 'endpoint') return endpointId(endpoint) === key;
    return endpoint.baseUrl === key || key === EVERYTHING;
  });
  return sumOf(held);
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Whether all unreadable files were dismissed; the incident that names them is then hidden as well. */
function areUnreadableDismissed(counts: readonly CountFact[]): boolean {
  const unreadable = counts.filter(({ state }) => state === 'unreadable');
  return unreadable.length > 0 && unreadable.every(({ needsPerson }) => needsPerson !== true);
}

/** One for each folder, whatever the number of documents and files; one for those of other agents. */
function ofCases({ counts, incidents }: Facts): Problem[] {
  // The incident names the files, except those that can't be opened under the name shown.
  const isSaid = incidents.some(({ code }) => code === 'FILE_UNREADABLE');
  const folders = new Map<string | null, CountFact[]>();
  for (const each of counts) {
    if (each.needsPerson !== true) continue;
    if (isSaid && each.state === 'unreadable' && each.reason !== 'NAME_NOT_UTF8') continue;
    const folder = isElsewhere(each.folder) ? null : each.folder;
    folders.set(folder, [...(folders.get(folder) ?? []), each]);
  }
  return [...folders].flatMap(([folder, cases]) => {
    const needs = needsOf(cases);
    if (needs.length === 0) return [];
    const params = { folder, count: sumOf(needs), needs };
    const key = `documents ${folder ?? 'elsewhere'}`;
    return [problem(key, null, { code: 'PERSON_NEEDED', params })];
  });
}

/** By state and reason. */
export function needsOf(
  cases: readonly {
    readonly state: string;
    readonly reason?: string | null | undefined;
    readonly count: number;
  }[],
): Need[] {
  const needs = new Map<string, Need>();
  for (const { state, reason = null, count } of cases) {
    if (!isNeeding(state) || count === 0) continue;
    const key = `${state} ${reason}`;
    needs.set(key, { state, reason, count: (needs.get(key)?.count ?? 0) + count });
  }
  return [...needs.values()];
}

/** Skips documents in folders of other agents on a shared ledger, whose configurations have their own endpoints. */
function ofFormerEndpoints({ counts, endpoints }: Facts): Problem[] {
  const configured = new Set(endpoints.map(({ key }) => endpointId(key)));
  const waiting = new Map<string, number>();
  const tookSome = new Set<string>();
  for (const { endpoint, folder, state, count } of counts) {
    if (endpoint === null || configured.has(endpointId(endpoint)) || isElsewhere(folder)) continue;
    const id = endpointId(endpoint);
    if (state === 'accepted' && count > 0) tookSome.add(id);
    if (state !== 'queued' && state !== 'held' && state !== 'uploading') continue;
    waiting.set(id, (waiting.get(id) ?? 0) + count);
  }
  return [...waiting].map(([endpoint, count]) => {
    const params = { endpoint, count, tookSome: tookSome.has(endpoint) };
    return problem(`ENDPOINT_GONE ${endpoint}`, null, { code: 'ENDPOINT_GONE', params });
  });
}

/** The folder, file, endpoint, agent or channel that it is about. */
export function subjectOf({ code, params }: Condition): string | null {
  return isOfError(params) ? null : (traitOf(code).subject?.(params) ?? null);
}

/** Why a document waits, for its row in a list. */
export function heldBecause({ reason, message }: Pick<HoldFact, 'reason' | 'message'>): string {
  return reason === PAUSED ? toMessage({ is: 'paused', by: message }) : message;
}

/** How long it must last before people are alerted; null: as configured; `never`: they are not. */
export function patienceOf({ code }: Condition): number | null | 'never' {
  return traitOf(code).patienceMs ?? null;
}

/** Whether it is for another agent of the fleet to alert people about it. */
export function isOfOtherAgent({ code, params }: Condition): boolean {
  if (code === 'PERSON_NEEDED') return params.folder === null;
  return code !== 'AGENT_SILENT' && 'agent' in params && params.agent !== null;
}

/** The number of documents and files that it is about, if it grows with them. */
export function countIn({ code, params }: Condition): number | null {
  return code === 'PERSON_NEEDED' || code === 'ENDPOINT_GONE' ? params.count : null;
}

import type { FolderStatus, IncidentStatus, StatusResponse } from '../protocol/status.ts';
import type { TroubleJson } from '../protocol/overview.ts';
import {
  accountOfKey,
  accountOption,
  accountsAmong,
  credentialsKey,
  ofAccount,
} from '../../core/domain/account.ts';
import type { ErrorCode } from '../../core/domain/errors.ts';
import { endpointId } from '../../core/domain/document.ts';
import { isNeeding } from '../../core/domain/needsPerson.ts';
import { holdWords } from '../../core/domain/holdWords.ts';
import { needSentences } from '../../core/domain/needWords.ts';
import { counted, iso, local } from '../../core/domain/words.ts';
import { orphansAmong } from './orphans.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

/** The facts that troubles are derived from. */
export interface Looked {
  readonly now: number;
  /** Null if no daemon is running or it gave no usable answer. */
  readonly daemon: StatusResponse | null;
  /** Why a running daemon gave no usable answer, and what to do; else null. */
  readonly silent: string | null;
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
}

/** A problem that keeps the agent from working: what it is, since when, and what to do. */
export type Trouble = TroubleJson;

type Endpoints = readonly Pick<EndpointSettings, 'key' | 'alias' | 'account'>[];

export function troubles(endpoints: Endpoints, looked: Looked): Trouble[] {
  const incidents = (looked.daemon?.incidents ?? []).filter(
    ({ code }) => code !== 'FILE_UNREADABLE' || !areUnreadableDismissed(looked.counts),
  );
  const found = incidents.map(ofIncident);
  for (const folder of looked.daemon?.folders ?? []) {
    const isSaid = incidents.some(
      ({ code, message }) => code.startsWith('FOLDER_') && message.includes(folder.path),
    );
    const trouble = isSaid ? null : ofFolder(folder);
    if (trouble !== null) found.push(trouble);
  }
  for (const hold of looked.holds) found.push(ofHold(hold, endpoints, looked));
  return [...found, ...ofCases(looked), ...orphans(endpoints, looked)];
}

function ofIncident({ code, subject, message, hint, since }: IncidentStatus): Trouble {
  return {
    person: true,
    text: `${message} Since ${local(since)}.`,
    advice: `${hint ? `${hint} ` : ''}[${code}]`,
    about: { kind: 'error', code, subject, since },
    remedy: null,
  };
}

function ofFolder({ path, state, message, since }: FolderStatus): Trouble | null {
  const says = (code: ErrorCode, what: string, advice: string): Trouble => ({
    person: true,
    text: `${message ?? what} Since ${local(since)}.`,
    advice: `${advice} [${code}]`,
    about: { kind: 'error', code, subject: path, since },
    remedy: null,
  });
  switch (state) {
    case 'watching':
    case 'starting':
    case 'standby':
    // Reported by its hold, which knows who paused it and when.
    case 'paused':
      return null;
    case 'missing':
      return says(
        'FOLDER_MISSING',
        `${path} does not exist.`,
        'Create or mount it, or correct `folders` in the config. Watching starts automatically once it exists.',
      );
    case 'notADirectory':
      return says(
        'FOLDER_NOT_A_DIRECTORY',
        `${path} is not a folder.`,
        'In the config, enter the folder that contains the scans.',
      );
    case 'unreadable':
      return says(
        'FOLDER_UNREADABLE',
        `${path} can't be read.`,
        'Allow the user that runs receiptd to read and open it. Watching then continues automatically.',
      );
    case 'taken':
      return says(
        'FOLDER_TAKEN',
        `Another agent on this machine watches ${path}.`,
        'Stop one of the two agents, or remove the folder from its config. The other one then takes over automatically.',
      );
    case 'unreachable':
      return says(
        'FOLDER_UNREACHABLE',
        `${path} can't be reached.`,
        'Nothing in it counts as deleted, and watching continues once it is back. If it stays unreachable, check the share and the network.',
      );
  }
}

/** The message of a pause. */
const PAUSED_BY = /^Paused by (.+)\.$/;

function ofHold(hold: Hold, endpoints: Endpoints, looked: Looked): Trouble {
  const { code } = holdWords(hold.message);
  const trouble = troubleOfHold(hold, endpoints, looked);
  return code === null ? trouble : { ...trouble, advice: `${trouble.advice} [${code}]` };
}

function troubleOfHold(hold: Hold, endpoints: Endpoints, looked: Looked): Trouble {
  const { scope, key, reason, since, until } = hold;
  const alias = endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias;
  const target = scope === 'endpoint' ? (alias ?? key) : key;
  const account = accountOfKey(key);
  const { text: message } = holdWords(hold.message);
  const sinceThen = `since ${local(since)}`;
  const count = waitingFor(hold, endpoints, looked);
  const waiting = count === 0 ? '' : `, and ${counted(count, 'document is', 'documents are')} waiting`;
  const next = nextTry(until, looked);
  const isAsked = hold.demandedUntil !== null;
  const about: Trouble['about'] = {
    kind: 'hold',
    scope,
    reason,
    message: hold.message,
    by: PAUSED_BY.exec(hold.message)?.[1] ?? null,
    target,
    account: account ?? null,
    agent: hold.agent ?? null,
    isAsked,
    since: iso(since),
    until: until === null ? null : iso(until),
    waiting: count,
  };
  if (reason === 'PAUSED') {
    const what = scope === 'endpoint' ? `Uploads to endpoint ${target}` : `Uploads from ${target}`;
    const text = `${what} have been paused ${sinceThen}${waiting}. ${message}`;
    const advice = `To resume, run \`receiptd resume ${target}\`.`;
    return { person: true, text, advice, about, remedy: { kind: 'resume', target } };
  }
  switch (scope) {
    case 'service':
      return {
        person: false,
        text: `The service at ${key} ${isAsked ? `has asked ${hold.agent === undefined ? '' : `agent ${hold.agent} `}to wait` : 'has not answered properly'} ${sinceThen}${waiting}: ${message} Nothing is lost, and ${next}.`,
        advice: 'If this lasts, check the network and the service.',
        about,
        remedy: { kind: 'tryHeld' },
      };
    case 'credentials':
      return {
        person: true,
        text: `The credentials${ofAccount(account)} have not worked ${sinceThen}${waiting}: ${message}`,
        advice: `Enter new ones with \`receiptd login${accountOption(account)}\`; otherwise ${next}.`,
        about,
        remedy: { kind: 'tryHeld' },
      };
    case 'endpoint':
      return reason === 'HTTP_429'
        ? {
            person: false,
            text: `The service has asked receiptd to slow down for endpoint ${target} ${sinceThen}${waiting}: ${message}`,
            advice: `Nothing is lost, and ${next}.`,
            about,
            remedy: null,
          }
        : {
            person: true,
            text: `Endpoint ${target} has not accepted uploads ${sinceThen}${waiting}: ${message}`,
            advice: `Contact the service's support or correct the config, then run \`receiptd retry --all\`; otherwise ${next}.`,
            about,
            remedy: { kind: 'tryHeld' },
          };
    case 'folder':
      return {
        person: until === null,
        text: `Folder ${target} has been on hold ${sinceThen}${waiting}: ${message}`,
        advice: `Otherwise ${next}.`,
        about,
        remedy: null,
      };
  }
}

function nextTry(until: number | null, { now, daemon, silent }: Looked): string {
  if (daemon === null && silent === null) return 'it is retried when the agent runs';
  if (until === null) return 'this stays until somebody changes it';
  return until <= now ? 'it is being retried now' : `it is retried at ${local(until)}`;
}

function waitingFor({ scope, key }: Hold, endpoints: Endpoints, { counts }: Looked): number {
  const accountOf = accountsAmong(endpoints);
  const held = counts.filter(({ endpoint, folder, state }) => {
    if (state !== 'held' && state !== 'queued') return false;
    if (scope === 'folder') return folder === key;
    if (endpoint === null) return false;
    if (scope === 'credentials') return credentialsKey(endpoint.baseUrl, accountOf(endpoint)) === key;
    return scope === 'endpoint' ? endpointId(endpoint) === key : endpoint.baseUrl === key;
  });
  return held.reduce((sum, { count }) => sum + count, 0);
}

/** Whether all unreadable files were dismissed; the incident that names them is then hidden as well. */
export function areUnreadableDismissed(counts: readonly StateCount[]): boolean {
  const unreadable = counts.filter(({ state }) => state === 'unreadable');
  return unreadable.length > 0 && unreadable.every(({ needsPerson }) => needsPerson !== true);
}

function ofCases({ counts, daemon }: Looked): Trouble[] {
  // The incident already names the unreadable files, except those that can't be opened under the name shown.
  const isSaid = daemon?.incidents.some(({ code }) => code === 'FILE_UNREADABLE') ?? false;
  const needs = counts.filter(
    ({ needsPerson, state, reason }) =>
      needsPerson && !(isSaid && state === 'unreadable' && reason !== 'NAME_NOT_UTF8'),
  );
  return needSentences(needs).flatMap(({ state, reason, count, text, advice }) =>
    isNeeding(state)
      ? {
          person: true,
          text,
          advice: `\`receiptd list --needs-person --state ${state}\` lists ${count === 1 ? 'it' : 'them'}. ${advice} Nothing to do? Use \`receiptd dismiss\`.`,
          about: { kind: 'needs', state, reason, count },
          remedy: { kind: 'list', state },
        }
      : [],
  );
}

function orphans(endpoints: Endpoints, { counts }: Looked): Trouble[] {
  return [...orphansAmong(counts, endpoints)].map(([id, { waiting, tookSome, advice }]) => ({
    person: true,
    text: `${counted(waiting, 'document is', 'documents are')} waiting for the endpoint ${id}, which is no longer in the config.`,
    advice,
    about: { kind: 'orphans', endpoint: id, waiting, tookSome },
    remedy: null,
  }));
}

import { accountOfKey, accountOption, ofAccount } from '../../core/domain/account.ts';
import { endpointId } from '../../core/domain/document.ts';
import type { ErrorCode } from '../../core/domain/errors.ts';
import { isElsewhere } from '../../core/domain/elsewhere.ts';
import { holdWords } from '../../core/domain/holdWords.ts';
import { needsInShort } from '../../core/domain/needWords.ts';
import { counted } from '../../core/domain/words.ts';
import { orphansAmong } from '../../control/queries/orphans.ts';
import { areUnreadableDismissed } from '../../control/queries/troubles.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { AlertCause } from '../../core/ports/alert.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { Incident } from '../../core/ports/incident.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

/** Something that is wrong now. */
export interface Cause extends Omit<AlertCause, 'until'> {
  /** How long it must last before it is sent; null: as configured. */
  readonly patienceMs: number | null;
  /** Independent of the configuration, so it is over as soon as it is absent. */
  readonly isOfProcess: boolean;
}

/** A watched folder, as in `status`. */
export interface FolderNow {
  readonly path: string;
  readonly state: string;
  readonly message: string | null;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

/** Everything that a look found. */
export interface Sight {
  readonly now: number;
  readonly incidents: readonly Incident[];
  /** Whether an incident must be found again after a change of the configuration; others last as long as the process. */
  readonly isOfGeneration: (key: string) => boolean;
  readonly folders: readonly FolderNow[];
  readonly holds: readonly Hold[];
  readonly counts: readonly StateCount[];
  readonly endpoints: readonly Pick<EndpointSettings, 'key' | 'alias'>[];
}

/**
 * If the service does not answer or asks for fewer uploads, receiptd tries again at least every five minutes, and nothing is lost
 * meanwhile. People are alerted after three failed attempts: by then it is neither a restart nor a short disturbance, and someone may
 * have to look at the network.
 */
const MENDS_ITSELF_MS = 15 * 60_000;

/** By then a machine is back from a restart or an update. */
const RESTARTS_WITHIN_MS = 10 * 60_000;

/** By key: one for each cause. */
export function causesOf(sight: Sight): Map<string, Cause> {
  const all = [
    ...sight.folders.flatMap(ofFolder),
    ...sight.incidents
      .filter(({ code }) => code !== 'FILE_UNREADABLE' || !areUnreadableDismissed(sight.counts))
      .map((incident) => ofIncident(incident, sight)),
    ...sight.holds.flatMap((hold) => ofHold(hold, sight)),
    ...ofCases(sight),
    ...ofOrphans(sight),
  ];
  const byKey = new Map<string, Cause>();
  // An unreachable folder is also an incident.
  for (const cause of all) if (!byKey.has(cause.key)) byKey.set(cause.key, cause);
  return byKey;
}

const UNREACHABLE = 'FOLDER_UNREACHABLE ';

function ofIncident({ key, code, message, hint, since }: Incident, { isOfGeneration }: Sight): Cause {
  const isOfFolder = key.startsWith(UNREACHABLE);
  const own = isOfFolder ? folderKey(key.slice(UNREACHABLE.length)) : incidentKey(key, code);
  const isOfProcess = !isOfGeneration(key);
  const patienceMs = code === 'AGENT_SILENT' ? RESTARTS_WITHIN_MS : null;
  return { key: own, code, message, hint, since, count: null, patienceMs, isOfProcess };
}

/** Some incidents keep their key when the trouble changes and needs another remedy: that counts as a different cause. */
function incidentKey(key: string, code: ErrorCode): string {
  const hasCode = key === code || key.startsWith(`${code} `);
  return hasCode ? `incident ${key}` : `incident ${key} ${code}`;
}

/** One key for every way of being away: a lost share may first be missing, then unreachable. */
function folderKey(path: string): string {
  return `folder ${path}`;
}

const AWAY: Readonly<
  Record<string, { readonly code: ErrorCode; readonly words: string; readonly hint: string }>
> = {
  missing: {
    code: 'FOLDER_MISSING',
    words: 'does not exist',
    hint: 'Create or mount it, or correct `folders` in the config. Watching starts automatically once it exists.',
  },
  notADirectory: {
    code: 'FOLDER_NOT_A_DIRECTORY',
    words: 'is not a folder',
    hint: 'In the config, enter the folder that contains the scans.',
  },
  unreadable: {
    code: 'FOLDER_UNREADABLE',
    words: "can't be read",
    hint: 'Allow the user that runs receiptd to read and open it. Watching then continues automatically.',
  },
  taken: {
    code: 'FOLDER_TAKEN',
    words: 'is watched by another agent on this machine',
    hint: 'Stop one of the two agents, or remove the folder from its config. The other one then takes over automatically.',
  },
  unreachable: {
    code: 'FOLDER_UNREACHABLE',
    words: "can't be reached",
    hint: 'Bring its server or disk back and make sure it is mounted. Nothing in it counts as deleted, and watching continues automatically.',
  },
};

function ofFolder({ path, state, message, since }: FolderNow): Cause[] {
  const away = AWAY[state];
  if (away === undefined) return [];
  const { code, words, hint } = away;
  const text = message ?? `${path} ${words}.`;
  const [key, rest] = [folderKey(path), { count: null, patienceMs: null, isOfProcess: false }];
  return [{ key, code, message: text, hint, since, ...rest }];
}

function ofHold({ scope, key, reason, message, since }: Hold, { endpoints }: Sight): Cause[] {
  // The person who paused it knows.
  if (reason === 'PAUSED') return [];
  const alias = endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias ?? key;
  const account = accountOfKey(key);
  const made = (what: string, code: ErrorCode, hint: string, patienceMs: number | null): Cause[] => [
    {
      // A 403 needs another remedy than a 429.
      key: scope === 'endpoint' ? `hold ${scope} ${key} ${reason}` : `hold ${scope} ${key}`,
      code,
      message: `${what}: ${holdWords(message).text}`,
      hint,
      since,
      count: null,
      patienceMs,
      isOfProcess: false,
    },
  ];
  switch (scope) {
    case 'service':
      return made(
        `The service at ${key} has not answered properly`,
        'SERVICE_UNREACHABLE',
        'Nothing is lost, and uploads are retried automatically. Check the network and the service.',
        MENDS_ITSELF_MS,
      );
    case 'credentials':
      return made(
        `The credentials${ofAccount(account)} are not accepted`,
        'CREDENTIALS_REFUSED',
        `Enter new ones with \`receiptd login${accountOption(account)}\`.`,
        null,
      );
    case 'endpoint':
      return reason === 'HTTP_429'
        ? made(
            `The service asks receiptd to slow down for endpoint ${alias}`,
            'ENDPOINT_REFUSED',
            "Nothing is lost, and uploads continue automatically. Check whether the account's plan fits the number of scans.",
            MENDS_ITSELF_MS,
          )
        : made(
            `Endpoint ${alias} does not accept uploads`,
            reason === 'HTTP_403' ? 'ENDPOINT_FORBIDDEN' : 'ENDPOINT_REFUSED',
            "Contact the service's support or correct the config, then run `receiptd retry --all`.",
            null,
          );
    case 'folder':
      return made(`Folder ${key} is on hold`, 'PERSON_NEEDED', 'For details, run `receiptd status`.', null);
  }
}

/** One cause for each folder, whatever the number of documents and files. */
function ofCases({ counts, incidents, now }: Sight): Cause[] {
  // The incident names the files.
  const isSaid = incidents.some(({ code }) => code === 'FILE_UNREADABLE');
  const folders = new Map<string, StateCount[]>();
  for (const each of counts) {
    if (
      each.needsPerson !== true ||
      (isSaid && each.state === 'unreadable' && each.reason !== 'NAME_NOT_UTF8')
    )
      continue;
    // The agent that watches the folder alerts about it.
    if (isElsewhere(each.folder)) continue;
    folders.set(each.folder, [...(folders.get(each.folder) ?? []), each]);
  }
  return [...folders].map(([folder, needs]) => {
    const count = needs.reduce((sum, each) => sum + each.count, 0);
    return {
      key: `documents ${folder}`,
      code: 'PERSON_NEEDED',
      message: `${counted(count, 'scan')} from ${folder} ${count === 1 ? 'needs' : 'need'} a person: ${needsInShort(needs)}.`,
      hint: `List ${count === 1 ? 'it' : 'them'} with \`receiptd list --needs-person\`. Then run \`receiptd retry NAME\`, scan again, or run \`receiptd dismiss\`.`,
      // The ledger does not say when the first of them failed, so it counts from the first look.
      since: now,
      count,
      patienceMs: null,
      isOfProcess: false,
    };
  });
}

function ofOrphans({ counts, endpoints, now }: Sight): Cause[] {
  return [...orphansAmong(counts, endpoints)].map(([id, { waiting: count, advice }]) => ({
    key: `orphans ${id}`,
    code: 'ENDPOINT_UNKNOWN',
    message: `${counted(count, 'document waits', 'documents wait')} for the endpoint ${id}, which is no longer in the config.`,
    hint: advice,
    since: now,
    count,
    patienceMs: null,
    isOfProcess: false,
  }));
}

import { accountOfKey, accountOption, ofAccount } from '../../core/domain/account.ts';
import { endpointId } from '../../core/domain/document.ts';
import type { ErrorCode } from '../../core/domain/errors.ts';
import { isElsewhere } from '../../core/domain/elsewhere.ts';
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
  /** It is told once it has lasted so long; null: as long as the configuration says. */
  readonly patienceMs: number | null;
  /** A changed configuration leaves it as it is, so that it is over as soon as it is not there. */
  readonly isOfProcess: boolean;
}

/** A watched folder, as `status` has it. */
export interface FolderNow {
  readonly path: string;
  readonly state: string;
  readonly message: string | null;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

/** What was looked at. */
export interface Sight {
  readonly now: number;
  readonly incidents: readonly Incident[];
  /** Whether an incident has to be met again under a changed configuration; the others live as long as the process. */
  readonly isOfGeneration: (key: string) => boolean;
  readonly folders: readonly FolderNow[];
  readonly holds: readonly Hold[];
  readonly counts: readonly StateCount[];
  readonly endpoints: readonly Pick<EndpointSettings, 'key' | 'alias'>[];
}

/**
 * A service that does not answer, or asks for less, is tried again by itself, every five minutes at the latest, and nothing is
 * lost meanwhile. A person is told once three such attempts have failed as well: by then it is no restart and no short
 * disturbance, and somebody may have to look at the network.
 */
const MENDS_ITSELF_MS = 15 * 60_000;

/** A machine that is restarted or updated is back by then. */
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
  // A folder that can't be reached is an incident as well.
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

/** Some incidents keep their key while the trouble becomes another one, with another remedy: that is another cause. */
function incidentKey(key: string, code: ErrorCode): string {
  const hasCode = key === code || key.startsWith(`${code} `);
  return hasCode ? `incident ${key}` : `incident ${key} ${code}`;
}

/** The same however it is not there: a share that is gone may first be missing, then not be reachable. */
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
  // Whoever paused it knows.
  if (reason === 'PAUSED') return [];
  const alias = endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias ?? key;
  const account = accountOfKey(key);
  const made = (what: string, code: ErrorCode, hint: string, patienceMs: number | null): Cause[] => [
    {
      // What is answered with 403 has another remedy than what is answered with 429.
      key: scope === 'endpoint' ? `hold ${scope} ${key} ${reason}` : `hold ${scope} ${key}`,
      code,
      message: `${what}: ${sentence(message)}`,
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

/** A service may end its message in anything. The code of an error is said behind the whole. */
function sentence(message: string): string {
  const said = message.replace(/ \[[A-Z][A-Z_]+\]$/, '');
  return /[.!?\]]$/.test(said) ? said : `${said}.`;
}

/** One cause for each folder, however many documents and files it is about. */
function ofCases({ counts, incidents, now }: Sight): Cause[] {
  // The incident names the files.
  const isSaid = incidents.some(({ code }) => code === 'FILE_UNREADABLE');
  const folders = new Map<string, StateCount[]>();
  for (const each of counts) {
    if (each.needsPerson !== true || (isSaid && each.state === 'unreadable')) continue;
    // The agent that has the folder tells of it.
    if (isElsewhere(each.folder)) continue;
    folders.set(each.folder, [...(folders.get(each.folder) ?? []), each]);
  }
  return [...folders].map(([folder, needs]) => {
    const count = needs.reduce((sum, each) => sum + each.count, 0);
    return {
      key: `documents ${folder}`,
      code: 'PERSON_NEEDED',
      message: `${counted(count, 'scan')} from ${folder} ${count === 1 ? 'needs' : 'need'} a person: ${needsInShort(needs)}.`,
      hint: 'List them with `receiptd list --needs-person`. Then run `receiptd retry NAME`, scan again, or run `receiptd dismiss`.',
      // The ledger does not say when the first of them came to this; it is known from the first look on.
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

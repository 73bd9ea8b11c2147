import type { Config } from '../config/config.ts';
import type { FolderStatus, IncidentStatus } from '../daemon/control/protocol.ts';
import { endpointId } from '../domain/document.ts';
import type { Hold } from '../ports/hold.ts';
import { counted, local } from './format.ts';
import type { Overview } from './overview.ts';

/** Something that keeps the agent from its work: what, since when, what to do. */
export interface Trouble {
  /** Whether somebody has to do something; else it ends by itself. */
  readonly person: boolean;
  readonly text: string;
}

export function troubles(config: Config, overview: Overview): Trouble[] {
  const incidents = overview.daemon?.incidents ?? [];
  const found = incidents.map(ofIncident);
  for (const folder of overview.daemon?.folders ?? []) {
    const isSaid = incidents.some(
      ({ code, message }) => code.startsWith('FOLDER_') && message.includes(folder.path),
    );
    const trouble = isSaid ? null : ofFolder(folder);
    if (trouble !== null) found.push(trouble);
  }
  for (const hold of overview.holds) found.push(ofHold(hold, config, overview));
  return [...found, ...ofDocuments(overview), ...orphans(config, overview)];
}

function ofIncident({ code, message, hint, since }: IncidentStatus): Trouble {
  return { person: true, text: `${message} Since ${local(since)}. ${hint} [${code}]` };
}

function ofFolder({ path, state, message, since }: FolderStatus): Trouble | null {
  const says = (person: boolean, what: string, advice: string): Trouble => ({
    person,
    text: `${message ?? what} Since ${local(since)}. ${advice}`,
  });
  switch (state) {
    case 'watching':
    case 'starting':
    // The hold says who paused it, and since when.
    case 'paused':
      return null;
    case 'missing':
      return says(
        true,
        `${path} does not exist.`,
        'Create or mount it, or correct `folders` in the config; watching begins by itself once it is there.',
      );
    case 'notADirectory':
      return says(true, `${path} is not a folder.`, 'Name the folder that holds the scans in the config.');
    case 'unreadable':
      return says(
        true,
        `${path} can't be read.`,
        'Let the user that runs receiptd read and enter it; watching goes on by itself then.',
      );
    case 'unreachable':
      return says(
        true,
        `${path} can't be reached.`,
        'Nothing in it counts as deleted, and watching goes on once it is back. If it stays away, look at the share and the network.',
      );
  }
}

function ofHold(hold: Hold, config: Config, overview: Overview): Trouble {
  const { scope, key, reason, since, until } = hold;
  const alias = config.endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias;
  const target = scope === 'endpoint' ? (alias ?? key) : key;
  const message = sentence(hold.message);
  const sinceThen = `since ${local(since)}`;
  const waiting = waitingFor(hold, overview);
  const next = nextTry(until, overview);
  if (reason === 'PAUSED') {
    const what = scope === 'endpoint' ? `Uploads to endpoint ${target}` : `Uploads from ${target}`;
    const text = `${what} are paused ${sinceThen}${waiting}. ${message} That is: \`receiptd resume ${target}\`.`;
    return { person: true, text };
  }
  switch (scope) {
    case 'service':
      return {
        person: false,
        text: `The service at ${key} gives no proper answer ${sinceThen}${waiting}: ${message} Nothing is lost, and ${next}. If it lasts, look at the network and at the service.`,
      };
    case 'credentials':
      return {
        person: true,
        text: `The credentials do not work ${sinceThen}${waiting}: ${message} Give new ones with \`receiptd login\`; otherwise ${next}.`,
      };
    case 'endpoint':
      return reason === 'HTTP_429'
        ? {
            person: false,
            text: `The service asks to send less to endpoint ${target} ${sinceThen}${waiting}: ${message} Nothing is lost, and ${next}.`,
          }
        : {
            person: true,
            text: `Endpoint ${target} takes no uploads ${sinceThen}${waiting}: ${message} Ask the service's people or correct the config, then \`receiptd retry --all\`; otherwise ${next}.`,
          };
    case 'folder':
      return {
        person: until === null,
        text: `Folder ${target} is on hold ${sinceThen}${waiting}: ${message} Otherwise ${next}.`,
      };
  }
}

function nextTry(until: number | null, { now, daemon, silent }: Overview): string {
  if (daemon === null && silent === null) return 'it is tried again when the agent runs';
  if (until === null) return 'it stays so until somebody changes it';
  return until <= now ? 'it is being tried again now' : `it is tried again at ${local(until)}`;
}

function waitingFor({ scope, key }: Hold, { counts }: Overview): string {
  const held = counts.filter(({ endpoint, folder, state }) => {
    if (state !== 'held' && state !== 'queued') return false;
    if (scope === 'folder') return folder === key;
    if (endpoint === null) return false;
    return scope === 'endpoint' ? endpointId(endpoint) === key : endpoint.baseUrl === key;
  });
  const total = held.reduce((sum, { count }) => sum + count, 0);
  return total === 0 ? '' : `, and ${counted(total, 'document waits', 'documents wait')} for that`;
}

/** Messages of old ledgers and services may end in anything. */
function sentence(message: string): string {
  return /[.!?\]]$/.test(message) ? message : `${message}.`;
}

function ofDocuments({ counts }: Overview): Trouble[] {
  const total = (wanted: string) =>
    counts.filter(({ state }) => state === wanted).reduce((sum, { count }) => sum + count, 0);
  const say = (state: string, one: string, many: string, advice: string): Trouble[] => {
    const value = total(state);
    if (value === 0) return [];
    return [
      {
        person: true,
        text: `${counted(value, one, many)}. \`receiptd list --state ${state}\` names them. ${advice}`,
      },
    ];
  };
  return [
    ...say(
      'failed',
      'document was refused by the service',
      'documents were refused by the service',
      'Read its words, then `receiptd retry NAME`.',
    ),
    ...say(
      'unconfirmed',
      'document may or may not be at the service',
      'documents may or may not be at the service',
      'Look them up there, then `receiptd retry NAME`.',
    ),
    ...say(
      'lost',
      'document was gone before it could be sent',
      'documents were gone before they could be sent',
      'Scan the receipt again; it gets the same name.',
    ),
    ...say(
      'unreadable',
      'file can not be opened',
      'files can not be opened',
      'Let the user that runs receiptd read them.',
    ),
    ...say(
      'incomplete',
      'file is cut short',
      'files are cut short',
      'Scan the receipt again if it does not become complete.',
    ),
  ];
}

function orphans(config: Config, { counts }: Overview): Trouble[] {
  const configured = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  const waiting = new Map<string, number>();
  for (const { endpoint, state, count } of counts) {
    if (endpoint === null || configured.has(endpointId(endpoint))) continue;
    if (state !== 'queued' && state !== 'held' && state !== 'uploading') continue;
    waiting.set(endpointId(endpoint), (waiting.get(endpointId(endpoint)) ?? 0) + count);
  }
  return [...waiting].map(([id, total]) => ({
    person: true,
    text: `${counted(total, 'document waits', 'documents wait')} for the endpoint ${id}, which is not in the config any more. Put it back under \`endpoints\`, or scan the receipts again for another one.`,
  }));
}

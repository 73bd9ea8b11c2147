/** As `texts.ts`, of the page that only few open: loaded with it. Another language is another object of this shape. */
const english = {
  title: 'Fleet',
  means:
    'The agents that share the ledger. An agent that is paused takes scans in and sends nothing; what others can send, they send.',
  alone: 'This agent does not share its ledger. How it is, the overview says.',
  none: 'No agent has used this ledger yet.',
  name: 'Agent',
  version: 'Version',
  state: 'State',
  states: { running: 'running', stopped: 'stopped', silent: 'silent' },
  paused: 'paused',
  pausedBy: (by: string, since: string) => `by ${by}, since ${since}`,
  lastSeen: 'Last seen',
  never: 'never',
  queued: 'Queued',
  uploading: 'Uploading',
  leads: 'Leads',
  holds: 'Holds',
  scopes: { service: 'Service', credentials: 'Credentials', endpoint: 'Endpoint', folder: 'Folder' },
  holdSince: (at: string) => `since ${at}`,
  holdUntil: (at: string) => `tried again at ${at}`,
};

export type FleetTexts = typeof english;

/** The one language there is so far. */
export const texts: FleetTexts = english;

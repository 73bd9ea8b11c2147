/** The agents that share a ledger. */
export function fleetTexts() {
  return {
    fleet: {
      title: 'Fleet',
      means:
        'The agents that share the ledger. A paused agent picks up scans but sends nothing; other agents send what they can.',
      alone: 'This agent does not share its ledger. See the overview for its status.',
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
    },
  };
}

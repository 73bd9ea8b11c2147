import type { HostedAgent } from '../../../src/features/os-service/agent.ts';

/** An agent as a package installs it, except for `differences`. */
export function anAgent(differences: Partial<HostedAgent> = {}): HostedAgent {
  return {
    command: ['/usr/bin/node', '/usr/lib/receiptd/dist/receiptd.cjs'],
    configFile: '/etc/receiptd/receiptd.yaml',
    stateDir: '/var/lib/receiptd',
    folders: [{ path: '/srv/scans', writes: [], isShared: false }],
    graceMs: 20_000,
    controlGroup: null,
    credentials: [
      { name: 'client_id', encrypted: true },
      { name: 'client_secret', encrypted: true },
    ],
    environment: {},
    links: {},
    ...differences,
  };
}

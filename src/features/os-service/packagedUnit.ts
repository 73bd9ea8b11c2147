import { serviceTexts } from '../../texts/en/written.ts';
import type { HostedAgent } from './agent.ts';
import { DEFAULT_USER } from './agent.ts';
import { systemUnit } from './systemd/unit.ts';

/** The agent of a package, without a configuration yet: may read folders anywhere, homes included, but not write them. */
const PACKAGED: HostedAgent = {
  command: ['/usr/bin/receiptd'],
  configFile: '/etc/receiptd/receiptd.yaml',
  stateDir: '/var/lib/receiptd',
  folders: [{ path: '/home', writes: [], isShared: false }],
  graceMs: 30_000,
  controlGroup: null,
  credentials: ['client_id', 'client_secret'].map((name) => ({ name, encrypted: true })),
  environment: {},
  links: {},
};

/** The unit in a package: that of `service install` without its mark line. */
export function packagedUnit(): string {
  const [, ...lines] = systemUnit(PACKAGED, DEFAULT_USER).split('\n');
  // The unit is enabled before a configuration exists. Not in a drop-in, which would also apply to a unit in /etc.
  const waiting = lines.flatMap((line) =>
    line.startsWith('StartLimitIntervalSec=') ? [`ConditionPathExists=${PACKAGED.configFile}`, line] : [line],
  );
  return `${serviceTexts.packaged}${waiting.join('\n')}`;
}

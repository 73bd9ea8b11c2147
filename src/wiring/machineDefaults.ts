import { hostname } from 'node:os';
import { defaultSender } from '../features/alerts/channels/mail.ts';
import type { LoadContext } from '../config/config.ts';
import { pathDefaults, type MachineDefaults } from '../config/template.ts';
import { agentName } from '../config/fleetMember.ts';

/** Defaults for this machine and user, for keys that the config file leaves out. */
export function machineDefaults(file: string, context: LoadContext): MachineDefaults {
  const agent = agentName({ agent: null });
  return { ...pathDefaults(file, context), agent, from: defaultSender(hostname()) };
}

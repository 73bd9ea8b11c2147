import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { failure, type Finding } from '../core/domain/finding.ts';
import { DEFAULT_USER, withLinks, type HostedAgent } from '../features/os-service/agent.ts';
import type { Host } from '../features/os-service/host.ts';
import { hostedAgent } from '../features/os-service/hosted.ts';
import { writtenPaths } from '../features/os-service/systemd/confinement.ts';
import { shellWord } from '../system/programs.ts';
import type { EffectiveUnit } from '../features/os-service/systemd/access.ts';
import { Systemd } from '../features/os-service/systemd/manager.ts';
import { commandLine } from './help.ts';

/** Subject of findings about the unit of the machine's service. */
export const UNIT = 'service unit';

const DEFAULT_CONFIG = '/etc/receiptd/receiptd.yaml';

/** What the unit of the machine's service forbids, although this configuration needs it. Empty if the unit runs another one, or there is none. */
export async function checkUnit(config: Config, host: Host): Promise<Finding[]> {
  const unit = await unitOf(config.file, host);
  if (unit === null) return [];
  const agent = await hostedAgent(config, []);
  const real = (path: string): string => withLinks(agent, path).at(-1) ?? path;
  const beyond = (paths: readonly string[], ...access: readonly string[]) =>
    [...new Set(paths)].filter((path) => access.includes(unit.accessTo(real(path))));
  const params = { unit: unit.file, command: installing(config, unit.user) };
  const hidden = beyond(
    agent.folders.map(({ path }) => path),
    'hidden',
  );
  const unwritten = beyond(writtenPaths(agent, false), 'hidden', 'reads').filter(
    (path) => !hidden.includes(path),
  );
  const findings = [
    ...(hidden.length === 0
      ? []
      : [failure(UNIT, new ReceiptdError('FOLDER_UNREADABLE.unit', { ...params, places: hidden }))]),
    ...(unwritten.length === 0
      ? []
      : [
          failure(
            UNIT,
            new ReceiptdError('FOLDER_UNWRITABLE.unit', { ...params, places: unwritten }),
            // Scans are sent without a configuration that can be changed in the console.
            unwritten.every((path) => isOfConfig(path, agent)) ? 'warn' : 'fail',
          ),
        ]),
  ];
  return findings.length > 0
    ? findings
    : [{ level: 'ok', subject: UNIT, fact: { is: 'unitFits', unit: unit.file } }];
}

/** The unit of the machine's service, if it runs this configuration. */
export async function unitOf(configFile: string, host: Host): Promise<EffectiveUnit | null> {
  if (host.platform !== 'linux') return null;
  const unit = await new Systemd(host, 'system', '').effective();
  if (unit === null || unit.configFile === null) return null;
  return (await isSame(unit.configFile, configFile)) ? unit : null;
}

function isOfConfig(path: string, agent: HostedAgent): boolean {
  return withLinks(agent, agent.configFile).some((file) => dirname(file) === path);
}

async function isSame(one: string, other: string): Promise<boolean> {
  const places = [one, other].map((path) => realpath(path).catch(() => path));
  const [first, second] = await Promise.all(places);
  return first === second;
}

/** The command that fits the unit to the configuration. */
function installing({ file }: Config, user: string): string {
  const options = [
    ...(file === DEFAULT_CONFIG ? [] : ['--config', shellWord(file)]),
    ...(user === DEFAULT_USER ? [] : ['--user', shellWord(user)]),
  ];
  return `sudo ${commandLine('service', 'install', ...options)}`;
}

import { win32 } from 'node:path';
import type { HostedAgent } from '../agent.ts';
import { windowsTask, WINDOWS_USER } from './task.ts';

const PROGRAM = String.raw`%ProgramFiles%\receiptd`;
const DATA = String.raw`%ProgramData%\receiptd`;

/** The installer's agent, without a configuration yet. The Task Scheduler expands `%VARIABLES%`. */
const PACKAGED: HostedAgent = {
  command: [win32.join(PROGRAM, 'node.exe'), win32.join(PROGRAM, 'app', 'dist', 'receiptd.cjs')],
  configFile: win32.join(DATA, 'receiptd.yaml'),
  stateDir: win32.join(DATA, 'state'),
  folders: [],
  graceMs: 30_000,
  controlGroup: null,
  credentials: [],
  environment: {},
  links: {},
};

/** The task that the installer registers: that of `service install`. Without a configuration its program exits at once each time. */
export function packagedTask(): string {
  return windowsTask(PACKAGED, 'system', WINDOWS_USER);
}

import type { HostedAgent } from './agent.ts';

/** What keeps the agent running on a kind of machine. */
export interface Manager {
  readonly name: 'systemd' | 'launchd' | 'windows';
  /** Where the definition lies; null where the manager keeps it itself. */
  readonly file: string | null;
  /** @throws ReceiptdError MANAGER_ABSENT where there is none */
  present(): Promise<void>;
  /** The definition, without looking at anything. @throws ReceiptdError INSTALL_REFUSED for what it can't say */
  define(agent: HostedAgent): string;
  /** The definition that is installed; null: none. */
  installed(): Promise<string | null>;
  /** Puts the definition in place of the one that is there, to be started with the machine. @returns what is to be said of it */
  install(text: string): Promise<readonly string[]>;
  /** Stops it and takes the definition away. @returns what is left to say */
  uninstall(): Promise<readonly string[]>;
  /** Resolves when the agent says that it is ready, as far as the manager hears that. @throws ReceiptdError MANAGER_FAILED */
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
  status(): Promise<ManagerStatus>;
  /** What shows the log on the terminal. */
  logs(options: { lines: number; follow: boolean }): readonly string[];
}

export interface ManagerStatus {
  readonly isInstalled: boolean;
  readonly isRunning: boolean;
  readonly isEnabled: boolean;
  /** The manager's own words. */
  readonly state: string;
  /** What the agent told the manager last; null where it tells it nothing. */
  readonly says: string | null;
  readonly pid: number | null;
}

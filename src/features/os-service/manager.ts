import type { HostedAgent } from './agent.ts';

/** What a manager notes for the person who installs or uninstalls. */
export type ServiceNote = 'unmasked' | 'packageDisabled';

/** A service manager: keeps the agent running on one platform. */
export interface Manager {
  readonly name: 'systemd' | 'launchd' | 'windows';
  /** Path of the definition; null if the manager stores it itself. */
  readonly file: string | null;
  /** @throws ReceiptdError MANAGER_ABSENT if this machine has no such manager */
  present(): Promise<void>;
  /** Builds the definition without touching the machine. @throws ReceiptdError INSTALL_REFUSED for what it can't express */
  define(agent: HostedAgent): string;
  /** The installed definition; null: none. */
  installed(): Promise<string | null>;
  /** Installs or replaces the definition and enables it at boot. @returns notes for the person who installs */
  install(text: string): Promise<readonly ServiceNote[]>;
  /** Stops the service and removes the definition. @returns notes for the person who uninstalls */
  uninstall(): Promise<readonly ServiceNote[]>;
  /** Resolves when the agent reports ready, if the manager supports that. @throws ReceiptdError MANAGER_FAILED */
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
  status(): Promise<ManagerStatus>;
  /** Command line that shows the log on the terminal. */
  logs(options: { lines: number; follow: boolean }): readonly string[];
}

export interface ManagerStatus {
  readonly isInstalled: boolean;
  readonly isRunning: boolean;
  readonly isEnabled: boolean;
  /** In the manager's own words. */
  readonly state: string;
  /** Last status that the agent sent to the manager; null if none. */
  readonly says: string | null;
  readonly pid: number | null;
}

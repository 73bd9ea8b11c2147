/** The agent as a service manager has to know it. All paths are absolute. */
export interface HostedAgent {
  /** What starts it, without the arguments of the agent: Node and the program, or one executable. */
  readonly command: readonly string[];
  readonly configFile: string;
  readonly stateDir: string;
  readonly folders: readonly HostedFolder[];
  /** How long uploads under way may take to finish. */
  readonly graceMs: number;
  /** Group whose members may use the control socket; null: none. */
  readonly controlGroup: string | null;
  /** What systemd is to hand over. */
  readonly credentials: readonly HostedCredential[];
  /** Variables that it needs besides those of the manager. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of the paths above that have links on their way: the other paths by which they are got to, the real one last. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export interface HostedFolder {
  readonly path: string;
  /** Where files are made, moved or deleted for it; what is there of these paths. */
  readonly writes: readonly string[];
  /** People use what the agent makes for it: an archive, or what needs their attention. */
  readonly isShared: boolean;
}

export interface HostedCredential {
  readonly name: string;
  readonly encrypted: boolean;
}

/** `user`: of the one who installs it, without rights of an administrator. */
export type Scope = 'system' | 'user';

export const SERVICE_NAME = 'receiptd';
export const DEFAULT_USER = 'receiptd';
export const DESCRIPTION = 'receiptd: uploads scanned receipts';

/** What the manager runs. */
export function runCommand({ command, configFile }: HostedAgent): string[] {
  return [...command, 'run', '--config', configFile];
}

/** Every path that the agent has to reach. */
export function reachedPaths(agent: HostedAgent): string[] {
  const { command, configFile, stateDir, folders } = agent;
  const named = [
    ...command,
    configFile,
    stateDir,
    ...folders.flatMap(({ path, writes }) => [path, ...writes]),
  ];
  return named.flatMap((path) => withLinks(agent, path));
}

/** The path, and every other by which the system gets to it. */
export function withLinks({ links }: HostedAgent, path: string): readonly string[] {
  return [path, ...(links[path] ?? [])];
}

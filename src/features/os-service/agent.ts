/** What a service manager needs to know about the agent. All paths are absolute. */
export interface HostedAgent {
  /** Command line without the agent's arguments: Node and the program, or one executable. */
  readonly command: readonly string[];
  readonly configFile: string;
  readonly stateDir: string;
  readonly folders: readonly HostedFolder[];
  /** How long uploads under way may take to finish. */
  readonly graceMs: number;
  /** Group whose members may use the control socket; null: no group. */
  readonly controlGroup: string | null;
  /** Credentials that systemd passes to the unit. */
  readonly credentials: readonly HostedCredential[];
  /** Variables to set in addition to the manager's. */
  readonly environment: Readonly<Record<string, string>>;
  /** For each path above that contains symbolic links: the paths it resolves through, the real one last. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export interface HostedFolder {
  readonly path: string;
  /** Directories in which the agent creates, moves or deletes files; the existing part of each path. */
  readonly writes: readonly string[];
  /** Whether people open files that the agent writes here: an archive, or the needs-attention folder. */
  readonly isShared: boolean;
}

export interface HostedCredential {
  readonly name: string;
  readonly encrypted: boolean;
}

/** `user`: for the installing user, without administrator rights. */
export type InstallScope = 'system' | 'user';

export const SERVICE_NAME = 'receiptd';
export const DEFAULT_USER = 'receiptd';

/** The full command line that the manager runs. */
export function runCommand({ command, configFile }: HostedAgent): string[] {
  return [...command, 'run', '--config', configFile];
}

/** Every path that the agent needs access to. */
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

/** The path and every path that it resolves through. */
export function withLinks({ links }: HostedAgent, path: string): readonly string[] {
  return [path, ...(links[path] ?? [])];
}

import type { StrengthFact } from '../../core/domain/finding.ts';
import type { CredentialStore } from '../../core/ports/credentials.ts';

/** What to judge a store by. */
export interface Whose {
  readonly platform: NodeJS.Platform;
  /** Null on Windows. */
  readonly uid: number | null;
  /** Owner of the state directory, which the agent runs as; null if unknown. */
  readonly agentUid: number | null;
  readonly file: string;
  /** Owner of the file; null if unknown. */
  readonly fileUid: number | null;
  /** Command-line options that name the account, for the suggested command. */
  readonly option: string;
  /** Whether systemd's credentials are in memory that is never written to disk; null if unknown. */
  readonly isInRamfs?: boolean | null;
}

export interface Strength {
  /** Weak for the way the agent runs, or unusable by it. */
  readonly isWeak: boolean;
  readonly fact: StrengthFact;
}

/** How well a store protects the credentials, and from whom. */
export function strengthOf(store: CredentialStore, whose: Whose): Strength {
  const { platform, file, option, agentUid, fileUid } = whose;
  const isLinux = platform === 'linux';
  switch (store) {
    case 'environment':
      return { isWeak: false, fact: { is: 'environment', isLinux } };
    case 'file':
      if (agentUid !== null && agentUid !== 0 && fileUid !== null && fileUid !== agentUid)
        return { isWeak: true, fact: { is: 'foreignFile', file } };
      return { isWeak: false, fact: { is: platform === 'win32' ? 'windowsFile' : 'file', file } };
    case 'systemd':
      return { isWeak: false, fact: { is: 'systemd', isInMemory: whose.isInRamfs === true } };
    case 'keychain':
      if (!isServiceAccount(whose)) return { isWeak: false, fact: { is: 'keychain' } };
      return { isWeak: true, fact: { is: 'keychainAtBoot', store: isLinux ? 'systemd' : 'file', option } };
  }
}

/** Uids of system accounts: below 1000 on Linux (login.defs), below 500 on macOS. */
function isServiceAccount({ platform, uid, agentUid }: Whose): boolean {
  const id = agentUid ?? uid;
  if (id === null) return false;
  return id < (platform === 'darwin' ? 500 : 1000);
}

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
  readonly text: string;
}

/** How well a store protects the credentials, and from whom; in one or two sentences. */
export function strengthOf(store: CredentialStore, whose: Whose): Strength {
  const { platform, file, option, agentUid } = whose;
  switch (store) {
    case 'environment':
      return {
        isWeak: false,
        text: `Weak: root and this user's other processes can read them in the process environment${platform === 'linux' ? ' (/proc)' : ''}, and if a unit sets them (Environment=), so can everyone.`,
      };
    case 'file':
      if (agentUid !== null && agentUid !== 0 && whose.fileUid !== null && whose.fileUid !== agentUid)
        return {
          isWeak: true,
          text: `The agent can't read ${file}, because it belongs to another user: change its owner to the owner of the state directory (chown).`,
        };
      return {
        isWeak: false,
        text:
          platform === 'win32'
            ? `Fair: ${file} is protected only by the permissions of its folder (receiptd makes the state directory private), and is unencrypted in backups.`
            : `Fair: only its owner and root can read ${file}, but so can anyone who has a backup or the disk.`,
      };
    case 'systemd':
      return {
        isWeak: false,
        text: `Strong: for this unit and root alone${whose.isInRamfs === true ? ', in memory that is never written to disk' : ''}; on disk as good as the unit says (LoadCredentialEncrypted= binds them to this machine or its TPM2, LoadCredential= takes a plain file).`,
      };
    case 'keychain':
      if (isServiceAccount(whose))
        return {
          isWeak: true,
          text: `Strong, but nobody logs in as a service account, so the keychain stays locked or unavailable when the agent starts at boot. Move them: \`receiptd login --store ${platform === 'linux' ? 'systemd' : 'file'}${option}\`.`,
        };
      return {
        isWeak: false,
        text: 'Strong: encrypted on disk, and unlocked while this user is logged in. An agent that starts earlier waits until then.',
      };
  }
}

/** Uids of system accounts: below 1000 on Linux (login.defs), below 500 on macOS. */
function isServiceAccount({ platform, uid, agentUid }: Whose): boolean {
  const id = agentUid ?? uid;
  if (id === null) return false;
  return id < (platform === 'darwin' ? 500 : 1000);
}

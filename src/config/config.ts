import type { EndpointSettings, FolderSettings } from '../core/domain/settings.ts';
import type { ParsedAccount, ParsedAlerts, ParsedConfig, ParsedFolder, ParsedLedger } from './schema.ts';

/**
 * The configuration as the program uses it: defaults filled in, paths absolute, durations in milliseconds, sizes in bytes,
 * null for none. Whatever is not named here is as the table of settings has it.
 */
export interface Config extends Readonly<
  Omit<ParsedConfig, 'credentials' | 'accounts' | 'endpoints' | 'folders' | 'ledger' | 'stateDir' | 'alerts'>
> {
  /** Absolute path of the config file. */
  readonly file: string;
  /** Of the default account. */
  readonly credentials: CredentialsConfig;
  /** The other accounts, in the order of the file. */
  readonly accounts: readonly { readonly name: string; readonly credentials: CredentialsConfig }[];
  /** In the order of the file. */
  readonly endpoints: readonly EndpointConfig[];
  readonly folders: readonly FolderConfig[];
  readonly ledger: LedgerConfig;
  readonly stateDir: string;
  readonly alerts: AlertsConfig;
}

export type LedgerConfig = { readonly kind: 'sqlite' } | PostgresConfig;

export interface PostgresConfig extends Readonly<Omit<ParsedLedger, 'agent' | 'allowInsecure'>> {
  readonly kind: 'postgres';
  /** Contains no password, and always has an `sslmode`: disable, no-verify or verify-full. */
  readonly url: string;
  /** Null: the host name. */
  readonly agent: string | null;
}

/** `webhook`, `email`: null if that channel is not used. */
export interface AlertsConfig extends Readonly<Omit<ParsedAlerts, 'webhook' | 'email' | 'silentAfter'>> {
  readonly webhook: { readonly url: string; readonly secretFile: string | null } | null;
  readonly email:
    | (Readonly<Omit<ParsedAlerts['email'], 'server' | 'from' | 'to'>> & {
        readonly server: string;
        readonly to: readonly string[];
        /** Null: `receiptd@` and the name of this machine. */
        readonly from: string | null;
      })
    | null;
}

export interface CredentialsConfig {
  readonly store: ParsedAccount['store'];
  readonly file: string;
}

export interface EndpointConfig extends EndpointSettings {
  /** Name of an account; null: the default account. */
  readonly account: string | null;
}

export interface FolderConfig
  extends
    Required<FolderSettings>,
    Readonly<
      Omit<
        ParsedFolder,
        | keyof FolderSettings
        | 'name'
        | 'builtInIgnores'
        | 'include'
        | 'ignore'
        | 'needsAttention'
        | 'silentAfter'
      >
    > {
  readonly pages: ParsedFolder['pages'];
  readonly include: readonly string[];
  /** Contains the built-in ones unless they are switched off. */
  readonly ignore: readonly string[];
  /** Never watched, whatever `afterUpload` is. */
  readonly archiveTo: string;
  /** Never watched; null: none. */
  readonly needsAttention: string | null;
  /** Counted only during the folder's working hours. */
  readonly silentAfter: ParsedAlerts['silentAfter'];
}

/** The program's environment, passed as arguments so that tests can vary it. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Absolute. */
  readonly cwd: string;
}

export interface LoadContext extends Surroundings {
  /** Determines the default state directory. */
  readonly isRoot: boolean;
}

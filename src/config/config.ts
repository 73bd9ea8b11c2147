import type { EndpointSettings, FolderSettings, Limits } from '../core/domain/settings.ts';
import type { Language } from '../core/domain/language.ts';
import type { Hours } from '../core/domain/hours.ts';
import type { ParsedConfig, ParsedService } from './schema.ts';
import type { ParsedAlerts, ParsedConsole, ParsedMonitoring, ParsedResults } from './schemaSideServices.ts';
import type { ParsedFolder } from './schemaFolder.ts';

/** The configuration as the program uses it: defaults filled in, paths absolute, `...Ms` milliseconds, sizes bytes. */
export interface Config {
  /** Absolute path of the config file. */
  readonly file: string;
  /** `baseUrl` without a trailing slash; `answerLimit` in bytes. `proxy` may contain a password. */
  readonly service: Readonly<Omit<ParsedService, 'ca' | 'timeouts'>> & {
    /** Absolute path of a PEM file. */
    readonly ca: string | null;
    readonly timeouts: {
      readonly connectMs: number;
      readonly progressMs: number;
      readonly headersMs: number;
      readonly bodyMs: number;
    };
  };
  /** Of the default account. */
  readonly credentials: CredentialsConfig;
  /** The other accounts, in the order of the file. */
  readonly accounts: readonly { readonly name: string; readonly credentials: CredentialsConfig }[];
  /** In the order of the file. */
  readonly endpoints: readonly EndpointConfig[];
  readonly folders: readonly FolderConfig[];
  readonly delivery: {
    readonly limits: Limits;
    /** Bytes per second; null: unlimited. */
    readonly bandwidth: number | null;
    /** Null: always. */
    readonly hours: Hours | null;
    readonly graceMs: number;
    readonly parkAfter: number;
  };
  readonly intake: {
    readonly reconcileEveryMs: number;
    readonly pollEveryMs: number;
    readonly takeOverAfterMs: number;
    readonly confirmAbove: number;
  };
  readonly spool: ParsedConfig['spool'];
  /** Sizes in bytes, times in milliseconds. */
  readonly storage: {
    readonly spoolLimit: number;
    readonly keepFailedMs: number;
    readonly reserve: number;
    readonly backupEveryMs: number;
    readonly backups: number;
  };
  readonly ledger: LedgerConfig;
  readonly stateDir: string;
  /** `hosts` in lower case; `thumbnails` in bytes, 0: none are shown or kept; `roots` absolute. */
  readonly console: Readonly<Omit<ParsedConsole, 'tls'>> & { readonly tls: PairFiles | null };
  readonly monitoring: Readonly<ParsedMonitoring>;
  readonly alerts: AlertsConfig;
  /** Of alerts and notes. */
  readonly language: Language;
  /** `maxSize` in bytes. */
  readonly results: Readonly<Omit<ParsedResults, 'tls' | 'columns'>> & {
    readonly tls: PairFiles | null;
    /** Posted values to show by name. */
    readonly columns: readonly { readonly name: string; readonly pointer: string }[];
  };
  readonly control: {
    /** Operating-system group whose members may use the control socket; null: only its owner and root. */
    readonly group: string | null;
  };
  /** `maxSize` in bytes. */
  readonly log: Readonly<ParsedConfig['log']>;
}

/** Absolute paths of PEM files. */
interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

export type LedgerConfig = { readonly kind: 'sqlite' } | PostgresConfig;

export interface PostgresConfig {
  readonly kind: 'postgres';
  /** Contains no password, and always has an `sslmode`: disable, no-verify or verify-full. */
  readonly url: string;
  /** Absolute, as is `ca`. */
  readonly passwordFile: string | null;
  /** A PEM file; null: the machine's trusted certificates. */
  readonly ca: string | null;
  /** Null: the host name. */
  readonly agent: string | null;
  readonly leaseMs: number;
}

/** `digest`: minutes since midnight, local time; `command`: a program and its arguments; each null: none. */
export interface AlertsConfig extends Readonly<
  Pick<ParsedAlerts, 'quietHours' | 'digest' | 'desktop' | 'eventLog' | 'command'>
> {
  readonly afterMs: number;
  /** `secretFile`: absolute; null: unsigned. */
  readonly webhook: { readonly url: string; readonly secretFile: string | null } | null;
  readonly email: {
    /** smtp: or smtps: */
    readonly server: string;
    readonly user: string | null;
    /** Absolute. */
    readonly passwordFile: string | null;
    /** Null: `receiptd@` and the name of this machine. */
    readonly from: string | null;
    readonly to: readonly string[];
  } | null;
}

export interface CredentialsConfig {
  readonly store: ParsedConfig['credentials']['store'];
  /** Absolute. */
  readonly file: string;
}

export interface EndpointConfig extends EndpointSettings {
  /** Name of an account; null: the default account. */
  readonly account: string | null;
}

export interface FolderConfig extends Required<FolderSettings> {
  readonly pages: ParsedFolder['pages'];
  /**
   * Patterns (`core/domain/globs.ts`). One with a `/` matches the path relative to the folder, one without matches a name at any depth.
   * `*` also matches hidden names. Case is ignored.
   */
  readonly include: readonly string[];
  /** Patterns like `include`; contains the built-in ones unless they are switched off. */
  readonly ignore: readonly string[];
  /** Absolute. Never watched, whatever `afterUpload` is. */
  readonly archiveTo: string;
  /** Absolute, never watched; null: none. */
  readonly needsAttention: string | null;
  /** A duration in milliseconds, counted only during the folder's working hours. */
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

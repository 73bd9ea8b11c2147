import type { EndpointKey } from '../core/domain/document.ts';
import type { NameTemplate } from '../core/domain/nameTemplate.ts';
import type { Hours } from '../core/domain/hours.ts';
import type { Rate } from '../core/domain/rate.ts';
import type { ParsedConfig } from './schema.ts';
import type { ParsedFolder } from './schemaFolder.ts';
import type { Listen } from './addresses.ts';

/** The configuration as the program uses it: defaults filled in, paths absolute, `...Ms` milliseconds, sizes bytes. */
export interface Config {
  /** Absolute path of the config file. */
  readonly file: string;
  readonly service: {
    /** Without a trailing slash. */
    readonly baseUrl: string;
    readonly allowInsecureHttp: boolean;
    /** `auto`: the detected media type of the image. */
    readonly uploadContentType: string;
    /** `auto`, `direct` or a URL; the URL may contain a password. */
    readonly proxy: string;
    /** Absolute path of a PEM file. */
    readonly ca: string | null;
    /** How many bytes of an upload's answer are kept. */
    readonly answerLimit: number;
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
  readonly accounts: readonly AccountConfig[];
  /** In the order of the file. */
  readonly endpoints: readonly EndpointConfig[];
  readonly folders: readonly FolderConfig[];
  readonly delivery: {
    readonly limits: LimitsConfig;
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
  readonly console: {
    readonly listen: Listen;
    /** Absolute paths of PEM files. */
    readonly tls: { readonly cert: string; readonly key: string } | null;
    /** In lower case, with or without a port. */
    readonly hosts: readonly string[];
    /** Limit in bytes; 0: no thumbnails are shown or kept. */
    readonly thumbnails: number;
    /** Absolute directories in which the console may choose folders and archives, in addition to watched folders. */
    readonly roots: readonly string[];
  };
  readonly monitoring: { readonly listen: Address | null };
  readonly alerts: AlertsConfig;
  readonly results: ResultsConfig;
  readonly control: {
    /** Operating-system group whose members may use the control socket; null: only its owner and root. */
    readonly group: string | null;
  };
  /** `maxSize` in bytes. */
  readonly log: Readonly<ParsedConfig['log']>;
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

/** `host` without brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface AlertsConfig {
  readonly afterMs: number;
  /** Null: none. */
  readonly quietHours: Hours | null;
  /** Minutes since midnight, local time; null: no digest. */
  readonly digest: number | null;
  readonly desktop: boolean;
  readonly eventLog: boolean;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
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

export interface ResultsConfig {
  readonly listen: Address | null;
  /** Absolute paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Bytes. */
  readonly maxSize: number;
  readonly rate: Rate | null;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Posted values to show by name. */
  readonly columns: readonly { readonly name: string; readonly pointer: string }[];
}

export interface CredentialsConfig {
  readonly store: ParsedConfig['credentials']['store'];
  /** Absolute. */
  readonly file: string;
}

export interface AccountConfig {
  /** The local name. */
  readonly name: string;
  readonly credentials: CredentialsConfig;
}

export interface EndpointConfig {
  /** The local name. */
  readonly alias: string;
  readonly key: EndpointKey;
  /** Name of an account; null: the default account. */
  readonly account: string | null;
  readonly limits: LimitsConfig;
}

/** `null`: unlimited. */
export interface LimitsConfig {
  readonly concurrency: number;
  readonly rate: Rate | null;
  /** Whether rate-limited uploads are spread evenly over time. */
  readonly spread?: boolean;
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

export interface FolderConfig {
  readonly path: string;
  readonly endpoint: EndpointKey;
  readonly alias: string;
  /** Name of the folder for all agents that share the ledger; null: only this agent watches it. */
  readonly share: string | null;
  readonly recursive: boolean;
  readonly watch: ParsedFolder['watch'];
  /**
   * picomatch patterns. One with a `/` matches the path relative to the folder, one without matches a name at any depth.
   * `*` also matches hidden names. Case is ignored.
   */
  readonly include: readonly string[];
  /** Patterns like `include`; contains the built-in ones unless they are switched off. */
  readonly ignore: readonly string[];
  readonly settle: { readonly shortMs: number; readonly longMs: number; readonly patienceMs: number };
  readonly template: NameTemplate;
  readonly nameMaxBytes: number;
  readonly accept: ParsedFolder['accept'];
  readonly pages: ParsedFolder['pages'];
  /** Dots per inch. */
  readonly pageResolution: number;
  readonly look: ParsedFolder['look'];
  readonly upright: boolean;
  /** Bytes. */
  readonly maxFileSize: number;
  readonly existing: ParsedFolder['existing'];
  readonly afterUpload: ParsedFolder['afterUpload'];
  /** Absolute. Never watched, whatever `afterUpload` is. */
  readonly archiveTo: string;
  /** Service statuses, one of which a document must reach before `afterUpload` is carried out; null: acceptance is enough. */
  readonly afterUploadOn: readonly string[] | null;
  /** What happens to originals that were already there when `afterUpload` was set. */
  readonly afterUploadExisting: ParsedFolder['afterUploadExisting'];
  /** Absolute, never watched; null: none. */
  readonly needsAttention: string | null;
  /** A duration in milliseconds, counted only during the folder's working hours. */
  readonly silentAfter: ParsedConfig['alerts']['silentAfter'];
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

import type { EndpointKey } from '../core/domain/document.ts';
import type { NameTemplate } from '../core/domain/nameTemplate.ts';
import type { Hours } from '../core/domain/hours.ts';
import type { Rate } from '../core/domain/rate.ts';
import type { ParsedConfig } from './schema.ts';
import type { ParsedFolder } from './schemaFolder.ts';
import type { Listen } from './addresses.ts';

/** The configuration as the program uses it: defaults filled in, paths absolute, `...Ms` milliseconds, sizes bytes. */
export interface Config {
  /** Absolute path of the file that it came from. */
  readonly file: string;
  readonly service: {
    /** Without a trailing slash. */
    readonly baseUrl: string;
    readonly allowInsecureHttp: boolean;
    /** `auto`: the media type of the image that was detected. */
    readonly uploadContentType: string;
    /** `auto`, `direct` or a URL; a URL may hold a password. */
    readonly proxy: string;
    /** Absolute path of a PEM file. */
    readonly ca: string | null;
    /** Bytes of an answer to an upload that are kept. */
    readonly answerLimit: number;
    readonly timeouts: {
      readonly connectMs: number;
      readonly progressMs: number;
      readonly headersMs: number;
      readonly bodyMs: number;
    };
  };
  /** The default account's. */
  readonly credentials: CredentialsConfig;
  /** The others, in the order of the file. */
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
  /** Bytes and milliseconds. */
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
    /** Lower case; with a port or without. */
    readonly hosts: readonly string[];
    /** Bytes; 0: none are shown or kept. */
    readonly thumbnails: number;
    /** Absolute: where the console may set folders and archives, beside watched folders. */
    readonly roots: readonly string[];
  };
  readonly monitoring: { readonly listen: Address | null };
  readonly alerts: AlertsConfig;
  readonly results: ResultsConfig;
  readonly control: {
    /** Group of the operating system whose members may use the control socket; null: its owner and root alone. */
    readonly group: string | null;
  };
  /** `maxSize` in bytes. */
  readonly log: Readonly<ParsedConfig['log']>;
}

export type LedgerConfig = { readonly kind: 'sqlite' } | PostgresConfig;

export interface PostgresConfig {
  readonly kind: 'postgres';
  /** Without a password; `sslmode` is always in it: disable, no-verify or verify-full. */
  readonly url: string;
  /** Absolute, as is `ca`. */
  readonly passwordFile: string | null;
  /** A PEM file; null: what the machine trusts. */
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
    /** Null: receiptd at this machine. */
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
  /** Values that have a name. */
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
  /** The name of an account; null: the default one. */
  readonly account: string | null;
  readonly limits: LimitsConfig;
}

/** `null`: unlimited. */
export interface LimitsConfig {
  readonly concurrency: number;
  readonly rate: Rate | null;
  /** Whether the uploads of a rate leave at even intervals. */
  readonly spread?: boolean;
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

export interface FolderConfig {
  readonly path: string;
  readonly endpoint: EndpointKey;
  readonly alias: string;
  /** Its name among the agents that share the ledger; null: it is this agent's alone. */
  readonly share: string | null;
  readonly recursive: boolean;
  readonly watch: ParsedFolder['watch'];
  /**
   * picomatch patterns: with a `/` on the path relative to the folder, without one on a name at any depth.
   * Hidden names are matched by `*`, and case makes no difference.
   */
  readonly include: readonly string[];
  /** The same; built-in patterns are among them unless switched off. */
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
  /** Absolute. Not watched, whatever `afterUpload` says. */
  readonly archiveTo: string;
  /** Statuses of the service of which one has to be reached before `afterUpload` happens; null: acceptance is enough. */
  readonly afterUploadOn: readonly string[] | null;
  /** Of originals that were there before `afterUpload` was set. */
  readonly afterUploadExisting: ParsedFolder['afterUploadExisting'];
  /** Absolute, never watched; null: none. */
  readonly needsAttention: string | null;
  /** Milliseconds of the folder's working hours. */
  readonly silentAfter: ParsedConfig['alerts']['silentAfter'];
}

/** Where the program runs, as arguments. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Absolute. */
  readonly cwd: string;
}

export interface LoadContext extends Surroundings {
  /** Decides where the state directory is by default. */
  readonly isRoot: boolean;
}

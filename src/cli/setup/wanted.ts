import type { Config, LoadContext } from '../../config/config.ts';
import type { ConfigPlace } from '../../config/locate.ts';

/** The config file as found; provides the answers that are not given. */
export interface ExistingConfig {
  readonly place: ConfigPlace;
  readonly context: LoadContext;
  /** Null if the file does not exist yet. */
  readonly before: Before | null;
}

export interface Before {
  readonly text: string;
  readonly revision: string;
  readonly config: Config;
  /** Still has the example endpoint that `receiptd init` wrote. */
  readonly isExample: boolean;
}

/** Values that setup writes to the config file. */
export interface SetupValues {
  readonly baseUrl: string;
  readonly alias: string;
  readonly uid: string;
  /** Absolute. */
  readonly folder: string;
  /** For a folder that is not in the file yet: what to do with files already in it. */
  readonly existing: string;
  readonly rate: string;
  /** The service is the built-in practice service. */
  readonly isPractice?: boolean;
  /** For folders in the file, by absolute path: what to do with files already in them. */
  readonly existingOf?: ReadonlyMap<string, string>;
  /** Reroutes a folder that is in the file to this endpoint. */
  readonly routes?: boolean;
  /** Setting of the folder: a path, or `none`. Undefined: unchanged. */
  readonly needsAttention?: string | undefined;
  /** Undefined: unchanged. */
  readonly alertMail?: AlertMail | 'none' | undefined;
  /** Value of `console.listen`; undefined: unchanged. */
  readonly consoleListen?: string | undefined;
  /** Undefined: unchanged. */
  readonly store?: 'auto' | 'keychain' | 'file';
}

/** Settings for alert mails. The password is in a file, never here. */
export interface AlertMail {
  readonly to: readonly string[];
  readonly server: string;
  readonly user: string | null;
  /** Absolute. */
  readonly passwordFile: string | null;
}

import type { Config, LoadContext } from '../../config/config.ts';
import type { ConfigPlace } from '../../config/locate.ts';

/** The config file as it was found; what it says is where answers come from that are not given. */
export interface Found {
  readonly place: ConfigPlace;
  readonly context: LoadContext;
  /** Null where there is none yet. */
  readonly before: Before | null;
}

export interface Before {
  readonly text: string;
  readonly revision: string;
  readonly config: Config;
  /** Its endpoint is the one that stands in an example: it is as `receiptd init` wrote it. */
  readonly isExample: boolean;
}

/** What set-up writes into the config file. */
export interface Wanted {
  readonly baseUrl: string;
  readonly alias: string;
  readonly uid: string;
  /** Absolute. */
  readonly folder: string;
  /** Of a folder that is not in the file yet. */
  readonly existing: string;
  readonly rate: string;
  /** The service is the built-in one. */
  readonly isPractice?: boolean;
  /** Of folders that are in the file, by their absolute paths: what happens to files that lie in them. */
  readonly existingOf?: ReadonlyMap<string, string>;
  /** A folder that is in the file feeds this endpoint from now on. */
  readonly routes?: boolean;
  /** Of the folder: a path, or none. Undefined: as it is. */
  readonly needsAttention?: string | undefined;
  /** Undefined: as it is. */
  readonly alertMail?: AlertMail | 'none' | undefined;
  /** Undefined: as it is. */
  readonly store?: 'auto' | 'keychain' | 'file';
}

/** How alerts go out by mail. A password is in a file, never here. */
export interface AlertMail {
  readonly to: readonly string[];
  readonly server: string;
  readonly user: string | null;
  /** Absolute. */
  readonly passwordFile: string | null;
}

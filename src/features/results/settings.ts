import type { Rate } from '../../core/domain/rate.ts';

/** The section `results` of the configuration, and what it needs of others. */
export interface ResultsSettings {
  /** Null: nobody listens. */
  readonly listen: { readonly host: string; readonly port: number } | null;
  /** Absolute paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Bytes. */
  readonly maxSize: number;
  readonly rate: Rate | null;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Of the service that the results come from. */
  readonly baseUrl: string;
}

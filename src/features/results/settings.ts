import type { Rate } from '../../core/domain/rate.ts';

/** The section `results` of the configuration, plus settings it needs from other sections. */
export interface ResultsSettings {
  /** Null: results are not received. */
  readonly listen: { readonly host: string; readonly port: number } | null;
  /** Absolute paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Bytes. */
  readonly maxSize: number;
  readonly rate: Rate | null;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  /** Base URL of the service that posts the results. */
  readonly baseUrl: string;
}

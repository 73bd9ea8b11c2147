import { z } from 'zod';

/** The first file of an archive; it says what the others have to be. */
export const MANIFEST = 'manifest.json';
export const SETTINGS = 'receiptd.yaml';
export const FORMAT_VERSION = 1;
export const SETTINGS_LIMIT = 1024 * 1024;
/** A name for each image that waits: half a million of them. */
export const MANIFEST_LIMIT = 64 * 1024 * 1024;

/** Nothing else is ever written, so that no name leads anywhere. */
const NAME =
  /^(?:ledger\.db|ledger\.journal|receiptd\.yaml|results-handed|spool\/[0-9a-f]{64}|attention\/[0-9a-f]{8}\.json)$/;
const SHA256 = /^[0-9a-f]{64}$/;

export const manifestSchema = z.strictObject({
  format: z.literal('receiptd-state'),
  version: z.int().positive(),
  /** Of this archive. */
  id: z.uuid(),
  /** Whether the PC that it comes from was marked as moved away. */
  final: z.boolean(),
  at: z.iso.datetime(),
  receiptd: z.string().max(100),
  /** Version of the ledger. */
  schema: z.int().positive(),
  host: z.string().max(300),
  stateDir: z.string().max(5000),
  head: z.object({ ledger: z.string(), seq: z.int().positive(), hash: z.string().regex(SHA256) }),
  documents: z.int().min(0),
  waiting: z.int().min(0),
  /** What has to be given anew, in sentences. */
  anew: z.array(z.string().max(2000)).max(100),
  parts: z.array(
    z.strictObject({ name: z.string().regex(NAME), size: z.int().min(0), sha256: z.string().regex(SHA256) }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type PartEntry = Manifest['parts'][number];

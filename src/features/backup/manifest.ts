import { z } from 'zod';

/** The first file of an archive; it describes the others. */
export const MANIFEST = 'manifest.json';
/** The second file. */
export const SETTINGS = 'receiptd.yaml';
export const FORMAT_VERSION = 1;
export const SETTINGS_LIMIT = 1024 * 1024;
export const MANIFEST_LIMIT = 1024 * 1024;

/** The only names that may be unpacked, so that no name can point outside. */
const NAME = /^(?:ledger\.db|ledger\.journal|receiptd\.yaml|results-handed|attention\/[0-9a-f]{8}\.json)$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** A waiting image. Its hash is in its name, so the manifest need not list what may be half a million images. */
export const IMAGE = /^spool\/([0-9a-f]{64})$/;

export const manifestSchema = z.strictObject({
  format: z.literal('receiptd-backup'),
  version: z.int().positive(),
  /** Id of this archive. */
  id: z.uuid(),
  /** Whether the PC that was backed up is closed. */
  final: z.boolean(),
  at: z.iso.datetime(),
  receiptd: z.string().max(100),
  /** Schema version of the ledger. */
  schema: z.int().positive(),
  host: z.string().max(300),
  stateDir: z.string().max(5000),
  head: z.object({ ledger: z.string(), seq: z.int().positive(), hash: z.string().regex(SHA256) }),
  documents: z.int().min(0),
  waiting: z.int().min(0),
  /** What must be set up again after a restore: as messages of the ledger are stored. */
  setUpAgain: z.array(z.string().max(2000)).max(100),
  /** Upper bounds for the images after the parts; some may have been unavailable. */
  images: z.strictObject({ count: z.int().min(0), bytes: z.int().min(0) }),
  parts: z
    .array(
      z.strictObject({
        name: z.string().regex(NAME),
        size: z.int().min(0),
        sha256: z.string().regex(SHA256),
      }),
    )
    .max(1000),
});

export type Manifest = z.infer<typeof manifestSchema>;

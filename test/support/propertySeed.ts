import { configureGlobal } from 'fast-check';
import { isEveryCase } from './everyCase.ts';

/** A fixed default seed, so that a failing build is reproducible and due to the change itself. */
configureGlobal({
  seed: Number(process.env['RECEIPTD_PROPERTY_SEED'] ?? 1),
  numRuns: isEveryCase ? 500 : 40,
});

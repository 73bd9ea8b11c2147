import { configureGlobal } from 'fast-check';

/** A fixed default seed, so that a failing build is reproducible and due to the change itself. */
configureGlobal({ seed: Number(process.env['RECEIPTD_PROPERTY_SEED'] ?? 1) });

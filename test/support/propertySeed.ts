import { configureGlobal } from 'fast-check';

/** One seed unless another is asked for: a build fails for what was changed, and the same way each time. */
configureGlobal({ seed: Number(process.env['RECEIPTD_PROPERTY_SEED'] ?? 1) });

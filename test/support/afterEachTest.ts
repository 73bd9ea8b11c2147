import { afterEach } from 'vitest';
import { runCleanups } from './cleanUp.ts';

// Here, not in the helpers: a helper is evaluated once in a process that runs many files, and its hooks would belong to the first alone.
afterEach(runCleanups);

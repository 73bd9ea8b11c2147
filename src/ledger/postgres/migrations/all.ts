import { MIGRATION_0001 } from './0001.ts';

/** In order; the place of a migration is the version that it leads to. Never edited once released. */
export const ALL_MIGRATIONS: readonly string[] = [MIGRATION_0001];

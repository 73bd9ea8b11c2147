import { MIGRATION_0001 } from './0001.ts';

/** In order: migration N leads to version N. Never edited once released. */
export const ALL_MIGRATIONS: readonly string[] = [MIGRATION_0001];

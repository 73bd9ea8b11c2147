import { says, type Said } from '../core/domain/setupWords.ts';
import type { Config } from './config.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The service's API documents uids as UUIDs. Any other form is sent unchanged, but is probably a typo. */
export function isOddUid(uid: string): boolean {
  return !UUID.test(uid);
}

/** One sentence for each endpoint whose uid looks wrong. */
export function oddUids({ endpoints }: Pick<Config, 'endpoints'>): string[] {
  return endpoints
    .filter(({ key }) => isOddUid(key.uid))
    .map(({ alias, key }) => oddUidText(alias, key.uid).text);
}

export function oddUidText(alias: string, uid: string): Said {
  return says(isOddUid(uid.toLowerCase()) ? 'uid.odd' : 'uid.capitals', { alias, uid });
}

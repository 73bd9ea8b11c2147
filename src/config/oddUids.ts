import type { Fact } from '../texts/phrase.ts';
import type { findingTexts } from '../texts/en/findings.ts';
import type { Config } from './config.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The service's API documents uids as UUIDs. Any other form is sent unchanged, but is probably a typo. */
export function isOddUid(uid: string): boolean {
  return !UUID.test(uid);
}

/** The endpoints whose uids look wrong. */
export function oddUids({ endpoints }: Pick<Config, 'endpoints'>) {
  return endpoints.filter(({ key }) => isOddUid(key.uid)).map(({ alias, key }) => oddUid(alias, key.uid));
}

export function oddUid(alias: string, uid: string) {
  const is = isOddUid(uid.toLowerCase()) ? ('uidOdd' as const) : ('uidCapitals' as const);
  return { is, alias, uid } satisfies Fact<ReturnType<typeof findingTexts>>;
}

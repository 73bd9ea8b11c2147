import { createHash, timingSafeEqual } from 'node:crypto';

/** The parsed path of a request. Null for any path that is not ours, without a reason given to the sender. */
export interface Addressed {
  /** The endpoint's uid; null if the path has none. */
  readonly uid: string | null;
}

const LONGEST_UID = 200;

/** Parses `/results/SECRET` or `/results/SECRET/UID`. Constant-time, so that it does not reveal how much of the secret was right. */
export function readAddress(url: string, secret: string): Addressed | null {
  const [path = ''] = url.split(/[?#]/, 1);
  const [empty, results, given = '', uid, ...more] = path.split('/');
  const isRight = timingSafeEqual(digest(given), digest(secret));
  if (!isRight || empty !== '' || results !== 'results' || more.length > 0) return null;
  if (uid === undefined) return { uid: null };
  const decoded = decode(uid);
  return decoded === null || decoded === '' || decoded.length > LONGEST_UID ? null : { uid: decoded };
}

/** Makes inputs equally long for the comparison. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

import { createHash, timingSafeEqual } from 'node:crypto';

/** What the path of a request says. Null: it is not one of ours, and nobody is told why. */
export interface Addressed {
  /** The endpoint; null where the path does not say it. */
  readonly uid: string | null;
}

const LONGEST_UID = 200;

/** `/results/SECRET` or `/results/SECRET/UID`. How long it takes says nothing about how much of the secret was right. */
export function readAddress(url: string, secret: string): Addressed | null {
  const [path = ''] = url.split(/[?#]/, 1);
  const [empty, results, given = '', uid, ...more] = path.split('/');
  const isRight = timingSafeEqual(digest(given), digest(secret));
  if (!isRight || empty !== '' || results !== 'results' || more.length > 0) return null;
  if (uid === undefined) return { uid: null };
  const decoded = decode(uid);
  return decoded === null || decoded === '' || decoded.length > LONGEST_UID ? null : { uid: decoded };
}

/** Of one length, whatever was given. */
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

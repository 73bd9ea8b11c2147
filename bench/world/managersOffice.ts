import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Transition } from '../../test/support/uploads.ts';
import { drawReceipt } from '../../test/support/images.ts';
import { ENDPOINT } from './agent.ts';
import { begin, finish } from '../../test/support/uploads.ts';

const DAY = 24 * 3_600_000;
const MONTHS = 7;
const A_MONTH = 60;
const REFUSED = 30;
const UNWANTED = 20;
const TODAY = 20;
const TOO_LARGE = 12;
/** Size limit of the folder, which the configuration must set. */
export const LIMIT = '80kB';
const MERCHANTS = ['Taxi', 'Bakery', 'Stationery', 'Restaurant', 'Parking', 'Fuel'];

export interface ManagersOffice {
  /** Month of the only hotel receipt: YYYY-MM. */
  readonly hotelMonth: string;
  readonly lastMonth: string;
  /** YYYY-MM-DD: the day whose refusals are sent again; earlier ones are dismissed. */
  readonly monday: string;
  readonly today: string;
  readonly counts: {
    readonly month: number;
    readonly refused: number;
    readonly unwanted: number;
    readonly today: number;
    readonly tooLarge: number;
  };
}

/** Records seven months of an office in a ledger, closes it, and writes the images to two folders. */
export async function managersOffice(
  ledger: Ledger & { close(): Promise<unknown> },
  baseUrl: string,
  folders: readonly string[],
): Promise<ManagersOffice> {
  const endpoint = { baseUrl, uid: ENDPOINT };
  const now = new Date();
  const monthStart = (back: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = midnight - ((now.getUTCDay() + 6) % 7 || 7) * DAY;
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await ledger.markWatched(folder, [], { reason: '', message: '', sha256: null, policy: null, at: 0 });
  }
  let number = 0;
  const record = async (at: number, merchant: string, transition: Transition): Promise<void> => {
    number += 1;
    const folder = folders[number % folders.length] ?? '';
    const path = `scan_${String(number).padStart(4, '0')}.jpg`;
    const bytes = await drawReceipt({ type: 'jpeg', seed: path, width: 300, height: 450 });
    await writeFile(join(folder, path), bytes);
    const { size, mtimeNs, ctimeNs, ino } = lstatSync(join(folder, path), { bigint: true });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const name = `scan_${String(number).padStart(4, '0')}-${sha256.slice(0, 12)}`;
    const file = { folder, path, identity: { size: Number(size), mtimeNs, ctimeNs, inode: ino } };
    const { document } = await ledger.admit({
      endpoint,
      file,
      sha256,
      type: 'jpeg',
      lane: 'fresh',
      at,
      naming: [name],
    });
    const attempt = await begin(ledger, document.id, at + 1_000, Number(size));
    const isAccepted = transition.state === 'accepted';
    const outcome = isAccepted ? 'accepted' : 'refused';
    const httpStatus = isAccepted ? 200 : 422;
    const message = isAccepted ? null : 'The service refused the document.';
    await finish(ledger, attempt, { at: at + 2_000, outcome, httpStatus, message, transition });
    if (!isAccepted) return;
    const date = new Date(at).toISOString().slice(0, 10);
    const receipt = { merchant, date };
    const posted = { name, endpointUid: endpoint.uid, status: 'DONE', total: 5 + (number % 90), receipt };
    const payload = Buffer.from(JSON.stringify(posted));
    await ledger.recordResult({
      at: at + DAY / 24,
      baseUrl,
      uid: endpoint.uid,
      name,
      status: 'DONE',
      payload,
    });
  };
  const accepted: Transition = {
    state: 'accepted',
    serviceStatus: 'PROCESSING',
    response: '{"status":"PROCESSING"}',
  };
  const refused: Transition = {
    state: 'failed',
    reason: 'HTTP_422',
    message: 'The service refused the document.',
  };
  for (let back = MONTHS; back > 0; back -= 1) {
    const span = monthStart(back - 1) - monthStart(back);
    for (let n = 0; n < A_MONTH; n += 1) {
      const isHotel = back === MONTHS - 1 && n === A_MONTH / 2;
      const merchant = isHotel ? 'Hotel Adler' : (MERCHANTS[n % MERCHANTS.length] ?? '');
      await record(monthStart(back) + (span * (n + 0.5)) / A_MONTH, merchant, accepted);
    }
  }
  for (let n = 0; n < UNWANTED; n += 1) await record(monday - 10 * DAY + n * 60_000, '', refused);
  for (let n = 0; n < REFUSED; n += 1) await record(monday + DAY / 2 + n * 60_000, '', refused);
  await ledger.close();
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return {
    hotelMonth: day(monthStart(MONTHS - 1)).slice(0, 7),
    lastMonth: day(monthStart(1)).slice(0, 7),
    monday: day(monday),
    today: day(midnight),
    counts: { month: A_MONTH, refused: REFUSED, unwanted: UNWANTED, today: TODAY, tooLarge: TOO_LARGE },
  };
}

/** Writes today's scans while the agent watches. */
export async function scanToday(folder: string): Promise<void> {
  for (let n = 1; n <= TODAY; n += 1)
    await writeFile(join(folder, `today_${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `today ${n}` }));
  for (let n = 1; n <= TOO_LARGE; n += 1) {
    const image = await drawReceipt({ type: 'jpeg', seed: `large ${n}`, width: 900, height: 1350 });
    await writeFile(join(folder, `large_${n}.jpg`), image);
  }
}

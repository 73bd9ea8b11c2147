import { createServer, connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';

/**
 * A link to a service with high latency and low bandwidth, run as a separate process:
 *
 *   node slowLink.js --to PORT --bytes-per-second N --round-trip MS
 *
 * Prints its port. All connections share the bandwidth towards the service, first come, first served; answers are only delayed. As with TCP
 * over such a link, a connection takes a round trip to open, and has at most its window of unacknowledged bytes in flight. The window
 * begins at ten segments and grows with the acknowledged bytes.
 */
const SLICE_BYTES = 1_460;
const FIRST_WINDOW = 10 * SLICE_BYTES;
const TICK_MS = 2;
/** Bytes that the link buffers for a sender. */
const AHEAD_BYTES = 64 * 1024;

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    'bytes-per-second': { type: 'string' },
    'round-trip': { type: 'string' },
  },
});
const target = Number(values.to);
const bytesPerMs = Number(values['bytes-per-second']) / 1_000;
const roundTripMs = Number(values['round-trip']);

interface Parcel {
  readonly at: number;
  readonly bytes: Buffer | null;
}

/** One connection on its way to the service. */
interface Lane {
  readonly opensAt: number;
  readonly from: Socket;
  readonly to: Socket;
  waiting: { readonly came: number; readonly bytes: Buffer }[];
  waitingBytes: number;
  isEnded: boolean;
  window: number;
  unacknowledged: number;
  readonly acknowledgements: { readonly at: number; readonly bytes: number }[];
  readonly there: Parcel[];
  readonly back: Parcel[];
}

const lanes = new Set<Lane>();
/** The link is busy until then. */
let takenUntil = 0;

/** Among lanes with an open connection and space in the window, the one whose data arrived first. */
function firstCome(now: number): Lane | null {
  let first: Lane | null = null;
  for (const lane of lanes) {
    if (lane.waitingBytes === 0 || lane.opensAt > now || lane.window <= lane.unacknowledged) continue;
    if (first === null || cameAt(lane) < cameAt(first)) first = lane;
  }
  return first;
}

function cameAt({ waiting: [first] }: Lane): number {
  return first?.came ?? Infinity;
}

function take(lane: Lane, most: number): Buffer {
  const first = lane.waiting.shift();
  if (first === undefined) return Buffer.alloc(0);
  const slice = first.bytes.subarray(0, most);
  if (slice.length < first.bytes.length)
    lane.waiting.unshift({ came: first.came, bytes: first.bytes.subarray(most) });
  lane.waitingBytes -= slice.length;
  if (lane.waitingBytes < AHEAD_BYTES) lane.from.resume();
  return slice;
}

function acknowledge(lane: Lane, now: number): void {
  for (
    let [first] = lane.acknowledgements;
    first !== undefined && first.at <= now;
    [first] = lane.acknowledgements
  ) {
    lane.acknowledgements.shift();
    lane.unacknowledged -= first.bytes;
    lane.window += first.bytes;
  }
}

function deliver(parcels: Parcel[], socket: Socket, now: number): void {
  for (let [first] = parcels; first !== undefined && first.at <= now; [first] = parcels) {
    parcels.shift();
    if (first.bytes === null) socket.end();
    else if (!socket.destroyed) socket.write(first.bytes);
  }
}

/** Forwards everything that the link has carried since the last call; a late call loses no capacity. */
function carry(now: number): void {
  while (takenUntil <= now) {
    const lane = firstCome(now);
    if (lane === null) break;
    const slice = take(lane, Math.min(SLICE_BYTES, lane.window - lane.unacknowledged));
    takenUntil += slice.length / bytesPerMs;
    lane.unacknowledged += slice.length;
    lane.there.push({ at: takenUntil + roundTripMs / 2, bytes: slice });
    lane.acknowledgements.push({ at: takenUntil + roundTripMs, bytes: slice.length });
  }
  // Unused capacity of the past is lost.
  takenUntil = Math.max(takenUntil, now - TICK_MS);
}

setInterval(() => {
  const now = performance.now();
  for (const lane of lanes) acknowledge(lane, now);
  carry(now);
  for (const lane of lanes) {
    if (lane.isEnded && lane.waitingBytes === 0) {
      lane.isEnded = false;
      lane.there.push({ at: Math.max(takenUntil, now) + roundTripMs / 2, bytes: null });
    }
    deliver(lane.there, lane.to, now);
    deliver(lane.back, lane.from, now);
    if (lane.from.destroyed && lane.to.destroyed) lanes.delete(lane);
  }
}, TICK_MS);

const server = createServer({ noDelay: true, allowHalfOpen: true }, (from) => {
  const to = connect({ port: target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const lane: Lane = {
    opensAt: performance.now() + roundTripMs,
    from,
    to,
    waiting: [],
    waitingBytes: 0,
    isEnded: false,
    window: FIRST_WINDOW,
    unacknowledged: 0,
    acknowledgements: [],
    there: [],
    back: [],
  };
  lanes.add(lane);
  from.on('data', (bytes: Buffer) => {
    lane.waiting.push({ came: performance.now(), bytes });
    lane.waitingBytes += bytes.length;
    if (lane.waitingBytes >= AHEAD_BYTES) from.pause();
  });
  from.on('end', () => (lane.isEnded = true));
  const back = (bytes: Buffer | null): number =>
    lane.back.push({ at: performance.now() + roundTripMs / 2, bytes });
  to.on('data', back);
  to.on('end', () => back(null));
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`);
});

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import type { ReceiptdError } from '../core/domain/errors.ts';
import type { AlertChannel } from '../core/ports/alert.ts';
import type { ServiceSurroundings } from '../wiring/service.ts';
import { local } from '../core/domain/words.ts';
import { textsIn } from '../texts/texts.ts';
import type { Io } from './io.ts';
import { openLog } from './session.ts';

/** Sends a test alert without an agent. `problem`: null if it was delivered. */
export async function sendTestAlert(
  io: Io,
  config: Config,
  channelsOf: (surroundings: ServiceSurroundings) => readonly AlertChannel[],
): Promise<{ channel: AlertChannel['name']; problem: ReceiptdError | null }[]> {
  const [{ sendWithin }, { testRecord, worded }, { systemClock }] = await Promise.all([
    import('../features/alerts/delivery.ts'),
    import('../features/alerts/message.ts'),
    import('../system/systemClock.ts'),
  ]);
  const { log, secrets } = await openLog(io, config, { toFile: false, level: 'warn' });
  try {
    const record = testRecord(randomUUID(), { host: hostname(), now: systemClock.now() });
    const alert = worded(record, await textsIn(config.language, local));
    const sent = channelsOf({ env: io.env, log, secrets }).map(async (channel) => ({
      channel: channel.name,
      problem: await sendWithin(channel, alert, systemClock, io.stop),
    }));
    return await Promise.all(sent);
  } finally {
    await log.close();
  }
}

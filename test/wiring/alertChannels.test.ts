import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALERT_CHANNELS, type AlertChannelName } from '../../src/core/ports/alert.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { alertChannels } from '../../src/wiring/alertChannels.ts';
import { checkAlerts } from '../../src/wiring/checkAlerts.ts';
import { parse, yaml } from '../config/support.ts';
import { RecordedLog } from '../support/recordedLog.ts';

const ALERTS = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');

/** A setting that switches the channel on, its heading in docs/alerts.md, and what `check` finds here. */
const CHANNELS: Readonly<Record<AlertChannelName, readonly [setting: unknown, heading: string, is: string]>> =
  {
    desktop: [true, 'Desktop', 'noticeMissing'],
    eventLog: [true, 'Event log', 'noEventLog'],
    command: [['/no/such/program'], 'Program', 'commandUnfit'],
    webhook: [{ url: 'https://example.com' }, 'Webhook', 'channels'],
    email: [{ server: 'smtp://mail.example.com', to: ['office@example.com'] }, 'E-mail', 'channels'],
  };

const configOf = (alerts: object) => parse(yaml({ more: `alerts: ${JSON.stringify(alerts)}` }));

it.each(ALERT_CHANNELS)(
  'the alert channel %s is created if configured, checked by `check`, and documented',
  async (name) => {
    const [setting, heading, is] = CHANNELS[name];
    const surroundings = { env: {}, log: new RecordedLog(), secrets: createRedactor() };
    const made = alertChannels(configOf({ [name]: setting }), surroundings);
    expect(made.map((channel) => channel.name)).toEqual([name]);
    expect(await checkAlerts(configOf({ [name]: setting }), {})).toMatchObject([{ fact: { is } }]);
    expect(ALERTS).toContain(`\n## ${heading}\n`);
  },
);

it('`check` names all channels if none is configured', async () => {
  expect(await checkAlerts(configOf({ digest: '07:30' }), {})).toMatchObject([
    { level: 'warn', fact: { is: 'noChannel', known: ALERT_CHANNELS.toReversed() } },
  ]);
});

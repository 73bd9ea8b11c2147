import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALERT_CHANNELS, type AlertChannelName } from '../../src/core/ports/alert.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { alertChannels } from '../../src/wiring/alertChannels.ts';
import { checkAlerts } from '../../src/wiring/checkAlerts.ts';
import { parse, yaml } from '../config/support.ts';
import { RecordedLog } from '../support/recordedLog.ts';

const ALERTS = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');

/** A setting that switches the channel on, and its heading in docs/alerts.md. */
const CHANNELS: Readonly<Record<AlertChannelName, readonly [setting: unknown, heading: string]>> = {
  desktop: [true, 'Desktop'],
  eventLog: [true, 'Event log'],
  command: [['/no/such/program'], 'Program'],
  webhook: [{ url: 'https://example.com' }, 'Webhook'],
  email: [{ server: 'smtp://mail.example.com', to: ['office@example.com'] }, 'E-mail'],
};

const configOf = (alerts: object) => parse(yaml({ more: `alerts: ${JSON.stringify(alerts)}` }));
const said = async (alerts: object) =>
  (await checkAlerts(configOf(alerts), {})).map(({ message }) => message).join('\n');

it.each(ALERT_CHANNELS)(
  'the alert channel %s is created if configured, checked by `check`, and documented',
  async (name) => {
    const [setting, heading] = CHANNELS[name];
    const surroundings = { env: {}, log: new RecordedLog(), secrets: createRedactor() };
    const made = alertChannels(configOf({ [name]: setting }), surroundings);
    expect(made.map((channel) => channel.name)).toEqual([name]);
    expect(await said({ [name]: setting })).toMatch(new RegExp(`^(?!Nobody).*\\b${name}\\b`));
    expect(ALERTS).toContain(`\n## ${heading}\n`);
  },
);

it('`check` names all channels if none is configured', async () => {
  const sentence = await said({ digest: '07:30' });
  expect(sentence).toMatch(/^No alerts are sent/);
  for (const name of ALERT_CHANNELS) expect(sentence).toContain(name);
});

import { z } from 'zod';
import {
  columnName,
  command,
  duration,
  hostName,
  listen,
  listenOrOff,
  mailAddress,
  mailServer,
  path,
  pointer,
  quietHours,
  rate,
  silentAfter,
  size,
  sizeOrOff,
  text,
  timeOfDay,
  webUrl,
  yesOrNo,
} from './values.ts';

/* The sections of what looks on and speaks beside the pipeline, as schema.ts has the others. */

const certificate = z
  .strictObject({
    cert: path
      .prefault('none')
      .describe(
        'File with the certificate, and those between it and the authority (PEM), or none; relative paths start at the config file.',
      )
      .meta({ title: 'path, or none' }),
    key: path
      .prefault('none')
      .describe('File with its private key (PEM, without a passphrase), or none.')
      .meta({ title: 'path, or none' }),
  })
  .prefault({})
  .describe('Certificate and key, for https.');

export const consoleSchema = z.strictObject({
  listen: listen
    .prefault('onDemand')
    .describe(
      'Where the console listens: onDemand (no port is open until you run `receiptd console`; then 127.0.0.1 and a free port), off, or an address and a port such as 127.0.0.1:8471, from the start. An address other than 127.0.0.1 or [::1] needs tls and a password (`receiptd console password`); without them the console stays closed, and receipts are still sent.',
    ),
  tls: certificate,
  hosts: z
    .array(hostName)
    .prefault([])
    .describe(
      'Further host names of the console, with or without a port: the name in the certificate, or the name of a reverse proxy. Any other name is refused, because it may be an attack (DNS rebinding).',
    )
    .meta({ title: 'list of host names' }),
  thumbnails: sizeOrOff('1MB', '10GB')
    .prefault('50MB')
    .describe(
      'Most space for thumbnails in the state directory, some 10 kB each; those unused for the longest make room. off shows none in lists, and keeps none.',
    ),
  roots: z
    .array(path)
    .prefault([])
    .describe(
      'Directories in which folders, archives and `needsAttention` may be set from the console, beside those in or next to a watched folder. Relative paths start at the config file. The console does not change this list.',
    )
    .meta({ title: 'list of paths' }),
});

export const resultsSchema = z.strictObject({
  listen: listenOrOff
    .prefault('off')
    .describe(
      "Where results of the service are received (an endpoint's outgoingUrl): off, or an address and a port such as 127.0.0.1:8472. An address other than 127.0.0.1 or [::1] needs tls, and stays closed without it; behind a reverse proxy, 127.0.0.1 is enough. `receiptd results url` prints the secret path.",
    ),
  tls: certificate,
  maxSize: size('1kB', '8MB')
    .prefault('1MB')
    .describe('Larger results are refused. The interface states no limit.'),
  rate: rate
    .prefault('2000/s')
    .describe(
      'Most results accepted in any second, minute or hour; further ones are asked to come again later (429).',
    ),
  columns: z
    .record(columnName, pointer)
    .prefault({})
    .describe(
      'Values of results that lists, filters and exports have under a name of your own: where the value stands in what the service posts, as a JSON pointer, such as total: /receipt/total. Those that were posted before are found too.',
    )
    .meta({ title: 'names and JSON pointers' }),
  command: command
    .prefault('none')
    .describe(
      'A program that is run for each result, with the result on its standard input (JSON), one at a time; none runs nothing. It is started without a shell.',
    ),
});

export const monitoringSchema = z.strictObject({
  listen: listenOrOff
    .prefault('off')
    .describe(
      'Where metrics (`/metrics`, for Prometheus) and health (`/healthz`, `/readyz`) are served: off, or an address and a port such as 127.0.0.1:9464. They name folders but no documents, hold no secrets, and need no password.',
    ),
});

export const alertsSchema = z.strictObject({
  after: duration('0s')
    .prefault('2m')
    .describe('Nobody is alerted about trouble that is over within this time; the log has it.'),
  quietHours: quietHours
    .prefault('none')
    .describe(
      'When to send no alerts, local time: none, or a list such as [ Mon-Fri 19:00-07:00, Sat-Sun 00:00-24:00 ]. You are alerted to what is still wrong when they end.',
    ),
  digest: timeOfDay
    .prefault('off')
    .describe(
      'When to send a summary of the last day (sent, duplicates, rejected, waiting, by folder), local time: off, or a time in quotes such as "07:30".',
    ),
  silentAfter: silentAfter
    .prefault('auto')
    .describe(
      'When a folder counts as silent: auto (by the usual pauses in it), never, or a duration such as 4h without a scan, in the working hours that the folder itself shows. docs/silent-scanner.md has the rule.',
    ),
  desktop: yesOrNo
    .prefault(false)
    .describe("Shows alerts on the desktop of the agent's user (notify-send on Linux)."),
  eventLog: yesOrNo
    .prefault(false)
    .describe('On Windows: writes alerts into the event log Application, under the source receiptd.'),
  command: command
    .prefault('none')
    .describe(
      'A program that is run for each alert, with the alert on its standard input (JSON) and in its environment (RECEIPTD_ALERT_...); none runs nothing. It is started without a shell.',
    ),
  webhook: z
    .strictObject({
      url: webUrl.prefault('none').describe('Address that each alert is posted to (JSON), or none.'),
      secretFile: path
        .prefault('none')
        .describe(
          'File with the secret that signs each alert (Standard Webhooks), readable by its owner only, or none; relative paths start at the config file.',
        )
        .meta({ title: 'path, or none' }),
    })
    .prefault({})
    .describe('Alerts by HTTP.'),
  email: z
    .strictObject({
      server: mailServer
        .prefault('none')
        .describe(
          'Mail server, or none. smtps:// is encrypted from the start, smtp:// by STARTTLS, which a server on another machine has to offer.',
        ),
      user: text('text', /^[^\0\r\n]{1,200}$/, 'the user at the mail server, or none')
        .prefault('none')
        .describe('User at the mail server, or none.')
        .meta({ title: 'text, or none' }),
      passwordFile: path
        .prefault('none')
        .describe(
          'File with the password of that user, readable by its owner only; relative paths start at the config file. none: the password that was entered in the console, which is kept with the credentials.',
        )
        .meta({ title: 'path, or none' }),
      from: mailAddress
        .optional()
        .describe('Sender of the mails.')
        .meta({ 'x-default': '`receiptd@<host>`' }),
      to: z
        .array(mailAddress)
        .prefault([])
        .describe('Who gets the mails.')
        .meta({ title: 'list of mail addresses' }),
    })
    .prefault({})
    .describe('Alerts by e-mail.'),
});

export type ParsedConsole = z.output<typeof consoleSchema>;
export type ParsedAlerts = z.output<typeof alertsSchema>;
export type ParsedResults = z.output<typeof resultsSchema>;
export type ParsedMonitoring = z.output<typeof monitoringSchema>;

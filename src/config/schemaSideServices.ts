import { z } from 'zod';
import { hostName, listen, listenOrOff, mailAddress, mailServer, webUrl } from './addresses.ts';
import {
  columnName,
  command,
  duration,
  path,
  pointer,
  quietHours,
  rate,
  silentAfter,
  size,
  sizeOrOff,
  text,
  timeOfDay,
  yesOrNo,
} from './values.ts';

/* Schema of the sections about side services: console, monitoring, alerts, results. schema.ts has the others. */

const certificate = z
  .strictObject({
    cert: path
      .prefault('none')
      .describe(
        'File with the certificate and any intermediate certificates (PEM), or none. Relative paths start at the config file.',
      )
      .meta({ title: 'path, or none' }),
    key: path
      .prefault('none')
      .describe('File with its private key (PEM, without a passphrase), or none.')
      .meta({ title: 'path, or none' }),
  })
  .prefault({})
  .describe('Certificate and key for https.');

export const consoleSchema = z.strictObject({
  listen: listen
    .prefault('onDemand')
    .describe(
      'Where the console listens: onDemand (no port is open until you run `receiptd console`, which opens a free port on 127.0.0.1), off, or a permanent address and port such as 127.0.0.1:8471. An address other than 127.0.0.1 or [::1] needs tls and a password (`receiptd console password`). Without them, the console stays closed, and receipts are still sent.',
    ),
  tls: certificate,
  hosts: z
    .array(hostName)
    .prefault([])
    .describe(
      'Additional host names of the console and of `monitoring`, with or without a port: the name in the certificate, or the name of a reverse proxy. Any other name is refused, because it may be an attack (DNS rebinding).',
    )
    .meta({ title: 'list of host names' }),
  thumbnails: sizeOrOff('1MB', '10GB')
    .prefault('50MB')
    .describe(
      'Maximum space for thumbnails in the state directory, about 10 kB each. The ones unused for longest are removed first. With off, lists show no thumbnails and none are kept.',
    ),
  roots: z
    .array(path)
    .prefault([])
    .describe(
      "Directories in which the console may set folders, archives and `needsAttention`, in addition to those in or next to a watched folder. Relative paths start at the config file. The console can't change this list.",
    )
    .meta({ title: 'list of paths' }),
});

export const resultsSchema = z.strictObject({
  listen: listenOrOff
    .prefault('off')
    .describe(
      "Where to receive results from the service (an endpoint's outgoingUrl): off, or an address and port such as 127.0.0.1:8472. An address other than 127.0.0.1 or [::1] needs tls and stays closed without it; behind a reverse proxy, 127.0.0.1 is enough. `receiptd results url` prints the secret path.",
    ),
  tls: certificate,
  maxSize: size('1kB', '8MB')
    .prefault('1MB')
    .describe('Larger results are refused. The API states no limit.'),
  rate: rate
    .prefault('2000/s')
    .describe(
      'Maximum number of results accepted in any second, minute or hour. Beyond that, the service is asked to try again later (429).',
    ),
  columns: z
    .record(columnName, pointer)
    .prefault({})
    .describe(
      'Result values to show in lists, filters and exports, each under a name you choose: a JSON pointer to the value in what the service posts, such as total: /receipt/total. Results received earlier are included.',
    )
    .meta({ title: 'names and JSON pointers' }),
  command: command
    .prefault('none')
    .describe(
      'A program to run for each result, one at a time, with the result on its standard input (JSON), or none. It is started without a shell.',
    ),
});

export const monitoringSchema = z.strictObject({
  listen: listenOrOff
    .prefault('off')
    .describe(
      'Where to serve metrics (`/metrics`, for Prometheus) and health checks (`/healthz`, `/readyz`): off, or an address and port such as 127.0.0.1:9464. They contain folder names, but no documents or secrets, and need no password.',
    ),
});

export const alertsSchema = z.strictObject({
  after: duration('0s')
    .prefault('2m')
    .describe('Problems that resolve within this time cause no alert and are only in the log.'),
  quietHours: quietHours
    .prefault('none')
    .describe(
      'When to send no alerts, local time: none, or a list such as [ Mon-Fri 19:00-07:00, Sat-Sun 00:00-24:00 ]. Problems that are still open when the quiet hours end are sent then.',
    ),
  digest: timeOfDay
    .prefault('off')
    .describe(
      'When to send a summary of the last day (sent, duplicates, rejected, waiting, by folder), local time: off, or a time in quotes such as "07:30".',
    ),
  silentAfter: silentAfter
    .prefault('auto')
    .describe(
      "When a folder counts as silent: auto (based on its usual pauses), never, or a duration such as 4h without a scan during the folder's own working hours. docs/silent-scanner.md explains the rule.",
    ),
  desktop: yesOrNo
    .prefault(false)
    .describe("Shows alerts on the desktop of the agent's user (on Linux, with notify-send)."),
  eventLog: yesOrNo
    .prefault(false)
    .describe('On Windows, writes alerts to the Application event log, with the source receiptd.'),
  command: command
    .prefault('none')
    .describe(
      'A program to run for each alert, with the alert on its standard input (JSON) and in its environment (RECEIPTD_ALERT_...), or none. It is started without a shell.',
    ),
  webhook: z
    .strictObject({
      url: webUrl.prefault('none').describe('Address to post each alert to (JSON), or none.'),
      secretFile: path
        .prefault('none')
        .describe(
          'File with the secret used to sign each alert (Standard Webhooks), readable only by its owner, or none. Relative paths start at the config file.',
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
          'Mail server, or none. smtps:// is encrypted from the start; smtp:// uses STARTTLS, which a server on another machine must offer.',
        ),
      user: text('text', /^[^\0\r\n]{1,200}$/, 'the user name for the mail server, or none')
        .prefault('none')
        .describe('User name for the mail server, or none.')
        .meta({ title: 'text, or none' }),
      passwordFile: path
        .prefault('none')
        .describe(
          "File with that user's password, readable only by its owner. Relative paths start at the config file. none: use the password entered in the console, which is stored with the credentials.",
        )
        .meta({ title: 'path, or none' }),
      from: mailAddress
        .optional()
        .describe('Sender address of the mails.')
        .meta({ 'x-default': '`receiptd@<host>`' }),
      to: z
        .array(mailAddress)
        .prefault([])
        .describe('Recipients of the mails.')
        .meta({ title: 'list of mail addresses' }),
    })
    .prefault({})
    .describe('Alerts by e-mail.'),
});

export type ParsedConsole = z.output<typeof consoleSchema>;
export type ParsedAlerts = z.output<typeof alertsSchema>;
export type ParsedResults = z.output<typeof resultsSchema>;
export type ParsedMonitoring = z.output<typeof monitoringSchema>;

import { z } from 'zod';
import { accountName, accountSchema, credentialsSchema, shortName } from './schemaAccounts.ts';
import { folderSchema } from './schemaFolder.ts';
import { ledgerSchema } from './schemaLedger.ts';
import { alertsSchema, consoleSchema, monitoringSchema, resultsSchema } from './schemaSideServices.ts';
import { LANGUAGES } from '../core/domain/language.ts';
import { baseUrl, proxy } from './addresses.ts';
import {
  bandwidth,
  budget,
  contentType,
  duration,
  hours,
  path,
  rate,
  size,
  text,
  whole,
  yesOrNo,
} from './values.ts';

/*
 * Single source of the config file's types, defaults, validation, JSON Schema and reference. `x-default` describes
 * a default that depends on the machine or on other settings.
 */

export const serviceSchema = z.strictObject({
  baseUrl: baseUrl.describe(
    'Address of the receipt analysis service, without /v2. Document names are unique per address and endpoint, so changing the address starts a new series.',
  ),
  allowInsecureHttp: yesOrNo
    .prefault(false)
    .describe(
      'Allows http:// to hosts other than this machine. Credentials and receipts are then sent unencrypted.',
    ),
  uploadContentType: contentType
    .prefault('auto')
    .describe(
      'Content-Type of uploads. The API does not specify one; auto sends the type of the image, such as image/jpeg.',
    ),
  proxy: proxy
    .prefault('auto')
    .describe(
      'How to reach the service: auto uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY from the environment, direct uses no proxy, and a URL uses that proxy for everything. A user name and password in the URL are sent only to the proxy.',
    ),
  ca: path
    .prefault('none')
    .describe(
      'File with additional certificate authorities to trust (PEM), such as that of a proxy that inspects traffic, or none. Relative paths start at the config file.',
    )
    .meta({ title: 'path, or none' }),
  answerLimit: size('1kB', '8MB')
    .prefault('64kB')
    .describe(
      'How much of each upload answer the ledger keeps. For a larger answer, it keeps the beginning, the length and the SHA-256.',
    ),
  timeouts: z
    .strictObject({
      connect: duration('10ms').prefault('10s').describe('Longest time to wait for a connection.'),
      progress: duration('10ms').prefault('30s').describe('Longest time an upload may make no progress.'),
      headers: duration('10ms')
        .prefault('60s')
        .describe('Longest time to wait for the answer to begin once the image has been sent.'),
      body: duration('10ms').prefault('60s').describe('Longest time to wait for the complete answer.'),
    })
    .prefault({})
    .describe('Timeouts for a request to the service.'),
});

const limits = {
  rate: rate
    .prefault('unlimited')
    .describe(
      'Maximum number of upload requests in any second, minute or hour, including retries. A restart does not reset the window.',
    ),
  perDay: budget
    .prefault('unlimited')
    .describe('Maximum number of upload requests per calendar day, local time.'),
  perMonth: budget
    .prefault('unlimited')
    .describe('Maximum number of upload requests per calendar month, local time.'),
};

export const endpointSchema = z.strictObject({
  uid: text(
    'text',
    /^[A-Za-z0-9_-]{1,128}$/,
    'the uid that the service assigned to the endpoint, in quotes',
  ).describe('The uid that the service assigned to the endpoint; `receiptd endpoint create` prints it.'),
  account: z
    .string({ error: 'the name of an account, or none' })
    .prefault('none')
    .describe(
      'Name of the account (`accounts`) whose credentials are used for this endpoint; none uses `credentials`.',
    )
    .meta({ title: 'account, or none' }),
  concurrency: whole(1, 64)
    .optional()
    .describe('Maximum number of concurrent uploads to this endpoint.')
    .meta({ 'x-default': '`delivery.concurrency`' }),
  ...limits,
});

const folders = z.array(folderSchema).min(1, { error: 'at least one folder' });

export const configSchema = z.strictObject({
  service: serviceSchema.describe('The receipt analysis service.'),
  credentials: credentialsSchema.describe(
    'Where the credentials are stored. They are never in this file; `receiptd login` stores them.',
  ),
  accounts: z
    .record(accountName, accountSchema)
    .prefault({})
    .describe(
      'Additional accounts at the same service, each under a name you choose. `receiptd login --account NAME` stores the credentials, and `endpoints.<name>.account` uses them. Endpoints without an account use `credentials`.',
    ),
  endpoints: z
    .record(shortName, endpointSchema)
    .refine((value) => Object.keys(value).length > 0, { error: 'at least one endpoint' })
    .describe(
      'Endpoints of the service, each under a name you choose. These limits apply in addition to those under delivery.',
    )
    .meta({ minProperties: 1 }),
  folders: folders.describe('The folders to watch. Each one feeds one endpoint.'),
  delivery: z
    .strictObject({
      concurrency: whole(1, 64)
        .prefault(4)
        .describe('Maximum number of concurrent uploads, all endpoints together.'),
      ...limits,
      spread: yesOrNo
        .prefault(true)
        .describe(
          'Whether to spread uploads evenly when the rate is per minute or hour. A few fresh scans are still sent immediately. With false, uploads use up the rate at once, then stop until the minute or hour is over.',
        ),
      bandwidth: bandwidth
        .prefault('unlimited')
        .describe('Maximum number of image bytes sent per second, all endpoints together.'),
      hours: hours
        .prefault('always')
        .describe(
          'When uploads may start, local time: always, or a list such as [ Mon-Fri 07:00-19:00, Sat 08:00-12:00 ]. Outside these hours, scans are named and recorded, then wait.',
        ),
      grace: duration('0s')
        .prefault('20s')
        .describe('How long uploads in progress may continue when the agent is stopped.'),
      parkAfter: whole(1, 1000)
        .prefault(5)
        .describe(
          'After this many server errors on one document while others succeed, that document is set aside and retried later.',
        ),
    })
    .prefault({})
    .describe('How fast receipts are sent.'),
  intake: z
    .strictObject({
      reconcileEvery: duration('100ms')
        .prefault('60s')
        .describe(
          'How often every folder is compared with the ledger. In folders with more than 12,000 files, some of these comparisons skip directories in which nothing was created, renamed or deleted. A file that was overwritten in place, and whose event was lost, is then found after 5 ms per file in the folder, at most 15 minutes.',
        ),
      pollEvery: duration('100ms').prefault('5s').describe('How often a polled folder is listed.'),
      takeOverAfter: duration('0s')
        .prefault('10m')
        .describe(
          'How long to wait before taking over a folder that another agent on this machine used to watch. Agents that merely restart keep their folders.',
        ),
      confirmAbove: whole(0, 1_000_000_000)
        .prefault(1000)
        .describe(
          'If a newly watched folder contains more files than this, receiptd asks at the terminal before sending them. Without a terminal, it writes to the log.',
        ),
    })
    .prefault({})
    .describe('How folders are read.'),
  spool: z
    .enum(['auto', 'always', 'never'])
    .prefault('auto')
    .describe(
      'Which images to copy to the state directory until the service has them. auto: those that cannot be sent immediately (an outage, a hold, a long queue). always: every image, as soon as it is named. never: none, so a scan that is overwritten while it waits is lost.',
    ),
  storage: z
    .strictObject({
      spoolLimit: size('1MB', '1000GB')
        .prefault('5GB')
        .describe(
          'Maximum size of the copies in the spool. When it is full, new scans wait in their folders until there is space.',
        ),
      keepFailed: duration('1h')
        .prefault('24d')
        .describe(
          'How long to keep the copy of a failed or unconfirmed document for a retry. All other copies are removed as soon as the service has the image.',
        ),
      reserve: size('0B', '1GB')
        .prefault('8MB')
        .describe(
          'Disk space reserved so that uploads in progress can still be recorded when the disk is full.',
        ),
      backupEvery: duration('1m')
        .prefault('1d')
        .describe('How often to back up the ledger to `backups` in the state directory.'),
      backups: whole(0, 1000).prefault(7).describe('How many of these backups to keep; 0 disables them.'),
    })
    .prefault({})
    .describe('What the state directory may contain.'),
  ledger: ledgerSchema.prefault({}).describe('The ledger: what was found, sent and answered.'),
  stateDir: path
    .optional()
    .describe(
      'Directory for the ledger, the lock and the logs, on a local disk. RECEIPTD_STATE_DIR overrides it.',
    )
    .meta({ title: 'path', 'x-default': 'see below' }),
  console: consoleSchema
    .prefault({})
    .describe('The console: a web page for monitoring and controlling the agent.'),
  monitoring: monitoringSchema.prefault({}).describe('Metrics and health checks for monitoring systems.'),
  alerts: alertsSchema
    .prefault({})
    .describe('Who is alerted, and how. Each problem causes one alert when it begins and one when it ends.'),
  language: z
    .enum(LANGUAGES)
    .prefault('en')
    .describe(
      'Language of alerts, digests and the notes beside scans: en or de. The console uses that of the browser, and commands that of the terminal.',
    ),
  results: resultsSchema
    .prefault({})
    .describe('Receiving the results that the service posts about documents.'),
  control: z
    .strictObject({
      group: text('text', /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, 'the name of a group, or none')
        .prefault('none')
        .describe(
          'Operating system group whose members may query and control the running agent (status, list, pause, the console and everything else) without being root. With none, only its owner and root may. Not on Windows.',
        )
        .meta({ title: 'group, or none' }),
    })
    .prefault({})
    .describe('Who may query and control the running agent.'),
  log: z
    .strictObject({
      level: z
        .enum(['debug', 'info', 'warn', 'error'])
        .prefault('info')
        .describe('The lowest level to log. error means that a person must act.'),
      maxSize: size('1kB', '1GB').prefault('10MB').describe('Size at which to rotate the log file.'),
      maxFiles: whole(1, 1000).prefault(5).describe('How many log files to keep.'),
    })
    .prefault({})
    .describe('The log file.'),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedService = z.output<typeof serviceSchema>;
export type ParsedEndpoint = z.output<typeof endpointSchema>;

import { z } from 'zod';
import { accountName, accountSchema, credentialsSchema, shortName } from './schemaAccounts.ts';
import { folderSchema } from './schemaFolder.ts';
import { ledgerSchema } from './schemaLedger.ts';
import { alertsSchema, consoleSchema, monitoringSchema, resultsSchema } from './schemaBeside.ts';
import {
  bandwidth,
  baseUrl,
  budget,
  contentType,
  duration,
  hours,
  path,
  proxy,
  rate,
  size,
  text,
  whole,
  yesOrNo,
} from './values.ts';

/*
 * The one source of the config file's types, defaults, validation, JSON Schema and reference. `x-default` names
 * a default that depends on something else.
 */

export const serviceSchema = z.strictObject({
  baseUrl: baseUrl.describe(
    'Address of the receipt analysis service, without /v2. A document name is unique below one address and endpoint, so a change here starts a new series.',
  ),
  allowInsecureHttp: yesOrNo
    .prefault(false)
    .describe(
      'Allows http:// to a host other than this machine. Credentials and receipts then travel in the clear.',
    ),
  uploadContentType: contentType
    .prefault('auto')
    .describe(
      'Content-Type of uploads. The interface does not say which it wants: auto sends the type of the image, such as image/jpeg.',
    ),
  proxy: proxy
    .prefault('auto')
    .describe(
      'How the service is reached: auto follows HTTPS_PROXY, HTTP_PROXY and NO_PROXY from the environment, direct uses no proxy, a URL uses that proxy for everything. A user and password in the URL are sent to the proxy only.',
    ),
  ca: path
    .prefault('none')
    .describe(
      'File with further certificate authorities to trust (PEM), such as that of a proxy which inspects traffic, or none; relative paths start at the config file.',
    )
    .meta({ title: 'path, or none' }),
  answerLimit: size('1kB', '8MB')
    .prefault('64kB')
    .describe(
      'How much of each answer to an upload the ledger keeps. Of a larger answer, it keeps the beginning, the length and the SHA-256.',
    ),
  timeouts: z
    .strictObject({
      connect: duration('10ms').prefault('10s').describe('Longest wait for a connection.'),
      progress: duration('10ms').prefault('30s').describe('Longest wait during an upload without progress.'),
      headers: duration('10ms')
        .prefault('60s')
        .describe('Longest wait for an answer to begin, once the image is sent.'),
      body: duration('10ms').prefault('60s').describe('Longest wait for an answer to be complete.'),
    })
    .prefault({})
    .describe('Limits for one request to the service.'),
});

const limits = {
  rate: rate
    .prefault('unlimited')
    .describe(
      'Most upload requests in any second, minute or hour, including repeats. A restart does not reset the window.',
    ),
  perDay: budget.prefault('unlimited').describe('Most upload requests in a calendar day, local time.'),
  perMonth: budget.prefault('unlimited').describe('Most upload requests in a calendar month, local time.'),
};

export const endpointSchema = z.strictObject({
  uid: text(
    'text',
    /^[A-Za-z0-9_-]{1,128}$/,
    'the uid that the service gave the endpoint, in quotes',
  ).describe('The uid that the service gave the endpoint; `receiptd endpoint create` prints it.'),
  account: z
    .string({ error: 'the name of an account, or none' })
    .prefault('none')
    .describe(
      'Name of the account (`accounts`) whose credentials are used for this endpoint; none uses `credentials`.',
    )
    .meta({ title: 'account, or none' }),
  concurrency: whole(1, 64)
    .optional()
    .describe('Most uploads at once to this endpoint.')
    .meta({ 'x-default': '`delivery.concurrency`' }),
  ...limits,
});

const folders = z.array(folderSchema).min(1, { error: 'at least one folder' });

export const configSchema = z.strictObject({
  service: serviceSchema.describe('The receipt analysis service.'),
  credentials: credentialsSchema.describe(
    'Where the credentials are kept. Never in this file: `receiptd login` stores them.',
  ),
  accounts: z
    .record(accountName, accountSchema)
    .prefault({})
    .describe(
      'Further accounts at the same service, each under a name of your own: `receiptd login --account NAME` stores its credentials, `endpoints.<name>.account` uses them. Endpoints that name none use `credentials`.',
    ),
  endpoints: z
    .record(shortName, endpointSchema)
    .refine((value) => Object.keys(value).length > 0, { error: 'at least one endpoint' })
    .describe(
      'Endpoints of the service, each under a name of your own. The limits here hold in addition to those of delivery.',
    )
    .meta({ minProperties: 1 }),
  folders: folders.describe('The folders to watch, each feeding one endpoint.'),
  delivery: z
    .strictObject({
      concurrency: whole(1, 64).prefault(4).describe('Most uploads at once, all endpoints together.'),
      ...limits,
      spread: yesOrNo
        .prefault(true)
        .describe(
          'Whether uploads under a rate per minute or hour leave at even intervals. A few fresh scans still leave at once. With false, as many leave at once as the rate allows, and then none until its minute or hour is over.',
        ),
      bandwidth: bandwidth
        .prefault('unlimited')
        .describe('Most bytes of images sent per second, all endpoints together.'),
      hours: hours
        .prefault('always')
        .describe(
          'When uploads may start, local time: always, or a list such as [ Mon-Fri 07:00-19:00, Sat 08:00-12:00 ]. Outside these hours scans are named and recorded, and wait.',
        ),
      grace: duration('0s')
        .prefault('20s')
        .describe('How long uploads in flight may go on when the agent is stopped.'),
      parkAfter: whole(1, 1000)
        .prefault(5)
        .describe(
          'A document that meets this many server errors while others pass is set aside for a later try.',
        ),
    })
    .prefault({})
    .describe('How fast receipts are sent.'),
  intake: z
    .strictObject({
      reconcileEvery: duration('100ms')
        .prefault('60s')
        .describe(
          'How often every folder is compared with the ledger. With more than 12,000 files, directories in which nothing was created, renamed or deleted are skipped in between: a file overwritten in place whose event was lost is found after 5 ms for each file in the folder, 15 minutes at most.',
        ),
      pollEvery: duration('100ms').prefault('5s').describe('How often a polled folder is listed.'),
      takeOverAfter: duration('0s')
        .prefault('10m')
        .describe(
          'A folder that another agent on this machine watches is taken over once no agent has held it for this long, so that an agent that restarts keeps its folders.',
        ),
      confirmAbove: whole(0, 1_000_000_000)
        .prefault(1000)
        .describe(
          'Before more files than this in a newly watched folder are sent, receiptd asks at the terminal; without a terminal, the log reports it.',
        ),
    })
    .prefault({})
    .describe('How folders are read.'),
  spool: z
    .enum(['auto', 'always', 'never'])
    .prefault('auto')
    .describe(
      'Which images are copied into the state directory until the service has them. auto: those that cannot be sent at once (an outage, a hold, a long queue). always: every one, as soon as it is named. never: none, so a scan that is overwritten while it waits is lost.',
    ),
  storage: z
    .strictObject({
      spoolLimit: size('1MB', '1000GB')
        .prefault('5GB')
        .describe(
          'Most bytes of copies in the spool. When it is full, new scans wait in their folders until there is room.',
        ),
      keepFailed: duration('1h')
        .prefault('24d')
        .describe(
          'How long the copy of a failed or unconfirmed document is kept for a retry. All other copies are removed as soon as the service has the image.',
        ),
      reserve: size('0B', '1GB')
        .prefault('8MB')
        .describe(
          'Disk space held ready, so that the outcomes of uploads under way can be recorded when the disk is full.',
        ),
      backupEvery: duration('1m')
        .prefault('1d')
        .describe('How often the ledger is backed up into `backups` of the state directory.'),
      backups: whole(0, 1000).prefault(7).describe('How many of these backups are kept; 0 makes none.'),
    })
    .prefault({})
    .describe('What the state directory may hold.'),
  ledger: ledgerSchema.prefault({}).describe('The ledger of what was found, sent and answered.'),
  stateDir: path
    .optional()
    .describe(
      'Directory of the ledger, the lock and the logs; on a local disk. RECEIPTD_STATE_DIR overrides it.',
    )
    .meta({ title: 'path', 'x-default': 'see below' }),
  console: consoleSchema
    .prefault({})
    .describe('The console: a page in the browser to watch and control the agent.'),
  monitoring: monitoringSchema.prefault({}).describe('Metrics and health, for machines.'),
  alerts: alertsSchema
    .prefault({})
    .describe('Who is alerted, and how. One alert for each cause when it begins, and one when it ends.'),
  results: resultsSchema
    .prefault({})
    .describe('Receives the results that the service posts about documents.'),
  control: z
    .strictObject({
      group: text('text', /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, 'the name of a group, or none')
        .prefault('none')
        .describe(
          'Group of the operating system whose members may query and control the running agent (status, list, pause, the console and everything else) without being root; none leaves that to its owner and root. Not on Windows.',
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
        .describe('The least important lines to keep. error means that a person must act.'),
      maxSize: size('1kB', '1GB').prefault('10MB').describe('Size at which the log file is rotated.'),
      maxFiles: whole(1, 1000).prefault(5).describe('How many log files are kept.'),
    })
    .prefault({})
    .describe('The log file.'),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedService = z.output<typeof serviceSchema>;
export type ParsedEndpoint = z.output<typeof endpointSchema>;

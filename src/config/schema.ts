import { z } from 'zod';
import { factsOf, IMAGE_TYPES } from '../core/domain/imageType.ts';
import { LANGUAGES } from '../texts/language.ts';
import { DEFAULT_TEMPLATE } from '../core/domain/nameTemplate.ts';
import { MIN_NAME_BYTES } from '../core/domain/naming.ts';
import { DEFAULT_RESOLUTION } from '../core/domain/settings.ts';
import { CREDENTIAL_STORES } from '../core/ports/credentials.ts';
import * as address from './addresses.ts';
import * as type from './values.ts';

/*
 * The table of settings. One entry is a setting: its key, its type with limits and unit (values.ts, addresses.ts), its
 * default, and what settings.ts reads from `meta`, partly from the section around it: `applies`, when a change takes
 * effect; `page` and `group`, the form of the console that edits it, or `why` only the file does. Label and help are in
 * src/texts, under the same key. Types, defaults, reference, JSON Schema, template, forms and the rule of a reload come
 * from here. `defaultText` describes a default that depends on the machine or on other settings.
 */

export const serviceSchema = z.strictObject({
  baseUrl: address.baseUrl.meta({ why: 'credentials' }),
  allowInsecureHttp: type.yesOrNo.prefault(false).meta({ why: 'credentials' }),
  uploadContentType: type.contentType.prefault('auto'),
  proxy: address.proxy.prefault('auto').meta({ why: 'credentials' }),
  ca: type.fileOrNone.prefault('none').meta({ why: 'trust' }),
  answerLimit: type.size('1kB', '8MB').prefault('64kB'),
  timeouts: z
    .strictObject({
      connect: type.duration('10ms').prefault('10s'),
      progress: type.duration('10ms').prefault('30s'),
      headers: type.duration('10ms').prefault('60s'),
      body: type.duration('10ms').prefault('60s'),
    })
    .prefault({})
    .describe('Timeouts for a request to the service.')
    .meta({ group: 'timeouts' }),
});

const store = z
  .enum(['auto', ...CREDENTIAL_STORES])
  .prefault('auto')
  .meta({ why: 'secret' });

const credentialsSchema = z.strictObject({
  store,
  file: type.path.optional().meta({ why: 'secret', defaultText: '`<stateDir>/credentials.json`' }),
});

export const accountSchema = z.strictObject({
  store,
  file: type.path.optional().meta({ why: 'secret', defaultText: '`<stateDir>/credentials-<name>.json`' }),
});

const limits = {
  rate: type.rate('min').prefault('unlimited'),
  perDay: type.budget.prefault('unlimited'),
  perMonth: type.budget.prefault('unlimited'),
};

export const endpointSchema = z.strictObject({
  uid: type.text(/^[A-Za-z0-9_-]{1,128}$/, { is: 'uid' }).meta({ title: 'text', example: 'u-3' }),
  account: type
    .nameOrNone({ is: 'account' })
    .prefault('none')
    .meta({ title: 'account, or none', example: 'branch', among: 'accounts' }),
  concurrency: type.whole(1, 64).optional().meta({ defaultText: '`delivery.concurrency`', example: 2 }),
  ...limits,
});

export const folderSchema = z.strictObject({
  path: type.path,
  endpoint: z
    .string({ error: type.expects({ is: 'endpoint' }) })
    .optional()
    .meta({ title: 'text', defaultText: 'the only endpoint', among: 'endpoints' }),
  recursive: type.yesOrNo.prefault(false),
  watch: z.enum(['auto', 'poll']).prefault('auto'),
  share: type.shareName.prefault('none').meta({ applies: 'start' }),
  name: z
    .string({ error: type.expects({ is: 'template' }) })
    .prefault(DEFAULT_TEMPLATE)
    .meta({ title: 'name template', example: '{stem}-other', group: 'files' }),
  nameMaxBytes: type.whole(MIN_NAME_BYTES, 1000).prefault(300).meta({ group: 'files' }),
  existing: type.existing.prefault('send').meta({ group: 'files' }),
  accept: z
    .array(z.enum(IMAGE_TYPES))
    .min(1, { error: type.expects({ is: 'aType' }) })
    .prefault(IMAGE_TYPES.filter((type) => factsOf(type).isDefault))
    .meta({ group: 'files' }),
  maxFileSize: type.size('1B', '1GB').prefault('50MB').meta({ group: 'files' }),
  include: type.patterns
    .min(1, { error: type.expects({ is: 'aPattern' }) })
    .prefault(['**/*'])
    .meta({ group: 'files' }),
  ignore: type.patterns.prefault([]).meta({ group: 'files' }),
  builtInIgnores: type.yesOrNo.prefault(true).meta({ group: 'files' }),
  pages: z.enum(['split', 'whole']).prefault('split').meta({ group: 'images' }),
  pageResolution: type.whole(72, 600).prefault(DEFAULT_RESOLUTION).meta({ group: 'images' }),
  qualityCheck: z.enum(['off', 'warn', 'hold']).prefault('off').meta({ group: 'images' }),
  upright: type.yesOrNo.prefault(false).meta({ group: 'images' }),
  afterUpload: z.enum(['keep', 'archive', 'delete']).prefault('keep').meta({ group: 'after' }),
  archiveTo: type.path.optional().meta({ defaultText: '`<folder>/archive`', group: 'after' }),
  afterUploadOn: z
    .union(
      [z.literal('accepted'), z.array(type.serviceStatus).min(1, { error: type.expects({ is: 'aStatus' }) })],
      {
        error: type.expects({ is: 'statuses' }),
      },
    )
    .transform((value) => (value === 'accepted' ? null : value))
    .prefault('accepted')
    .meta({ title: 'accepted, or list of statuses', example: ['DONE'], group: 'after' }),
  afterUploadExisting: z.enum(['auto', 'leave', 'include']).prefault('auto').meta({ group: 'after' }),
  needsAttention: type.path.prefault('none').meta({ title: 'path, or none', group: 'people' }),
  silentAfter: type.silentAfter.optional().meta({ defaultText: '`alerts.silentAfter`', group: 'people' }),
  settle: z
    .strictObject({
      short: type.duration('10ms').prefault('200ms'),
      long: type.duration('10ms').prefault('5s'),
      patience: type.duration('10ms').prefault('10m'),
    })
    .prefault({})
    .describe('When a file counts as completely written.')
    .meta({ group: 'settle' }),
});

export const ledgerSchema = z.strictObject({
  kind: z.enum(['sqlite', 'postgres']).prefault('sqlite'),
  url: address.postgresUrl.prefault('none').meta({ why: 'credentials' }),
  passwordFile: type.fileOrNone.prefault('none').meta({ why: 'secret' }),
  ca: type.fileOrNone.prefault('none').meta({ why: 'trust' }),
  allowInsecure: type.yesOrNo.prefault(false).meta({ why: 'credentials' }),
  agent: type.agentName
    .optional()
    .meta({ title: 'short name', example: 'branch', defaultText: 'the host name' }),
  lease: type.duration('5s', '10m').prefault('15s'),
});

const certificate = z
  .strictObject({
    cert: type.fileOrNone.prefault('none').meta({ why: 'trust' }),
    key: type.fileOrNone.prefault('none').meta({ why: 'secret' }),
  })
  .refine(({ cert, key }) => (cert === null) === (key === null), {
    error: type.expects({ is: 'certAndKey' }),
  })
  .transform(({ cert, key }) => (cert === null || key === null ? null : { cert, key }))
  .prefault({})
  .describe('Certificate and key for https.');

export const consoleSchema = z.strictObject({
  listen: address.listen.prefault('onDemand').meta({ why: 'listens' }),
  tls: certificate,
  hosts: z.array(address.hostName).prefault([]).meta({ title: 'list of host names' }),
  thumbnails: type.sizeOrOff('1MB', '10GB').prefault('50MB'),
  roots: z.array(type.path).prefault([]).meta({ title: 'list of paths', why: 'reach', relativeTo: 'file' }),
});

export const monitoringSchema = z.strictObject({
  listen: address.listenOrOff.prefault('off').meta({ why: 'listens' }),
});

export const alertsSchema = z.strictObject({
  email: z
    .strictObject({
      server: address.mailServer.prefault('none'),
      to: z.array(address.mailAddress).prefault([]).meta({ title: 'list of mail addresses' }),
      user: type.userName.prefault('none'),
      passwordFile: type.fileOrNone.prefault('none').meta({ why: 'secret' }),
      from: address.mailAddress.optional().meta({ defaultText: '`receiptd@<host>`' }),
    })
    .prefault({})
    .describe('Alerts by e-mail.')
    .meta({ group: 'mail' }),
  webhook: z
    .strictObject({
      url: address.webUrl.prefault('none'),
      secretFile: type.fileOrNone.prefault('none').meta({ why: 'secret' }),
    })
    .prefault({})
    .describe('Alerts by HTTP.')
    .meta({ group: 'otherChannels' }),
  desktop: type.yesOrNo.prefault(false).meta({ group: 'otherChannels' }),
  eventLog: type.yesOrNo.prefault(false).meta({ group: 'otherChannels' }),
  command: type.command.prefault('none').meta({ why: 'program' }),
  after: type.duration('0s').prefault('2m'),
  silentAfter: type.silentAfter.prefault('auto').meta({ example: '3h' }),
  digest: type.timeOfDay.prefault('off'),
  quietHours: type.quietHours.prefault('none'),
});

export const resultsSchema = z.strictObject({
  listen: address.listenOrOff.prefault('off').meta({ why: 'listens', example: '127.0.0.1:8472' }),
  tls: certificate,
  maxSize: type.size('1kB', '8MB').prefault('1MB'),
  rate: type.rate('s').prefault('2000/s'),
  columns: z
    .record(type.columnName, type.pointer)
    .transform((named) => Object.entries(named).map(([name, pointer]) => ({ name, pointer })))
    .prefault({})
    .meta({ title: 'names and JSON pointers', example: { total: '/total' } }),
  command: type.command.prefault('none').meta({ why: 'program' }),
});

export const configSchema = z.strictObject({
  service: serviceSchema
    .describe('The receipt analysis service.')
    .meta({ page: 'service', group: 'service', applies: 'flow' }),
  credentials: credentialsSchema
    .prefault({})
    .describe('Where the credentials are stored. They are never in this file; `receiptd login` stores them.')
    .meta({ page: 'service', applies: 'flow' }),
  accounts: z
    .record(type.accountName, accountSchema)
    .prefault({})
    .describe(
      'Additional accounts at the same service, each under a name you choose. `receiptd login --account NAME` stores the credentials, and `endpoints.<name>.account` uses them. Endpoints without an account use `credentials`.',
    )
    .meta({ page: 'service', applies: 'flow' }),
  endpoints: z
    .record(type.shortName, endpointSchema)
    .refine((value) => Object.keys(value).length > 0, { error: type.expects({ is: 'anEndpoint' }) })
    .describe(
      'Endpoints of the service, each under a name you choose. These limits apply in addition to those under delivery.',
    )
    .meta({ minProperties: 1, page: 'endpoints', group: 'endpoint', applies: 'flow' }),
  folders: z
    .array(folderSchema)
    .min(1, { error: type.expects({ is: 'aFolder' }) })
    .describe('The folders to watch. Each one feeds one endpoint.')
    .meta({ page: 'folders', group: 'folder', applies: 'flow' }),
  delivery: z
    .strictObject({
      concurrency: type.whole(1, 64).prefault(4),
      ...limits,
      bandwidth: type.bandwidth.prefault('unlimited'),
      spread: type.yesOrNo.prefault(true),
      grace: type.duration('0s').prefault('20s'),
      parkAfter: type.whole(1, 1000).prefault(5),
      hours: type.hours.prefault('always').meta({ group: 'hours' }),
    })
    .prefault({})
    .describe('How fast receipts are sent.')
    .meta({ page: 'delivery', group: 'pace', applies: 'flow' }),
  intake: z
    .strictObject({
      reconcileEvery: type.duration('100ms').prefault('60s'),
      pollEvery: type.duration('100ms').prefault('5s'),
      takeOverAfter: type.duration('0s').prefault('10m'),
      confirmAbove: type.whole(0, 1_000_000_000).prefault(1000),
    })
    .prefault({})
    .describe('How folders are read.')
    .meta({ page: 'intake', group: 'intake', applies: 'flow' }),
  spool: z
    .enum(['auto', 'always', 'never'])
    .prefault('auto')
    .meta({ page: 'storage', group: 'copies', applies: 'flow' }),
  storage: z
    .strictObject({
      spoolLimit: type.size('1MB', '1000GB').prefault('5GB'),
      keepFailed: type.duration('1h').prefault('24d'),
      reserve: type.size('0B', '1GB').prefault('8MB').meta({ applies: 'start' }),
      backupEvery: type.duration('1m').prefault('1d').meta({ group: 'backups', applies: 'start' }),
      backups: type.whole(0, 1000).prefault(7).meta({ group: 'backups', applies: 'start' }),
    })
    .prefault({})
    .describe('What the state directory may contain.')
    .meta({ page: 'storage', group: 'copies', applies: 'flow' }),
  ledger: ledgerSchema
    .prefault({})
    .describe('The ledger: what was found, sent and answered.')
    .meta({ page: 'machine', why: 'ledger', applies: 'start' }),
  stateDir: type.path
    .optional()
    .meta({ defaultText: 'see below', page: 'machine', why: 'ledger', applies: 'start' }),
  console: consoleSchema
    .prefault({})
    .describe('The console: a web page for monitoring and controlling the agent.')
    .meta({ page: 'console', group: 'console', applies: 'live' }),
  monitoring: monitoringSchema
    .prefault({})
    .describe('Metrics and health checks for monitoring systems.')
    .meta({ page: 'monitoring', applies: 'live' }),
  alerts: alertsSchema
    .prefault({})
    .describe('Who is alerted, and how. Each problem causes one alert when it begins and one when it ends.')
    .meta({ page: 'alerts', group: 'when', applies: 'live' }),
  language: z.enum(LANGUAGES).prefault('en').meta({ page: 'alerts', group: 'when', applies: 'flow' }),
  results: resultsSchema
    .prefault({})
    .describe('Receiving the results that the service posts about documents.')
    .meta({ page: 'results', group: 'results', applies: 'live' }),
  control: z
    .strictObject({ group: type.groupName.prefault('none').meta({ why: 'reach' }) })
    .prefault({})
    .describe('Who may query and control the running agent.')
    .meta({ page: 'machine', applies: 'start' }),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).prefault('info'),
      maxSize: type.size('1kB', '1GB').prefault('10MB'),
      maxFiles: type.whole(1, 1000).prefault(5),
    })
    .prefault({})
    .describe('The log file.')
    .meta({ page: 'storage', group: 'log', applies: 'start' }),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedService = z.output<typeof serviceSchema>;
export type ParsedEndpoint = z.output<typeof endpointSchema>;
export type ParsedAccount = z.output<typeof accountSchema>;
export type ParsedFolder = z.output<typeof folderSchema>;
export type ParsedLedger = z.output<typeof ledgerSchema>;
export type ParsedConsole = z.output<typeof consoleSchema>;
export type ParsedAlerts = z.output<typeof alertsSchema>;
export type ParsedResults = z.output<typeof resultsSchema>;
export type ParsedMonitoring = z.output<typeof monitoringSchema>;

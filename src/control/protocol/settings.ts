import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { FOLDER_FINDINGS } from '../../core/domain/finding.ts';
import { consequence } from './consequences.ts';
import { by, errorBody, fact, instant, nothing, type Exchange } from './shapes.ts';

const key = z.union([z.string(), z.number().int().min(0)]);
const path = z.array(key).min(1).max(20);

const edit = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('set'),
      path: path.describe('Keys and indices, such as ["folders", 0, "name"].'),
      value: z.json(),
    }),
    z.object({ kind: z.literal('remove'), path: path }),
    z.object({
      kind: z.literal('append'),
      path: path.describe('Path of a list.'),
      value: z.json(),
    }),
  ])
  .meta({ id: 'ConfigEdit' });

const finding = z
  .object({
    level: z.enum(['ok', 'warn', 'fail']),
    message: z.string(),
    kind: z
      .enum([...FOLDER_FINDINGS, ...ERROR_CODES])
      .optional()
      .describe('The same, for programs.'),
    count: z.number().optional().describe('How many files or folders are concerned.'),
    fact: z.record(z.string(), z.unknown()).describe('What the message is made of.'),
  })
  .meta({ id: 'Finding' });

const WOULD = ['send', 'nothing', 'duplicate', 'reject', 'skip', 'wait'] as const;

/** Why a key can only be changed in the file. */
const FILE_REASONS = ['program', 'secret', 'listens', 'credentials', 'trust', 'reach', 'ledger'] as const;

const setting = z
  .object({
    key: z.string().describe('Such as alerts.command, accounts.*.file, folders[].path.'),
    page: z.string().describe('Page of the console that shows it.'),
    group: z
      .string()
      .nullable()
      .describe('Group of fields on that page; null if the console does not change it.'),
    why: z
      .enum(FILE_REASONS)
      .nullable()
      .describe(
        'Why only the file changes it; null if the console may. program: it is run. secret: it says where one is stored. listens: it opens a port. credentials: they are sent there. trust: it names certificates. reach: it says who may change what. ledger: documents are recorded there.',
      ),
    applies: z
      .enum(['live', 'flow', 'start'])
      .describe(
        'When a change takes effect. live: at once. flow: once uploads in progress have finished. start: at the next start.',
      ),
    kind: z
      .enum(['text', 'number', 'yes', 'choice', 'since', 'lines', 'checks', 'pairs'])
      .describe('since: one of the options, or `since` and a day (YYYY-MM-DD).'),
    options: z.array(z.string()).describe('For choice, since and checks.'),
    among: z.enum(['accounts', 'endpoints']).nullable().describe('It is a name in that section.'),
    unit: z.enum(['s', 'min', 'h']).nullable().describe('Of a rate: the unit of a number alone.'),
    word: z.string().nullable().describe('For lines: a word that stands instead of a list.'),
    initial: z.string().nullable().describe('The default; null for none.'),
    required: z.boolean(),
  })
  .meta({ id: 'Setting' });

const configState = z.object({
  file: z.string(),
  revision: z.string().describe('Changes whenever the file changes.'),
  writable: z.boolean().describe('Whether the agent can write the file.'),
  grantCommand: z
    .string()
    .nullable()
    .describe('If it can’t: the command that lets it. Null if that takes more than one command.'),
  text: z.string().describe('The file, with its comments. It contains no secrets.'),
  values: z.record(z.string(), z.json()).describe('The values in the file, without defaults.'),
  folderPaths: z
    .array(z.string())
    .describe('Absolute paths of the folders, in the order of the file; none if the file is not valid.'),
  problem: z.string().nullable().describe('Why the current file is not in effect; null if it is.'),
  error: errorBody.optional().describe('The same, for its words in another language.'),
  originals: z
    .array(
      z.object({
        folder: z.string().describe('Absolute path.'),
        afterUpload: z.enum(['archive', 'delete']),
        files: z
          .number()
          .describe('Files that were accepted before `afterUpload` was set, and are still there.'),
        stay: z
          .boolean()
          .describe(
            'Whether they stay in the folder (`afterUploadExisting`); if not, they are archived or deleted like all others.',
          ),
      }),
    )
    .optional()
    .describe('Earlier originals in folders that archive or delete; only after a change or reload.'),
  consequences: z
    .array(consequence)
    .optional()
    .describe(
      'What the change would cause at once, in a dry run; where the agent can’t write, after a reload.',
    ),
  undo: z
    .object({
      at: instant,
      by: z.string(),
      keys: z.array(z.string()).describe('Changed keys, such as delivery.rate.'),
    })
    .nullable()
    .describe(
      'The last change, if `undoConfig` can undo it: the file has not changed since, and the agent has not restarted.',
    ),
  restartNeeded: z.array(z.string()).describe('Keys whose new values take effect only at the next start.'),
  settings: z.array(setting).describe('Every setting that a file can have.'),
});

export const SETTINGS = {
  config: { says: 'The configuration file.', request: nothing, response: configState },
  changeConfig: {
    says: 'Changes the configuration file, keeps its comments, and applies it. If a change is not valid, nothing changes.',
    request: z.object({
      revision: z
        .string()
        .describe(
          'Revision of the file that was edited; the change is refused if the file has changed since.',
        ),
      edits: z.array(edit).min(1).max(100),
      dryRun: z.boolean().optional().describe('Only checks the change.'),
      by,
    }),
    response: configState,
  },
  undoConfig: {
    says: 'Undoes the last change of the configuration, and applies the result. Undoing twice restores the change.',
    request: z.object({ revision: z.string(), dryRun: z.boolean().optional(), by }),
    response: configState,
  },
  reload: {
    says: 'Reads the configuration file again, as SIGHUP does.',
    request: nothing,
    response: configState,
  },
  testFolder: {
    says: 'Tries whether a folder can be watched, and says how files in it would be named.',
    request: z.object({
      path: z.string().min(1).describe('Absolute, or relative to the config file.'),
      settings: z
        .record(z.string(), z.json())
        .optional()
        .describe('Keys of a folder in the configuration; if left out, those of the configured folder.'),
      by,
    }),
    response: z.object({
      path: z.string().describe('Absolute.'),
      findings: z.array(finding),
      fileSystem: z.string().nullable().describe('Kind of file system, such as ext4 or nfs.'),
      mode: z.enum(['events', 'polled']).nullable().describe('How new files would be noticed.'),
      files: z.number().nullable().describe('Files in the folder that match its patterns.'),
      samples: z
        .array(
          z.object({
            file: z.string(),
            would: z.enum(WOULD).describe('What would happen to the file.'),
            name: z.string().nullable().describe('Null for a file that would not be sent.'),
            why: z.string().nullable(),
            fact: fact.nullable(),
          }),
        )
        .describe('Some of the newest files, with the names that they would get.'),
    }),
  },
  directories: {
    says: 'The subdirectories of a directory, to choose a folder to watch. In the console of a running agent, only where it may choose one; in setup, while it asks for a folder.',
    request: z.object({
      path: z
        .string()
        .max(4096)
        .optional()
        .describe('Absolute path from an earlier answer; where to begin, if left out.'),
      by,
    }),
    response: z.object({
      path: z.string().nullable().describe('Null for the list of places to begin with.'),
      parent: z.string().nullable(),
      folders: z.array(z.object({ name: z.string(), path: z.string() })),
      isCut: z.boolean().describe('Whether the list is incomplete.'),
    }),
  },
  createEndpoint: {
    says: 'Creates an endpoint at the service, records it, and adds it to the configuration. Never retried automatically.',
    request: z.object({
      name: z.string().min(1).describe('Name at the service.'),
      alias: z.string().describe('Alias in the configuration.'),
      language: z.string().optional().describe('Dominant language, such as de-DE.'),
      outgoingUrl: z.string().optional().describe('Address of a response handler.'),
      account: z
        .string()
        .optional()
        .describe('An account in the configuration; the default account if left out.'),
      by,
    }),
    response: z.object({
      uid: z.string(),
      name: z.string(),
      config: configState,
    }),
  },
} satisfies Record<string, Exchange>;

export type ConfigEdit = z.infer<typeof edit>;
export type ConfigState = z.infer<typeof configState>;
export type SettingAnswer = z.infer<typeof setting>;
export type SettingFinding = z.infer<typeof finding>;

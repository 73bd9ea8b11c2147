import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { FOLDER_FINDINGS } from '../../core/domain/finding.ts';
import { consequence } from './consequences.ts';
import { by, instant, nothing, type Exchange } from './shapes.ts';

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
      path: path.describe('Of a list.'),
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
      .describe('The same for programs.'),
    count: z.number().optional().describe('How many files or folders it is about.'),
  })
  .meta({ id: 'Finding' });

const WOULD = ['send', 'nothing', 'duplicate', 'reject', 'skip', 'wait'] as const;

/** Why only the file changes a key. */
const FILE_REASONS = ['program', 'secret', 'listens', 'credentials', 'trust', 'reach', 'ledger'] as const;

const configState = z.object({
  file: z.string(),
  revision: z.string().describe('Changes with every change of the file.'),
  writable: z.boolean().describe('Whether the agent may write the file.'),
  text: z.string().describe('The file, comments and all. It holds no secret.'),
  values: z.record(z.string(), z.json()).describe('What the file says, without defaults and comments.'),
  folderPaths: z
    .array(z.string())
    .describe('Absolute paths of the folders, in the order of the file; none where the file is not right.'),
  problem: z.string().nullable().describe('Why the file as it is now is not in effect; null where it is.'),
  originals: z
    .array(
      z.object({
        folder: z.string().describe('Absolute path.'),
        afterUpload: z.enum(['archive', 'delete']),
        files: z.number().describe('Accepted before `afterUpload` was set, and still there.'),
        stay: z
          .boolean()
          .describe('Whether they are left alone (`afterUploadExisting`); else they go like all others.'),
      }),
    )
    .optional()
    .describe('Originals from before, of folders that archive or delete; told by changes and reloads only.'),
  consequences: z
    .array(consequence)
    .optional()
    .describe('What the change would do at once; told by trials only.'),
  undo: z
    .object({
      at: instant,
      by: z.string(),
      keys: z.array(z.string()).describe('What it concerned, such as delivery.rate.'),
    })
    .nullable()
    .describe(
      'The last change, where `undoConfig` takes it back: the file was not changed since, and the agent not restarted.',
    ),
  restartNeeded: z.array(z.string()).describe('Keys whose values take effect at the next start only.'),
  fileOnly: z
    .array(
      z.object({
        key: z.string().describe('Such as alerts.command, accounts.*.file.'),
        why: z
          .enum(FILE_REASONS)
          .describe(
            'program: it is run. secret: it names where one is. listens: a port is opened. credentials: they are sent there. trust: certificates. reach: who may change what. ledger: where documents are recorded.',
          ),
      }),
    )
    .describe('What the console does not change.'),
});

export const SETTINGS = {
  config: { says: 'The configuration file.', request: nothing, response: configState },
  changeConfig: {
    says: 'Changes the configuration file, its comments kept, and puts it into effect. A bad change is refused, and nothing is changed.',
    request: z.object({
      revision: z.string().describe('Of the file that was looked at; refused where it is another by now.'),
      edits: z.array(edit).min(1).max(100),
      dryRun: z.boolean().optional().describe('Only says whether it would be taken.'),
      by,
    }),
    response: configState,
  },
  undoConfig: {
    says: 'Takes the last change of the configuration back, and puts the former one into effect. Undone, it is the last change itself.',
    request: z.object({ revision: z.string(), dryRun: z.boolean().optional(), by }),
    response: configState,
  },
  reload: {
    says: 'Reads the configuration file again, as SIGHUP does.',
    request: nothing,
    response: configState,
  },
  testFolder: {
    says: 'Whether a folder can be watched, found by trying, and how files in it would be named.',
    request: z.object({
      path: z.string().min(1).describe('Absolute, or relative to the config file.'),
      settings: z
        .record(z.string(), z.json())
        .optional()
        .describe('Keys of a folder in the config; of the configured folder if left out.'),
      by,
    }),
    response: z.object({
      path: z.string().describe('Absolute.'),
      findings: z.array(finding),
      fileSystem: z.string().nullable().describe('Kind of file system, such as ext4 or nfs.'),
      mode: z.enum(['events', 'polled']).nullable().describe('How new files would be noticed.'),
      files: z.number().nullable().describe('Files that lie in it and would be looked at.'),
      samples: z
        .array(
          z.object({
            file: z.string(),
            would: z.enum(WOULD).describe('What would become of it.'),
            name: z.string().nullable().describe('Null for what would not be sent.'),
            why: z.string().nullable(),
          }),
        )
        .describe('Some of the newest files, and the names they would get.'),
    }),
  },
  createEndpoint: {
    says: 'Creates an endpoint at the service, records it, and puts it into the configuration. Never repeated by itself.',
    request: z.object({
      name: z.string().min(1).describe('At the service.'),
      alias: z.string().describe('In the configuration.'),
      language: z.string().optional().describe('Dominant language, such as de-DE.'),
      outgoingUrl: z.string().optional().describe('Address of a response handler.'),
      account: z.string().optional().describe('Of the configuration; the default one if left out.'),
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
export type FileReason = (typeof FILE_REASONS)[number];
export type Finding = z.infer<typeof finding>;

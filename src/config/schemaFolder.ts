import { z } from 'zod';
import { factsOf, IMAGE_TYPES } from '../core/domain/imageType.ts';
import { DEFAULT_TEMPLATE } from '../core/domain/nameTemplate.ts';
import { DEFAULT_RESOLUTION } from '../core/domain/settings.ts';
import { MIN_NAME_BYTES } from '../core/domain/naming.ts';
import { shareName } from './schemaAccounts.ts';
import {
  duration,
  existing,
  path,
  patterns,
  serviceStatus,
  silentAfter,
  size,
  whole,
  yesOrNo,
} from './values.ts';

/* Schema of a watched folder; schema.ts has the rest. */

export const folderSchema = z.strictObject({
  path: path.describe(
    'The folder to watch. Relative paths start at the config file. If the folder is missing, the agent waits for it.',
  ),
  endpoint: z
    .string({ error: 'the name of an endpoint' })
    .optional()
    .describe('Name of the endpoint to send the images to. Optional if there is only one.')
    .meta({ title: 'text', 'x-default': 'the only endpoint' }),
  share: shareName
    .prefault('none')
    .describe(
      'Name of this folder among the agents that share the ledger (`ledger.kind`). Use the same name on every agent, even if the path differs, so that only one of them sends each image. none: no other agent watches this folder.',
    ),
  recursive: yesOrNo.prefault(false).describe('Also watches subfolders.'),
  watch: z
    .enum(['auto', 'poll'])
    .prefault('auto')
    .describe(
      'How to detect new files: auto uses events on local disks and lists network shares at intervals (`intake.pollEvery`); poll always lists at intervals.',
    ),
  include: patterns
    .min(1, { error: 'at least one pattern' })
    .prefault(['**/*'])
    .describe(
      'Only files that match one of these patterns are picked up. A pattern with / matches the path relative to the folder; a pattern without / matches a name at any depth, such as `*.jpg`. Case is ignored.',
    ),
  ignore: patterns
    .prefault([])
    .describe(
      'Files and directories that match one of these patterns are ignored, in addition to the built-in list.',
    ),
  builtInIgnores: yesOrNo
    .prefault(true)
    .describe(
      'Ignores temporary, partly downloaded, hidden, NAS and thumbnail files. docs/configuration.md lists the patterns.',
    ),
  settle: z
    .strictObject({
      short: duration('10ms')
        .prefault('200ms')
        .describe('How long a file with a complete structure must stay unchanged.'),
      long: duration('10ms')
        .prefault('5s')
        .describe('The same for files whose structure may still grow (TIFF, PDF) or is unknown.'),
      patience: duration('10ms')
        .prefault('10m')
        .describe(
          'A file that is still incomplete after this time is reported. It is checked again when it changes.',
        ),
    })
    .prefault({})
    .describe('When a file counts as completely written.'),
  name: z
    .string({ error: 'a name template such as {stem}-{hash:12}' })
    .prefault(DEFAULT_TEMPLATE)
    .describe(
      'Template for document names. Fields: {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {page} {pages} {host} {endpoint}, with formats as in {date:YYYY-MM-DD}, {hash:12} and {seq:5}. Changes apply to new documents only.',
    )
    .meta({ title: 'name template' }),
  nameMaxBytes: whole(MIN_NAME_BYTES, 1000)
    .prefault(300)
    .describe('Maximum length of document names, in bytes of UTF-8.'),
  accept: z
    .array(z.enum(IMAGE_TYPES))
    .min(1, { error: 'at least one type' })
    .prefault(IMAGE_TYPES.filter((type) => factsOf(type).isDefault))
    .describe(
      'File types to send, determined by content. The API speaks of images; add pdf only for `pages: whole`.',
    ),
  pages: z
    .enum(['split', 'whole'])
    .prefault('split')
    .describe(
      'What to do with PDFs and multi-page TIFFs: split sends an image of each page as a separate document, and converts HEIC to JPEG unless `accept` contains heic; whole sends the file unchanged, which for PDFs requires pdf in `accept`.',
    ),
  pageResolution: whole(72, 600)
    .prefault(DEFAULT_RESOLUTION)
    .describe(
      'Resolution in dots per inch for PDF pages that have to be rendered. A page that consists of a single JPEG, as scanners create it, is sent as that JPEG, byte for byte.',
    ),
  qualityCheck: z
    .enum(['off', 'warn', 'hold'])
    .prefault('off')
    .describe(
      'Checks whether each image is blank, too dark, blurred, too small to read, or shows a receipt that was scanned before. warn sends it with a warning; hold waits until a person decides. Both skip blank pages in multi-page files. Takes about 0.1 s of processor time per image.',
    ),
  upright: z
    .boolean()
    .prefault(false)
    .describe(
      'Rotates a JPEG upright if its EXIF orientation says that it is sideways or upside down. Such a JPEG is re-encoded; all others are sent byte for byte.',
    ),
  maxFileSize: size('1B', '1GB')
    .prefault('50MB')
    .describe('Larger files are rejected. The API states no limit.'),
  existing: existing
    .prefault('send')
    .describe(
      'What to do with files that are already in the folder when it is first watched: send them, skip them, or send only those changed since a given day. Uploads count against your quota.',
    ),
  afterUpload: z
    .enum(['keep', 'archive', 'delete'])
    .prefault('keep')
    .describe('What to do with the original file once its acceptance is recorded.'),
  archiveTo: path
    .optional()
    .describe(
      'Where to move originals if afterUpload is archive. Relative paths start at the folder. This folder is never watched.',
    )
    .meta({ title: 'path', 'x-default': '`<folder>/archive`' }),
  afterUploadOn: z
    .union([z.literal('accepted'), z.array(serviceStatus).min(1, { error: 'at least one status' })], {
      error: 'accepted, or a list of statuses as the service writes them',
    })
    .prefault('accepted')
    .describe(
      'When afterUpload happens: once the upload is accepted, or only once a result (`results`) reports one of these statuses, such as [ DONE ].',
    )
    .meta({ title: 'accepted, or list of statuses' }),
  afterUploadExisting: z
    .enum(['auto', 'leave', 'include'])
    .prefault('auto')
    .describe(
      'What to do with originals from before afterUpload was set or changed: leave keeps them where they are; include treats them like all others. auto also leaves them, except in a folder that is watched for the first time, where everything sent is archived or deleted.',
    ),
  needsAttention: path
    .prefault('none')
    .describe(
      'A folder for the people at the scanner, such as "_needs attention", or none. It receives a copy of each file that cannot be sent, and a note with the reason. Both are removed once the problem is solved. This folder is never watched. Relative paths start at the watched folder.',
    )
    .meta({ title: 'path, or none' }),
  silentAfter: silentAfter
    .optional()
    .describe(
      'When this folder counts as silent: auto, never, or a duration such as 4h without a scan during its working hours.',
    )
    .meta({ 'x-default': '`alerts.silentAfter`' }),
});

export type ParsedFolder = z.output<typeof folderSchema>;

import { z } from 'zod';
import { DEFAULT_ACCEPTED_TYPES, IMAGE_TYPES } from '../core/domain/imageType.ts';
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

/* A folder, as schema.ts has what is not of one. */

export const folderSchema = z.strictObject({
  path: path.describe(
    'The folder to watch; relative paths start at the config file. The agent waits for a missing folder.',
  ),
  endpoint: z
    .string({ error: 'the name of an endpoint' })
    .optional()
    .describe('Name of the endpoint that gets the images. Optional if there is only one.')
    .meta({ title: 'text', 'x-default': 'the only endpoint' }),
  share: shareName
    .prefault('none')
    .describe(
      'Name of this folder among the agents that share the ledger (`ledger.kind`). Use the same name on every agent, whatever the path there, so that only one of them sends each image. none for a folder that no other agent watches.',
    ),
  recursive: yesOrNo.prefault(false).describe('Watches subfolders too.'),
  watch: z
    .enum(['auto', 'poll'])
    .prefault('auto')
    .describe(
      'How new files are noticed: auto uses events on local disks and lists network shares at intervals (`intake.pollEvery`); poll always lists at intervals.',
    ),
  include: patterns
    .min(1, { error: 'at least one pattern' })
    .prefault(['**/*'])
    .describe(
      'Only files that match one of these patterns are taken in. A pattern with / matches the path relative to the folder, one without / a name at any depth: `*.jpg`. Case is ignored.',
    ),
  ignore: patterns
    .prefault([])
    .describe(
      'Files and directories that match one of these patterns are ignored, in addition to the built-in list.',
    ),
  builtInIgnores: yesOrNo
    .prefault(true)
    .describe(
      'Ignores temporary, partly downloaded, hidden, NAS and thumbnail files; docs/configuration.md lists the patterns.',
    ),
  settle: z
    .strictObject({
      short: duration('10ms')
        .prefault('200ms')
        .describe('How long a file with a complete structure has to stay unchanged.'),
      long: duration('10ms')
        .prefault('5s')
        .describe('The same for a structure that may grow (TIFF, PDF) or is unknown.'),
      patience: duration('10ms')
        .prefault('10m')
        .describe(
          'After this a file that stays incomplete is reported. It is checked again when it changes.',
        ),
    })
    .prefault({})
    .describe('When a file counts as written.'),
  name: z
    .string({ error: 'a name template such as {stem}-{hash:12}' })
    .prefault(DEFAULT_TEMPLATE)
    .describe(
      'Template of document names, of {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {page} {pages} {host} {endpoint}, with formats as in {date:YYYY-MM-DD}, {hash:12} and {seq:5}. Changes apply to new documents only.',
    )
    .meta({ title: 'name template' }),
  nameMaxBytes: whole(MIN_NAME_BYTES, 1000)
    .prefault(300)
    .describe('Longest document name, in bytes of UTF-8.'),
  accept: z
    .array(z.enum(IMAGE_TYPES))
    .min(1, { error: 'at least one type' })
    .prefault([...DEFAULT_ACCEPTED_TYPES])
    .describe(
      'Types to send, judged by content. The interface speaks of images: pdf is wanted here only for `pages: whole`.',
    ),
  pages: z
    .enum(['split', 'whole'])
    .prefault('split')
    .describe(
      'What happens to PDFs and to TIFFs of several pages: split sends an image of each page as a document of its own, and a HEIC as JPEG where `accept` lacks heic; whole sends the file as it is, for which a PDF has to be among `accept`.',
    ),
  pageResolution: whole(72, 600)
    .prefault(DEFAULT_RESOLUTION)
    .describe(
      'Dots per inch of PDF pages that have to be drawn. A page that is one JPEG, as scanners make it, is sent as that JPEG, byte for byte.',
    ),
  look: z
    .enum(['off', 'warn', 'hold'])
    .prefault('off')
    .describe(
      'Checks each image before it is sent: blank, too dark, blurred, too small to read, or of a paper that was scanned before. warn sends it and says so; hold keeps it back until a person decides. Both leave out blank pages of files with several pages. Costs about 0.1 s of processor time per image.',
    ),
  upright: z
    .boolean()
    .prefault(false)
    .describe(
      'Sends a JPEG upright that its EXIF orientation shows lying on its side or upside down. Such a JPEG is encoded again; any other is sent byte for byte.',
    ),
  maxFileSize: size('1B', '1GB')
    .prefault('50MB')
    .describe('Larger files are rejected. The interface states no limit.'),
  existing: existing
    .prefault('send')
    .describe(
      'What to do with files that are in the folder when it is first watched: send them, skip them, or send those changed since a day. Uploads count against your quota.',
    ),
  afterUpload: z
    .enum(['keep', 'archive', 'delete'])
    .prefault('keep')
    .describe('What to do with the original after its acceptance is recorded.'),
  archiveTo: path
    .optional()
    .describe(
      'Where originals go if afterUpload is archive; relative paths start at the folder. Never watched.',
    )
    .meta({ title: 'path', 'x-default': '`<folder>/archive`' }),
  afterUploadOn: z
    .union([z.literal('accepted'), z.array(serviceStatus).min(1, { error: 'at least one status' })], {
      error: 'accepted, or a list of statuses as the service writes them',
    })
    .prefault('accepted')
    .describe(
      'When afterUpload happens: once the upload is accepted, or only once a result (`results`) brought one of these statuses of the service, such as [ DONE ].',
    )
    .meta({ title: 'accepted, or list of statuses' }),
  afterUploadExisting: z
    .enum(['auto', 'leave', 'include'])
    .prefault('auto')
    .describe(
      'What happens to originals that were there before afterUpload was set, or changed: leave keeps them where they are, include treats them like all others. auto leaves them as well, except in a folder that is watched for the first time: what is sent from there is archived or deleted.',
    ),
  needsAttention: path
    .prefault('none')
    .describe(
      'A folder for the people at the scanner, such as "_needs attention", or none. It gets a copy of every file that cannot be sent, and a note with the reason. Both are removed once that is over. Never watched. Relative paths start at the folder.',
    )
    .meta({ title: 'path, or none' }),
  silentAfter: silentAfter
    .optional()
    .describe(
      'When this folder counts as silent: auto, never, or a duration such as 4h without a scan, in its working hours.',
    )
    .meta({ 'x-default': '`alerts.silentAfter`' }),
});

export type ParsedFolder = z.output<typeof folderSchema>;

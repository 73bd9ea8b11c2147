import { z } from 'zod';
import { agentName } from './schemaAccounts.ts';
import { duration, path, postgresUrl, yesOrNo } from './values.ts';

/* The ledger's own section, as schema.ts has the others. */

export const ledgerSchema = z.strictObject({
  kind: z
    .enum(['sqlite', 'postgres'])
    .prefault('sqlite')
    .describe(
      'Where the ledger is: sqlite (a file in the state directory, for this agent alone) or postgres (a database that agents share; docs/fleet.md).',
    ),
  url: postgresUrl
    .prefault('none')
    .describe(
      'Address of the database, such as postgres://receiptd@db.example.com/receiptd, or none. Several hosts are separated by commas; the one that takes writes is used. The certificate of a server on another machine is checked (sslmode=verify-full), unless allowInsecure. Do not put a password here.',
    ),
  passwordFile: path
    .prefault('none')
    .describe(
      'File with the password of the user in url, readable by its owner only, or none; relative paths start at the config file.',
    )
    .meta({ title: 'path, or none' }),
  ca: path
    .prefault('none')
    .describe(
      "File with the certificate authorities to trust for the database (PEM), or none for the machine's own; relative paths start at the config file.",
    )
    .meta({ title: 'path, or none' }),
  allowInsecure: yesOrNo
    .prefault(false)
    .describe(
      'Allows sslmode=disable, allow and prefer in url to another machine, and takes require literally: encrypted, without checking the certificate. Others on the network may then read and change the ledger.',
    ),
  agent: agentName
    .optional()
    .describe('Name of this agent among those that share the ledger. It keeps it when the machine changes.')
    .meta({ title: 'short name', 'x-default': 'the host name' }),
  lease: duration('5s', '10m')
    .prefault('15s')
    .describe('How long a silent agent keeps its work in progress; then the others take it over.'),
});

export type ParsedLedger = z.output<typeof ledgerSchema>;

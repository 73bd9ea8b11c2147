import { z } from 'zod';
import { agentName } from './schemaAccounts.ts';
import { postgresUrl } from './addresses.ts';
import { duration, path, yesOrNo } from './values.ts';

/* Schema of the section `ledger`; schema.ts has the others. */

export const ledgerSchema = z.strictObject({
  kind: z
    .enum(['sqlite', 'postgres'])
    .prefault('sqlite')
    .describe(
      'Where to keep the ledger: sqlite (a file in the state directory, for this agent alone) or postgres (a database shared by several agents; see docs/fleet.md).',
    ),
  url: postgresUrl
    .prefault('none')
    .describe(
      'Address of the database, such as postgres://receiptd@db.example.com/receiptd, or none. Separate several hosts with commas; receiptd uses the one that accepts writes. The certificate of a server on another machine is verified (sslmode=verify-full) unless allowInsecure is set. Do not put a password here.',
    ),
  passwordFile: path
    .prefault('none')
    .describe(
      'File with the password of the user in url, readable only by its owner, or none. Relative paths start at the config file.',
    )
    .meta({ title: 'path, or none' }),
  ca: path
    .prefault('none')
    .describe(
      "File with the certificate authorities to trust for the database (PEM), or none to use the machine's own. Relative paths start at the config file.",
    )
    .meta({ title: 'path, or none' }),
  allowInsecure: yesOrNo
    .prefault(false)
    .describe(
      'Allows sslmode=disable, allow and prefer for a url on another machine, and makes require mean encrypted without verifying the certificate. Others on the network may then read and change the ledger.',
    ),
  agent: agentName
    .optional()
    .describe(
      'Name of this agent among those that share the ledger. Keep the name when you move to another machine.',
    )
    .meta({ title: 'short name', 'x-default': 'the host name' }),
  lease: duration('5s', '10m')
    .prefault('15s')
    .describe('How long a silent agent keeps its work in progress before the others take it over.'),
});

export type ParsedLedger = z.output<typeof ledgerSchema>;

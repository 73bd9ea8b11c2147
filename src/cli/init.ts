import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { machineDefaults } from '../wiring/machineDefaults.ts';
import { EXAMPLE_UID } from '../config/exampleUid.ts';
import { shadowedBy } from '../config/locate.ts';
import { defaultConfigText } from '../config/template.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { loadContext, print, type Io } from './io.ts';
import { outputUnwritable } from './output.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

interface InitOptions {
  readonly config?: string;
  readonly baseUrl: string;
  readonly uid: string;
  readonly folder: string;
}

export function addInit(program: Command, io: Io): void {
  const { init: help } = io.texts.help;
  program
    .command('init')
    .description(help.about)
    .option('--config <file>', help.config, 'receiptd.yaml')
    .option('--base-url <url>', help.baseUrl, 'https://service.example')
    .option('--uid <uid>', help.uid, EXAMPLE_UID)
    .option('--folder <path>', help.folder, process.platform === 'win32' ? 'C:\\Scans' : '/srv/scans')
    .explain({ examples: ['init --base-url https://service.example --folder /srv/scans'] })
    .action(async (options: InitOptions) => {
      const context = loadContext(io);
      const file = resolve(io.cwd, options.config ?? 'receiptd.yaml');
      await write(
        file,
        defaultConfigText({
          baseUrl: options.baseUrl,
          uid: options.uid,
          folder: options.folder,
          here: machineDefaults(file, context),
        }),
      );
      const { wrote, init: words } = io.texts;
      print(io, wrote(file));
      const others = await shadowedBy(file, context);
      if (others === null) print(io, words.elsewhere);
      else if (others.length > 0) print(io, words.shadows(others.map(escapeUnsafe)));
      print(io, options.uid === EXAMPLE_UID ? words.nextWithEndpoint : words.next);
    });
}

async function write(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o644);
    await handle.writeFile(text);
    await handle.close();
  } catch (error) {
    if (systemCode(error) === 'EEXIST') {
      throw new ReceiptdError('CONFIG_EXISTS', { file });
    }
    throw outputUnwritable(file, error, 'config');
  }
}

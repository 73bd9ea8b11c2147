import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { Generations } from '../../src/daemon/generations.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { composeGeneration, type Running } from '../../src/wiring/generation.ts';
import { composeProcessScope } from '../../src/wiring/processScope.ts';
import { composeSideServices } from '../../src/wiring/sideServices.ts';
import { Settings } from '../../src/wiring/settings.ts';
import { configIn, context, textIn } from '../config/support.ts';
import { ledgerThread } from '../ledger/thread/place.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { tempDir } from '../support/tempDir.ts';

export const CREDENTIALS = { clientId: 'in-process', clientSecret: 'in-process-secret' };

/** The agent in this process, with a real ledger and folder. `sections` are in every configuration, `first` only in the first one. */
export async function agentHere(sections: object, first: object = {}) {
  const dir = tempDir('agent', memoryDirectory());
  const inbox = join(dir, 'inbox');
  for (const name of ['inbox', 'state']) mkdirSync(join(dir, name));
  const folders = [{ path: inbox, recursive: true }];
  const keysOf = (keys: object): object => ({ folders, ...sections, ...keys });
  const configOf = (keys: object) => configIn(dir, keysOf(keys));
  const log = new RecordedLog();
  const { clientId, clientSecret } = CREDENTIALS;
  const lasting = await composeProcessScope(configOf(first), {
    env: { RECEIPTD_CLIENT_ID: clientId, RECEIPTD_CLIENT_SECRET: clientSecret },
    log,
    secrets: createRedactor(),
    version: 'test',
    ledgerThread: await ledgerThread(),
  });
  const { clock } = lasting;
  return {
    inbox,
    log,
    lasting,
    /** Runs until `end`; `replace` applies another configuration. */
    start: async () => {
      const compose = (config: Config) => composeGeneration(config, lasting, { once: false });
      const generations = await Generations.start<Config, Running>(configOf(first), { compose, clock, log });
      const stop = new AbortController();
      const running = generations.run(stop.signal);
      const beside: Promise<void>[] = [];
      return {
        generations,
        replace: (keys: object) => generations.replace(configOf(keys)),
        /** Starts the services beside it, as a daemon does; they end with the agent. Returns what reloads a changed file. */
        beside: async () => {
          const file = join(dir, 'receiptd.yaml');
          const write = (keys: object) => writeFile(file, textIn(dir, keysOf(keys)));
          await write(first);
          const settings = await Settings.read({
            file,
            context: context({ platform: process.platform, home: dir, cwd: dir }),
            lasting,
            replace: (config) => generations.replace(config),
            foresee: async () => [],
            unwritable: async () => [],
          });
          const lines = { recent: () => [], subscribe: () => () => {} };
          const deps = { generations, settings, lasting, lines, version: 'test', startedAt: '' };
          const services = await composeSideServices(deps, stop.signal);
          beside.push(...services.parts.map((run) => run(stop.signal)));
          return async (keys: object): Promise<void> => {
            await write(keys);
            await settings.reload();
          };
        },
        end: async (): Promise<void> => {
          stop.abort(new Error('the test is over'));
          await Promise.all(beside);
          await running;
          await generations.close();
          await lasting.ledger.close();
        },
      };
    },
  };
}

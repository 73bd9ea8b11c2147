import { copyFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { callControl } from '../../src/daemon/control/client.ts';
import type { ConfigEdit } from '../../src/daemon/control/protocol.ts';
import { jpeg } from '../support/images.ts';
import { prepare, storedOnce, until, type Running, type Site } from './support/agent.ts';

/** What an editor does: a new file in the place of the old one. */
async function replaceBy(site: Site, text: string): Promise<void> {
  await writeFile(`${site.config}~`, text);
  await rename(`${site.config}~`, site.config);
}

async function edit(site: Site, change: (text: string) => string): Promise<void> {
  await replaceBy(site, change(await readFile(site.config, 'utf8')));
}

async function ask(site: Site, edits: ConfigEdit[]) {
  const { revision } = await callControl(site.stateDir, 'config', {});
  return callControl(site.stateDir, 'changeConfig', { revision, edits, by: 'ann' });
}

function times(agent: Running, message: string): number {
  return agent.stderr.split(message).length - 1;
}

const IN_EFFECT = 'The configuration was changed and is in effect';

import { rename, writeFile } from 'node:fs/promises';
import { callControl } from '../../../src/control/client.ts';
import type { ConfigEdit } from '../../../src/control/protocol/protocol.ts';
import { drawReceipt } from '../../support/images.ts';
import type { Site } from './agent.ts';

/** Replaces the file with a new one, like an editor. */
export async function replaceBy(site: Site, text: string): Promise<void> {
  await writeFile(`${site.config}~`, text);
  await rename(`${site.config}~`, site.config);
}

/** Changes the configuration over the control socket. */
export async function changeConfig(site: Site, edits: ConfigEdit[]) {
  const { revision } = await callControl(site.stateDir, 'config', {});
  return callControl(site.stateDir, 'changeConfig', { revision, edits, by: 'ann' });
}

export async function drop(site: Site, folder: string, name: string): Promise<void> {
  await writeFile(site.file(folder, name), await drawReceipt({ type: 'jpeg', seed: `${folder} ${name}` }));
}

/** Names of the documents that the service has. */
export const stored = (site: Site) => site.sandbox.received().map(({ name }) => name);

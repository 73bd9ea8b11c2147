import type { ConfigEdit, ConfigState, Request, Response } from '../control/protocol/protocol.ts';
import type { Generations } from '../daemon/generations.ts';
import { demandEndpointRequest } from '../core/domain/endpointRequest.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Config } from '../config/config.ts';
import type { Running } from './generation.ts';
import type { Settings } from './settings.ts';

/** Stands for the uid that only the service knows. */
const PROBE = 'to-be-created';

/**
 * Creates an endpoint, records it, and adds it to the configuration, in this order, so that a later failure can't lose
 * the new endpoint. Everything that can be checked beforehand is.
 */
export async function createEndpoint(
  { name, alias, language, outgoingUrl, account, by }: Request<'createEndpoint'>,
  { settings, generations }: { settings: Settings; generations: Generations<Config, Running> },
): Promise<Response<'createEndpoint'>> {
  demandEndpointRequest({ name, language, outgoingUrl });
  const before = await settings.state();
  const { file, problem, error } = before;
  if (problem !== null)
    throw new ReceiptdError('CONFIG_INVALID.beforeCreating', {
      file,
      detail: problem,
      ...(error && { error }),
    });
  if (!before.writable) throw new ReceiptdError('CONFIG_UNWRITABLE.beforeCreating', { file });
  if (Object.hasOwn(Object(before.values['endpoints']), alias))
    throw new ReceiptdError('CONFIG_INVALID.endpointExists', { alias });
  const edit = (uid: string) => [
    { kind: 'set' as const, path: ['endpoints', alias, 'uid'], value: uid },
    ...(account === undefined
      ? []
      : [{ kind: 'set' as const, path: ['endpoints', alias, 'account'], value: account }]),
    ...namingTheOnly(before.values),
  ];
  await settings.edit(edit(PROBE), { dryRun: true });
  const created = await generations.act(async ({ service, acts }) => {
    const record = await service.createEndpoint({
      name,
      ...(outgoingUrl !== undefined && { outgoingUrl }),
      ...(language !== undefined && { dominantLanguage: language }),
      ...(account !== undefined && { account }),
    });
    const { uid, verbatim } = record;
    await acts
      .recordEndpoint({ uid, name: record.name, verbatim, by })
      .catch((error: unknown) => Promise.reject(butNot({ name, uid, alias, isRecorded: false }, error)));
    return record;
  });
  const { uid } = created;
  try {
    return { uid, name: created.name, config: await settings.edit(edit(uid), { by }) };
  } catch (error) {
    throw butNot({ name, uid, alias, isRecorded: true }, error);
  }
}

/** Names the only endpoint in folders that left it out: with a second endpoint they have to. */
function namingTheOnly({ endpoints, folders }: ConfigState['values']): ConfigEdit[] {
  const [only, ...others] = Object.keys(Object(endpoints));
  if (only === undefined || others.length > 0 || !Array.isArray(folders)) return [];
  return folders.flatMap((folder, index) =>
    Object.hasOwn(Object(folder), 'endpoint')
      ? []
      : [{ kind: 'set', path: ['folders', index, 'endpoint'], value: only }],
  );
}

/** With the code of what failed. */
function butNot(
  made: { name: string; uid: string; alias: string; isRecorded: boolean },
  error: unknown,
): Error {
  if (!(error instanceof ReceiptdError)) return error instanceof Error ? error : new Error(String(error));
  const said = new ReceiptdError('CONTROL_FAILED.endpointNotKept', { ...made, ...error.within() }).facts();
  return new ReceiptdError({ ...said, code: error.code }, { cause: error });
}

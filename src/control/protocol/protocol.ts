import type { z } from 'zod';
import { ACTS } from './acts.ts';
import { ALERTS } from './alerts.ts';
import { AUDIT } from './audit.ts';
import { CONSOLE } from './console.ts';
import { DOCUMENTS } from './documents.ts';
import { FACETS } from './facets.ts';
import { FLEET } from './fleet.ts';
import { MANY } from './many.ts';
import { OVERVIEW } from './overview.ts';
import { RESULTS } from './results.ts';
import { SENDING } from './sending.ts';
import { SETTINGS } from './settings.ts';
import { SETUP } from './setup.ts';
import type { errorBody } from './shapes.ts';
import { STATUS } from './status.ts';

export { errorBody } from './shapes.ts';
export { FOLDER_STATES } from './status.ts';
export type { ConfigEdit, ConfigState, SettingFinding } from './settings.ts';
export type { FolderStatus, IncidentStatus, SpoolStatus, StatusResponse } from './status.ts';

/*
 * Operations of the running agent: `POST /v1/<operation>` with a JSON object, answered with a JSON object, over the
 * control socket (command line) and over HTTP (console). Both sides validate what they receive, because the other side
 * may be a different version. docs/openapi.json is generated from this.
 */
const ALL = {
  ...STATUS,
  ...OVERVIEW,
  ...FLEET,
  ...DOCUMENTS,
  ...FACETS,
  ...RESULTS,
  ...ACTS,
  ...MANY,
  ...AUDIT,
  ...SENDING,
  ...SETTINGS,
  ...CONSOLE,
  ...ALERTS,
  ...SETUP,
};

export type Exchanges = {
  [O in keyof typeof ALL]: {
    request: z.infer<(typeof ALL)[O]['request']>;
    response: z.infer<(typeof ALL)[O]['response']>;
  };
};

export type Operation = keyof Exchanges;
export type Request<O extends Operation> = Exchanges[O]['request'];
export type Response<O extends Operation> = Exchanges[O]['response'];

export type Protocol = {
  readonly [O in Operation]: {
    /** One sentence. */
    readonly says: string;
    readonly request: z.ZodType<Request<O>>;
    readonly response: z.ZodType<Response<O>>;
  };
};

export const PROTOCOL: Protocol = ALL;

/** Operations that change documents and holds, and that also work without a running agent. */
export type ActName = keyof typeof ACTS;

/** Implementation of each operation. A ReceiptdError reaches the caller unchanged; details of other errors are only logged. */
export type Operations = {
  readonly [O in Operation]: (request: Request<O>, gone?: AbortSignal) => Promise<Response<O>>;
};

export type ErrorBody = z.infer<typeof errorBody>;

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(PROTOCOL, name);
}

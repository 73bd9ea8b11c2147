import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { createCredentialsSource, createWritableCredentials } from './credentials/source.ts';
import { Agent } from './daemon/agent.ts';
import type { StatusResponse } from './daemon/control/protocol.ts';
import { Operations } from './daemon/operations.ts';
import { systemClock } from './daemon/systemClock.ts';
import { endpointId } from './domain/document.ts';
import { MEDIA_TYPES } from './domain/imageType.ts';
import { createImageInspector } from './image/inspect.ts';
import { createFolderHints } from './intake/folder/hints.ts';
import { createWatchedFolder } from './intake/folder/watchedFolder.ts';
import { openSqliteLedger, openSqliteReports } from './ledger/sqlite/open.ts';
import { ByteBudget } from './pipeline/byteBudget.ts';
import { Dispatcher } from './pipeline/dispatch.ts';
import { Hand } from './pipeline/hand.ts';
import { Holds } from './pipeline/holds.ts';
import { Intake } from './pipeline/intake.ts';
import type { OpenFolder } from './pipeline/originals.ts';
import { Pacer } from './pipeline/pacer.ts';
import { Recorder } from './pipeline/record.ts';
import { recover } from './pipeline/recover.ts';
import type { CredentialsSource, WritableCredentials } from './ports/credentials.ts';
import type { Ledger } from './ports/ledger.ts';
import type { Log } from './ports/log.ts';
import type { ReceiptService, TokenSource } from './ports/service.ts';
import type { Redactor } from './telemetry/redact.ts';

/** Images in hand between admission and upload, images being read, and images being sent. Bytes. */
const HAND_BYTES = 16 * 1024 * 1024;
const READING_BYTES = 32 * 1024 * 1024;
const SENDING_BYTES = 32 * 1024 * 1024;

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly secrets: Redactor;
}

export interface Composed {
  readonly agent: Agent;
  readonly operations: Operations;
  readonly ledger: Ledger;
  readonly status: () => Pick<StatusResponse, 'folders' | 'inFlight'>;
  readonly close: () => Promise<void>;
}

export function ledgerPath(config: Config): string {
  return join(config.stateDir, 'ledger.db');
}

export function openReports(config: Config) {
  return openSqliteReports({ path: ledgerPath(config) });
}

export function openLedger(config: Config): Promise<Ledger> {
  return openSqliteLedger({ path: ledgerPath(config), clock: systemClock });
}

export const composeInspector = createImageInspector;
export const clock = systemClock;

/**
 * The client of the configured service. Every secret it handles is taken out of all output. Loaded when it is
 * wanted: `receiptd list` has no use for an HTTP client, and starts sooner without it.
 */
export async function composeService(
  config: Config,
  { env, log, secrets }: Surroundings,
): Promise<{ service: ReceiptService; tokens: TokenSource; credentials: CredentialsSource }> {
  const { createReceiptService } = await import('./service/receiptService.ts');
  const { baseUrl, timeouts } = config.service;
  const source = createCredentialsSource({ ...config.credentials, baseUrl, env });
  const credentials: CredentialsSource = {
    async get(signal) {
      const found = await source.get(signal);
      secrets.addSecret(found.clientSecret);
      return found;
    },
  };
  const connections = config.delivery.limits.concurrency;
  const { service, tokens } = createReceiptService({
    baseUrl,
    timeouts,
    connections,
    credentials,
    clock: systemClock,
    log,
    redact: (text) => secrets.redact(text),
  });
  const redactedTokens: TokenSource = {
    refused: (token) => tokens.refused(token),
    async token(signal) {
      const token = await tokens.token(signal);
      secrets.addSecret(token);
      return token;
    },
  };
  return { service, tokens: redactedTokens, credentials };
}

/** Where `login` and `logout` keep the credentials for the configured service. */
export function composeWritableCredentials(
  store: 'keychain' | 'file',
  { credentials, service: { baseUrl } }: Config,
  env: NodeJS.ProcessEnv,
): WritableCredentials {
  return createWritableCredentials(store, { ...credentials, baseUrl, env });
}

/** Opens any folder: a configured one with its patterns, another (a former one, an archive) for reading. */
export function composeFolders(config: Config): OpenFolder {
  const exclude = [config.stateDir, ...config.folders.map(({ archiveTo }) => archiveTo)];
  return (path) => {
    const settings = config.folders.find((folder) => folder.path === path);
    return createWatchedFolder({
      path,
      recursive: settings?.recursive ?? false,
      include: settings?.include ?? [],
      ignore: settings?.ignore ?? [],
      exclude,
      archiveTo: settings?.archiveTo ?? join(path, 'archive'),
      random: Math.random,
    });
  };
}

/** What changes documents and holds, on a ledger that no daemon has open. */
export async function composeOperations(
  config: Config,
  log: Log,
): Promise<{ operations: Operations; close: () => Promise<void> }> {
  const ledger = await openLedger(config);
  const holds = new Holds({ ledger, clock: systemClock, random: Math.random, log });
  await holds.restore();
  const operations = operationsOf(config, ledger, holds, async () => {});
  return { operations, close: () => ledger.close() };
}

/** The whole agent. The caller holds the instance lock of the state directory. */
export async function composeAgent(
  config: Config,
  { once }: { once: boolean },
  surroundings: Surroundings,
): Promise<Composed> {
  const { log } = surroundings;
  const clock = systemClock;
  const random = Math.random;
  const ledger = await openLedger(config);
  try {
    const { service, tokens } = await composeService(config, surroundings);
    const holds = new Holds({ ledger, clock, random, log });
    await recover({ ledger, holds, clock, log });
    const endpoints = usedEndpoints(config);
    const overall = config.delivery.limits;
    const pacer = await Pacer.create({ clock, ledger, overall, endpoints });
    const hand = new Hand(HAND_BYTES);
    // Two, so that uploads which hang keep no scan from being named and recorded (promise P4).
    const reading = new ByteBudget(READING_BYTES);
    const sending = new ByteBudget(SENDING_BYTES);
    const open = composeFolders(config);
    const hints = createFolderHints({
      exclude: [config.stateDir, ...config.folders.map(({ archiveTo }) => archiveTo)],
    });
    const inspector = createImageInspector();
    const intakeOf = (path: string) => intakes.find((intake) => intake.status.path === path);

    const { parkAfter } = config.delivery;
    const onAccepted = ({ folder }: { folder: string }) => intakeOf(folder)?.disposeSoon();
    const recorder = new Recorder({ ledger, holds, clock, random, log, parkAfter, onAccepted });
    const { uploadContentType } = config.service;
    const dispatcher = new Dispatcher({
      ledger,
      endpoints,
      concurrency: overall.concurrency,
      pacer,
      holds,
      clock,
      log,
      deliver: {
        ledger,
        service,
        tokens,
        hand,
        memory: sending,
        open,
        recorder,
        clock,
        contentType: (type) => (uploadContentType === 'auto' ? MEDIA_TYPES[type] : uploadContentType),
        onMissing: (folder) => intakeOf(folder)?.relistSoon(),
      },
    });
    const intakes: Intake[] = config.folders.map(
      (folder) =>
        new Intake({
          folder: open(folder.path),
          settings: once ? atRest(folder) : folder,
          ledger,
          inspector,
          clock,
          log,
          host: hostname(),
          hand,
          memory: reading,
          hints,
          reconcileEveryMs: config.intake.reconcileEveryMs,
          confirmAbove: config.intake.confirmAbove,
          onAdmitted: ({ kind }) => {
            if (kind === 'queued' || kind === 'requeued') dispatcher.wake();
            else intakeOf(folder.path)?.disposeSoon();
          },
        }),
    );
    await warnOfOrphans(config, ledger, log);
    const agent = new Agent({
      ledger,
      intakes,
      dispatcher,
      endpoints,
      clock,
      log,
      graceMs: config.delivery.graceMs,
    });
    return {
      agent,
      ledger,
      operations: operationsOf(config, ledger, holds, () => dispatcher.forgetClaims()),
      status: () => ({
        inFlight: dispatcher.inFlight,
        folders: intakes.map(({ status }, index) => ({
          ...status,
          state: holds.isPaused('folder', status.path) ? ('paused' as const) : status.state,
          endpoint: config.folders[index]?.alias ?? '',
          lastListing: status.lastListing === null ? null : new Date(status.lastListing).toISOString(),
        })),
      }),
      async close() {
        await service.close();
        await ledger.close();
      },
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** Nobody waits for a scanner in a run that ends by itself: what lies still and is incomplete is reported as such. */
function atRest<T extends Config['folders'][number]>(folder: T): T {
  const { shortMs, longMs, patienceMs } = folder.settle;
  return { ...folder, settle: { shortMs, longMs, patienceMs: Math.min(longMs, patienceMs) } };
}

function operationsOf(
  config: Config,
  ledger: Ledger,
  holds: Holds,
  changed: () => Promise<void>,
): Operations {
  return new Operations({
    ledger,
    holds,
    baseUrl: config.service.baseUrl,
    endpoints: config.endpoints,
    folders: config.folders.map(({ path }) => path),
    open: composeFolders(config),
    clock: systemClock,
    changed,
  });
}

/** Two aliases of one endpoint are one endpoint with one set of limits; the configuration sees to that. */
function usedEndpoints(config: Config): Config['endpoints'] {
  const byId = new Map(config.endpoints.map((endpoint) => [endpointId(endpoint.key), endpoint]));
  return [...byId.values()];
}

async function warnOfOrphans(config: Config, ledger: Ledger, log: Log): Promise<void> {
  const configured = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  for (const { endpoint, state, count, folder } of await ledger.counts()) {
    if (endpoint && !configured.has(endpointId(endpoint)) && (state === 'queued' || state === 'held')) {
      const fields = { endpoint: endpointId(endpoint), folder, waiting: count };
      log.error('Documents wait for an endpoint that is no longer in the configuration', fields);
    }
  }
}

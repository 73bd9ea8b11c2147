import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { failure, type Finding } from '../core/domain/finding.ts';
import type { Config } from '../config/config.ts';
import { PasswordFile } from '../console/server/password.ts';
import { callControl } from '../control/client.ts';
import { readPair, type PairFiles } from '../http/certificate.ts';
import {
  closeServer,
  CONSOLE_LISTENER,
  demandCertificate,
  demandPassword,
  listenOn,
  literal,
  MONITORING_LISTENER,
  RESULTS_LISTENER,
  type Listener,
  type TlsListener,
} from '../http/listen.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

interface ListenerCheck {
  readonly listener: Listener;
  /** Null if it does not listen at startup. */
  readonly address: { readonly host: string; readonly port: number } | null;
  readonly tls: PairFiles | null;
}

const ANSWER_MS = 5_000;

/** Checks that console, metrics and results are allowed to listen, and can. */
export async function checkListeners(config: Config): Promise<Finding[]> {
  const { console, results, monitoring, stateDir } = config;
  const all: ListenerCheck[] = [
    {
      listener: CONSOLE_LISTENER,
      address: typeof console.listen === 'string' ? null : console.listen,
      tls: console.tls,
    },
    { listener: RESULTS_LISTENER, address: results.listen, tls: results.tls },
    { listener: MONITORING_LISTENER, address: monitoring.listen, tls: null },
  ];
  const findings: Finding[] = [];
  for (const wanted of all) {
    if (wanted.tls !== null && wanted.listener.section !== 'monitoring')
      findings.push(await checkCertificate(wanted.tls, wanted.listener));
    if (wanted.address !== null) findings.push(await checkAddress(wanted, wanted.address, stateDir));
  }
  return findings;
}

async function checkCertificate(tls: PairFiles, listener: TlsListener): Promise<Finding> {
  const subject = `${listener.section}.tls`;
  try {
    const until = new Date((await readPair(tls, listener)).expiresAt).toISOString().slice(0, 10);
    return { level: 'ok', subject, fact: { is: 'certificate', until } };
  } catch (error) {
    return failure(subject, error);
  }
}

/** Tries to listen on the address for a moment, as the agent would. */
async function checkAddress(
  { listener, tls }: ListenerCheck,
  address: NonNullable<ListenerCheck['address']>,
  stateDir: string,
): Promise<Finding> {
  const subject = `${listener.section}.listen`;
  const shown = `${literal(address.host)}:${address.port}`;
  const server = createServer();
  try {
    if (listener.section !== 'monitoring') demandCertificate(address, tls, listener);
    if (listener === CONSOLE_LISTENER) await demandPassword(address, new PasswordFile(stateDir));
    await listenOn(server, address, listener);
    return { level: 'ok', subject, fact: { is: 'portFree', address: shown } };
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'PORT_IN_USE') return failure(subject, error);
    const whose = await agentSays(stateDir, error);
    if (whose === 'others') return failure(subject, error);
    if (whose === 'own') return { level: 'ok', subject, fact: { is: 'portOurs', address: shown } };
    return { level: 'warn', subject, fact: { is: 'portUnclear', address: shown, ...whose.within() } };
  } finally {
    await closeServer(server);
  }
}

/** Asks the running agent: it has an incident if it could not listen, otherwise it occupies the address itself. */
async function agentSays(
  stateDir: string,
  { key, params }: ReceiptdError,
): Promise<'own' | 'others' | ReceiptdError> {
  try {
    const { incidents } = await callControl(stateDir, 'status', {}, { timeoutMs: ANSWER_MS });
    const trouble = { key, params };
    return incidents.some((each) => isDeepStrictEqual(each.params['error'], trouble)) ? 'others' : 'own';
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    return error.code === 'NOT_RUNNING' ? 'others' : error;
  }
}

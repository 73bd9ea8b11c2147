import { ReceiptdError } from '../../core/domain/errors.ts';
import { joined, says } from '../../core/domain/setupWords.ts';
import { ENDPOINT_UID, SANDBOX_CREDENTIALS, startPractice } from '../sandbox.ts';
import { sentence, tidyBaseUrl, wrongBaseUrl, wrongTransport } from './checks.ts';
import { withService } from '../serviceClient.ts';
import { portOwner } from './portOwner.ts';
import { plan, provisional } from './plan.ts';
import type { Talk } from './talk.ts';
import { ANSWERS } from './answers.ts';

/** The service that receipts go to. */
export interface ServiceAnswer {
  readonly baseUrl: string;
  /** The built-in practice service; null for a real one. */
  readonly practice: Practice | null;
}

export interface Practice {
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  readonly endpointUid: string;
  readonly port: number;
}

const PRACTICE_MS = 3000;

/** The service's address, as given or from the config file; null if it has to be asked for. */
export function knownBaseUrl({ given, found: { before } }: Pick<Talk, 'given' | 'found'>): string | null {
  return given.baseUrl ?? (before === null || before.isExample ? null : before.config.service.baseUrl);
}

function mayBePlain({ found: { before } }: Talk): boolean {
  return before?.config.service.allowInsecureHttp === true;
}

/** Checks an address given beforehand. @throws ReceiptdError HTTPS_REQUIRED */
export function demandTransport(talk: Talk): void {
  const { baseUrl } = talk.given;
  if (baseUrl === undefined || wrongTransport(baseUrl, mayBePlain(talk)) === null) return;
  throw new ReceiptdError('HTTPS_REQUIRED.baseUrlOption', { baseUrl });
}

export async function serviceStep(talk: Talk): Promise<ServiceAnswer> {
  const { given, ask } = talk;
  if (given.sandbox) return practise(talk);
  if (given.baseUrl !== undefined) return { baseUrl: given.baseUrl, practice: null };
  const known = knownBaseUrl(talk);
  if (ask === null) return { baseUrl: known ?? '', practice: null };
  if (known === null) {
    const choice = await ask.choose(says('service.which'), [
      { label: says('service.ours'), value: 'service' as const },
      {
        label: says('service.practice'),
        value: 'practice' as const,
        about: says('service.practiceAbout'),
      },
    ]);
    if (choice === 'practice') return practise(talk);
  }
  const answer = await ask.text(says('service.address'), {
    otherwise: known ?? undefined,
    wrong: (text) =>
      sentence(wrongBaseUrl)(text) ?? sentence((its) => wrongTransport(its, mayBePlain(talk)))(text),
  });
  return { baseUrl: tidyBaseUrl(answer), practice: null };
}

async function practise(talk: Talk): Promise<ServiceAnswer> {
  const { given, found, say, once } = talk;
  const { before, place } = found;
  if (
    before !== null &&
    !before.isExample &&
    new URL(before.config.service.baseUrl).hostname !== '127.0.0.1'
  ) {
    throw new ReceiptdError('USAGE.practiceReplaces', {
      file: place.file,
      baseUrl: before.config.service.baseUrl,
    });
  }
  const practice = { credentials: SANDBOX_CREDENTIALS, endpointUid: ENDPOINT_UID };
  try {
    const sandbox = await once(
      'practice',
      () => startPractice(given.sandboxPort),
      (started) => started.close(),
    );
    const port = Number(new URL(sandbox.url).port);
    say(says('service.listens', { url: sandbox.url, dir: sandbox.dir }));
    return { baseUrl: sandbox.url, practice: { ...practice, port } };
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'PORT_IN_USE') throw error;
    const baseUrl = `http://127.0.0.1:${given.sandboxPort}`;
    if (!(await isPractice(talk, baseUrl))) {
      const port = given.sandboxPort;
      throw new ReceiptdError(
        'PORT_IN_USE.sandbox',
        { port, host: '127.0.0.1', option: ANSWERS.sandboxPort.flag },
        { cause: error },
      );
    }
    const owner = await portOwner(given.sandboxPort);
    // That user could read the receipts.
    if (owner !== null && owner.uid !== process.geteuid?.())
      throw new ReceiptdError('PORT_IN_USE.othersPractice', { baseUrl, name: owner.name }, { cause: error });
    const whose = owner === null ? [says('service.ownerUnknown')] : [];
    say(joined(says('service.runs', { url: baseUrl }), ...whose));
    return { baseUrl, practice: { ...practice, port: given.sandboxPort } };
  }
}

/** Whether the listener is `receiptd sandbox`, started in another terminal. */
async function isPractice({ io, found }: Talk, baseUrl: string): Promise<boolean> {
  const { config } = plan(found, provisional(found, { baseUrl, isPractice: true }));
  // The sandbox answers at once; another program may accept the connection and never answer.
  const limit = AbortSignal.timeout(PRACTICE_MS);
  const signal = AbortSignal.any([io.stop, limit]);
  try {
    const given = { given: SANDBOX_CREDENTIALS, level: 'error' } as const;
    await withService(io, config, given, ({ service }) => service.whoami(signal));
    return true;
  } catch (error) {
    if (error instanceof ReceiptdError || limit.aborted) return false;
    throw error;
  }
}

import { join } from 'node:path';
import { rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { choice, type Command } from './command.ts';
import { ReceiptdError, saidBy, systemCode } from '../core/domain/errors.ts';
import {
  isFaultRule,
  startSandbox,
  type FaultRule,
  type RequestEvent,
  type Sandbox,
  type ResultsPlan,
} from '../sandbox/server.ts';
import { print, type Io } from './io.ts';
import type { CliTexts } from '../texts/cli.ts';
import { numberOf } from './optionValues.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { makeDirectory } from '../system/makeDirectory.ts';

interface SandboxCommandOptions {
  readonly port: string;
  readonly host: string;
  readonly dir: string;
  readonly endpointUid: string;
  readonly clientId: string;
  readonly clientSecretEnv: string;
  readonly tokenLifetime: string;
  readonly quota?: string;
  readonly plan: boolean;
  readonly onRepeat: 'accept' | 'conflict';
  readonly outgoingUrl?: string;
  readonly results?: string;
  readonly resultsAfter: string;
  readonly fault: string[];
  readonly json?: boolean;
}

export const ENDPOINT_UID = '11111111-1111-4111-8111-111111111111';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function addSandbox(program: Command, io: Io): void {
  const { sandbox: help } = io.texts.help;
  program
    .command('sandbox')
    .description(help.about)
    .option('--port <port>', help.port, '8470')
    .option('--host <address>', help.host, '127.0.0.1')
    .option('--dir <dir>', help.dir, defaultDir())
    .option('--endpoint-uid <uid>', help.endpointUid, ENDPOINT_UID)
    .option('--client-id <id>', help.clientId, SANDBOX_CREDENTIALS.clientId)
    .option('--client-secret-env <name>', help.clientSecretEnv, 'RECEIPTD_CLIENT_SECRET')
    .option('--token-lifetime <seconds>', help.tokenLifetime, '86400')
    .option('--quota <n>', help.quota)
    .option('--no-plan', help.noPlan)
    .addOption(choice('--on-repeat <what>', help.onRepeat, ['accept', 'conflict']).default('accept'))
    .option('--outgoing-url <url>', help.outgoingUrl)
    .option('--results <statuses>', help.results)
    .option('--results-after <ms>', help.resultsAfter, '2000')
    .option('--fault <rule>', help.fault, (rule: string, all: string[]) => [...all, rule], [])
    .option('--json', help.json)
    .explain({
      more: help.more,
      examples: [
        'sandbox --fault status=503*5',
        'sandbox --fault delay=200 --fault lost@0.1',
        'sandbox --token-lifetime 60 --quota 100',
      ],
    })
    .action((options: SandboxCommandOptions) => run(io, options));
}

export const SANDBOX_CREDENTIALS = { clientId: 'sandbox', clientSecret: 'sandbox-secret' };

function defaultDir(): string {
  return join(tmpdir(), `receiptd-sandbox-${process.getuid?.() ?? 'here'}`);
}

/**
 * Starts `receiptd sandbox` with default options in this process; port 0 picks a free one.
 * @throws ReceiptdError PORT_IN_USE
 */
export function startPractice(port: number): Promise<Sandbox> {
  const options = { port: String(port), host: '127.0.0.1', dir: defaultDir(), endpointUid: ENDPOINT_UID };
  const asByDefault = {
    tokenLifetime: '86400',
    plan: true,
    onRepeat: 'accept',
    resultsAfter: '2000',
  } as const;
  return start({ ...options, ...asByDefault }, SANDBOX_CREDENTIALS, () => {});
}

async function run(io: Io, options: SandboxCommandOptions): Promise<void> {
  const rules = options.fault.map(ruleOf);
  const given = io.env[options.clientSecretEnv];
  // The built-in secret may be printed; a given one may not.
  const { sandbox: words } = io.texts;
  const secret = given
    ? words.secretIn(options.clientSecretEnv)
    : `RECEIPTD_CLIENT_SECRET=${SANDBOX_CREDENTIALS.clientSecret}`;
  const credentials = {
    clientId: options.clientId,
    clientSecret: given || SANDBOX_CREDENTIALS.clientSecret,
  };
  const sandbox = await start(options, credentials, (event) => {
    if (!options.json) print(io, lineOf(event, words));
  });
  sandbox.misbehave(...rules);
  if (options.json) {
    print(io, JSON.stringify({ url: sandbox.url, ...credentials, endpointUid: options.endpointUid }));
  } else {
    print(io, words.listens(sandbox.url, sandbox.dir));
    print(io, `  ${words.uid(options.endpointUid)}`);
    print(io, `  ${words.credentials(credentials.clientId, secret)}`);
    print(io, `  ${words.stop}`);
  }
  if (!io.stop.aborted)
    await new Promise((resolve) => io.stop.addEventListener('abort', resolve, { once: true }));
  await sandbox.close();
}

async function start(
  options: Omit<SandboxCommandOptions, 'clientId' | 'clientSecretEnv' | 'fault' | 'json'>,
  credentials: { clientId: string; clientSecret: string },
  onRequest: (event: RequestEvent) => void,
): Promise<Sandbox> {
  const port = numberOf('--port', options.port, 0, 65_535);
  if (!UUID.test(options.endpointUid)) {
    throw new ReceiptdError('USAGE.sandboxUid', { given: options.endpointUid, example: ENDPOINT_UID });
  }
  const quota = options.quota === undefined ? null : numberOf('--quota', options.quota);
  let made: string | undefined;
  try {
    made = await makeDirectory(options.dir, 0o700);
    return await startSandbox({
      port,
      host: options.host,
      dir: options.dir,
      credentials,
      tokenLifetimeSeconds: numberOf('--token-lifetime', options.tokenLifetime),
      plan: { enabled: options.plan, quota },
      endpoints: [
        {
          uid: options.endpointUid,
          name: 'Sandbox',
          ...(options.outgoingUrl !== undefined && { outgoingUrl: options.outgoingUrl }),
        },
      ],
      results: resultsOf(options),
      onRepeat: options.onRepeat,
      onRequest,
    });
  } catch (error) {
    if (made !== undefined) await rmdir(options.dir).catch(() => {});
    const code = systemCode(error);
    if (code === 'EADDRINUSE') {
      throw new ReceiptdError('PORT_IN_USE.sandbox', { port, host: options.host, option: '--port' });
    }
    if (code === undefined) throw error;
    throw new ReceiptdError('USAGE.sandboxNotStarted', { ...saidBy(error) });
  }
}

function resultsOf({
  results,
  resultsAfter,
}: Pick<SandboxCommandOptions, 'results' | 'resultsAfter'>): ResultsPlan | null {
  if (results === undefined) return null;
  const statuses = results.split(',').filter((status) => status !== '');
  return { statuses, afterMs: numberOf('--results-after', resultsAfter) };
}

/** Parses `status=503*5`, `lost@0.1`, or JSON; refuses invalid rules before the sandbox starts. */
export function ruleOf(text: string): FaultRule {
  const rule = readRule(text);
  if (isFaultRule(rule)) return rule;
  throw badRule(text);
}

function readRule(text: string): FaultRule {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as FaultRule;
    } catch {
      throw badRule(text);
    }
  }
  const [, kind = '', value, times, probability] =
    /^([a-z]+)(?:=(\d+))?(?:\*(\d+))?(?:@([\d.]+))?$/.exec(text) ?? [];
  const scope = {
    ...(times !== undefined && { times: Number(times) }),
    ...(probability !== undefined && { probability: Number(probability) }),
  };
  const needed = value === undefined ? NaN : Number(value);
  if (kind === 'delay' && value !== undefined) return { kind, delayMs: needed, ...scope };
  if (kind === 'status' && value !== undefined) return { kind, status: needed, ...scope };
  if (value !== undefined) throw badRule(text);
  switch (kind) {
    case 'cut':
      return { kind, at: 'midBody', ...scope };
    case 'lost':
      return { kind: 'lostAnswer', ...scope };
    case 'stall':
    case 'html':
    case 'redirect':
      return { kind, ...scope };
    case 'truncated':
      return { kind: 'truncatedJson', ...scope };
    default:
      throw badRule(text);
  }
}

function badRule(text: string): ReceiptdError {
  return new ReceiptdError('USAGE.notFaultRule', { text });
}

function lineOf(
  { method, path, route, name, ending, tookMs, fault }: RequestEvent,
  words: CliTexts['sandbox'],
): string {
  const said = [
    fault === null ? '' : words.fault(fault),
    name === null ? '' : words.name(escapeUnsafe(name)),
  ];
  return [
    `${method} ${route === 'upload' ? words.upload : escapeUnsafe(path)}`,
    JSON.stringify(ending),
    `${Math.round(tookMs)} ms`,
    ...said,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

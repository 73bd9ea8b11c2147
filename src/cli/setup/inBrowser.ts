import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../config/load.ts';
import type { Operations } from '../../control/protocol/protocol.ts';
import { callControl } from '../../control/client.ts';
import { serveSetup, type SetupServer } from '../../console/server/setup.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { plain, says, saysError } from '../../core/domain/setupWords.ts';
import { createRedactor } from '../../logs/redact.ts';
import { systemClock } from '../../system/systemClock.ts';
import { showLink } from '../browser.ts';
import { EXIT, type ExitStatus } from '../exitStatus.ts';
import { loadContext, print, type Io } from '../io.ts';
import { agentAnswers } from '../session.ts';
import { BrowserTalk, Restarted } from './browserTalk.ts';
import type { Conversation } from './conversation.ts';
import { directoriesIn, type Looker } from './directories.ts';
import type { SetupOptions } from './given.ts';
import { SetupEnded } from './prompts.ts';
import { logTexts } from '../../texts/en/log.ts';
import { speakerOf } from '../language.ts';

/** The console's files, installed beside the program. */
const STATICS = new URL('./console/', import.meta.url);
const AGENT_MS = 30_000;
const EVERY_MS = 100;

/**
 * Setup in the browser: the same questions on a page of the console, opened by a single-use link. At the end, the agent runs
 * as a service or in this process, and the page leads to its console.
 */
export async function setupInBrowser(
  io: Io,
  options: SetupOptions,
  converse: (conversation: Conversation) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  if (options.yes === true || options.nonInteractive === true || options.json === true)
    throw new ReceiptdError('USAGE.browserAsks');
  const left = new AbortController();
  const talk = new BrowserTalk(AbortSignal.any([io.stop, left.signal]));
  const { createLog } = await import('../../logs/log.ts');
  const log = await createLog({
    texts: logTexts,
    level: 'warn',
    terminal: io.stderr,
    isTerminal: false,
    color: false,
    secrets: createRedactor(),
  });
  const operations = operationsOf(talk, { context: loadContext(io), serviceUser: serviceUserOf(options) });
  const server = await serveSetup({ operations, statics: STATICS, clock: systemClock, log });
  server.unused.addEventListener('abort', () => left.abort());
  let page: string | null = null;
  try {
    print(io, server.link);
    if (options.open !== false) page = await showLink(io, null, server.link);
    const status = await untilAgreed(io, talk, server, converse);
    if (server.unused.aborted) io.stderr.write(`${io.texts.console.unused}\n`);
    return status;
  } finally {
    await server.close();
    await log.close();
    if (page !== null) await rm(dirname(page), { recursive: true, force: true });
  }
}

function serviceUserOf({ serviceUser }: SetupOptions): string | undefined {
  return typeof serviceUser === 'string' ? serviceUser : undefined;
}

/** Listing directories may switch the user of the whole process, so operations run one at a time. */
function operationsOf(talk: BrowserTalk, looker: Looker): Partial<Operations> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const its = last.then(work);
    last = its.catch(() => {});
    return its;
  };
  return {
    ...talk.operations,
    answerSetup: (request) => inTurn(() => talk.operations.answerSetup(request)),
    backInSetup: (request) => inTurn(() => talk.operations.backInSetup(request)),
    restartSetup: (request) => inTurn(() => talk.operations.restartSetup(request)),
    directories: ({ path }) =>
      inTurn(async () => {
        if (talk.asksForFolder) return directoriesIn(path, looker);
        throw new ReceiptdError('CONSOLE_REFUSED.foldersUnasked');
      }),
  };
}

/** Starts over from the first question after a refusal or an error. */
async function untilAgreed(
  io: Io,
  talk: BrowserTalk,
  server: SetupServer,
  converse: (conversation: Conversation) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  for (;;) {
    talk.begin();
    let why = plain('');
    try {
      const status = await converse({
        ask: talk.prompts,
        say: talk.say,
        wayOut: says('greet.page'),
        tellEnd: (said) => {
          why = said;
        },
        goOn: async ({ found }, _, { installed }) => {
          const { file } = found.place;
          await atWork(io, talk, { file, mayRunHere: installed === null, told: () => server.close() });
        },
      });
      if (status === EXIT.ok) return status;
    } catch (error) {
      if (error instanceof Restarted) continue;
      if (!(error instanceof ReceiptdError)) throw error;
      why = saysError(error);
    }
    try {
      await talk.failed(why);
    } catch (error) {
      if (!(error instanceof SetupEnded)) throw error;
      io.stderr.write(`${(await speakerOf(io))(why)}\n`);
      return EXIT.interrupted;
    }
  }
}

/** Makes sure that an agent runs: the service, one that was already running, or one in this process until this resolves. */
async function atWork(
  io: Io,
  talk: BrowserTalk,
  {
    file,
    mayRunHere,
    told,
  }: { readonly file: string; readonly mayRunHere: boolean; readonly told: () => Promise<void> },
): Promise<void> {
  const config = await loadConfig(file, loadContext(io));
  const isHere = mayRunHere && !(await agentAnswers(config));
  let running: Promise<unknown> | null = null;
  if (isHere) {
    const { runAgent } = await import('../runAgent.ts');
    running = runAgent(io, config, { once: false, yes: true, verbose: false, waitMs: 0 });
    running.catch(() => {});
  }
  const link = await Promise.race([consoleOf(io, config.stateDir), ...(running === null ? [] : [running])]);
  const where = says(isHere ? 'end.here' : 'end.background');
  // If the agent ends by itself, don't wait for the page.
  await Promise.race([
    talk.done(where, typeof link === 'string' ? link : null),
    ...(running === null ? [] : [running]),
  ]);
  await told();
  await running;
}

/** A link to the agent's console once it answers; null if it has none. */
async function consoleOf(io: Io, stateDir: string): Promise<string | null> {
  const latest = performance.now() + AGENT_MS;
  for (;;) {
    try {
      return (await callControl(stateDir, 'openConsole', {}, { signal: io.stop })).url;
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      const isStarting = error.code === 'NOT_RUNNING' || error.code === 'ALREADY_RUNNING';
      if (!isStarting || performance.now() > latest || io.stop.aborted) return null;
      await sleep(EVERY_MS, undefined, { signal: io.stop }).catch(() => {});
    }
  }
}

import { placeForConfig } from '../../config/locate.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isLoopback } from '../../core/domain/loopback.ts';
import { counted } from '../../core/domain/words.ts';
import { canAsk } from '../ask.ts';
import { EXIT, type ExitStatus } from '../exitStatus.ts';
import { loadContext, print, printJson, type Io } from '../io.ts';
import { printable } from '../printable.ts';
import { hostOf, managerOf } from '../serviceHost.ts';
import { apply, type Done } from './apply.ts';
import type { Conversation } from './conversation.ts';
import { givenAnswers, type SetupOptions } from './given.ts';
import { refuseMissing } from './missing.ts';
import { managerHere } from './install.ts';
import { plan, readFound, TO_BE_CREATED, type Found } from './plan.ts';
import { leavesPractice } from './practiceState.ts';
import { createPrompts, Ended } from './prompts.ts';
import { linesOf, reroutedBy } from './rerouted.ts';
import { askAll, provisionalConfig, wantedOf, type Answers } from './steps.ts';
import { demandTransport } from './service.ts';
import { sayOn, type Talk } from './talk.ts';

export async function runSetup(io: Io, options: SetupOptions): Promise<ExitStatus> {
  if (options.browser === true) {
    const { setupInBrowser } = await import('./inBrowser.ts');
    return setupInBrowser(io, options, (conversation) => converse(io, options, conversation));
  }
  const isUnattended = options.yes === true || options.nonInteractive === true;
  const asks = !isUnattended && canAsk(io);
  const say = asks ? sayOn(io) : () => {};
  return converse(io, options, {
    ask: asks ? await createPrompts(io) : null,
    say,
    wayOut: 'Ctrl-C ends it at any time.',
    // Also where nobody is asked: a program that ends has to say how far it came.
    tellEnd: asks ? say : (text) => void io.stderr.write(`${text}\n`),
    goOn: async (talk, answers, done) => farewell(io, talk, answers, done),
  });
}

/*
 * Set-up:
 *
 *   asking ──all answered, and agreed to──▶ applying ──▶ done
 *     │  nothing is changed                   │  each part whole or not at all
 *     └──Ctrl-C──▶ ended, nothing changed     └──Ctrl-C──▶ ended; says what is done by then
 */
async function converse(
  io: Io,
  options: SetupOptions,
  { ask, say, wayOut, tellEnd, goOn }: Conversation,
): Promise<ExitStatus> {
  const context = loadContext(io);
  const given = await givenAnswers(io, options);
  const found = await readFound(
    await placeForConfig(options.config, context, given.service === 'system'),
    context,
  );
  const talk: Talk = { io, given, found, ask, say };
  demandTransport(talk);
  if (ask === null) {
    const isUnattended = options.yes === true || options.nonInteractive === true;
    const why = isUnattended ? 'No questions are allowed' : 'No terminal to ask on';
    await refuseMissing(talk, provisionalConfig(talk), why);
  }
  const done: string[] = [];
  const open: (() => Promise<void>)[] = [];
  try {
    greet(talk, wayOut);
    const answers = await askAll(talk, ({ practice }) => {
      if (practice !== null) open.push(() => practice.close());
    });
    if (ask !== null && !(await agreed(talk, answers))) throw new Ended('not agreed to');
    const result = await apply(talk, answers, (text) => {
      done.push(text);
      if (options.json !== true) print(io, printable(text));
      if (options.json === true || options.browser === true) say(text);
    });
    if (options.json === true) printJson(io, result);
    else await goOn(talk, answers, result);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Ended || io.stop.aborted) {
      tellEnd(
        done.length === 0
          ? 'Setup was ended; nothing was changed.'
          : 'Setup was ended; the steps above are done. Run it again to continue.',
      );
      return EXIT.interrupted;
    }
    if (error instanceof ReceiptdError && ask !== null && done.length === 0) say('Nothing was changed.');
    throw error;
  } finally {
    for (const close of open) await close();
  }
}

function greet({ found, say }: Talk, wayOut: string): void {
  const { place, before } = found;
  say(`This sets up receiptd. Nothing changes before you agree at the end; ${wayOut}`);
  say(
    before === null
      ? `The configuration will be ${place.file} (${place.why}).`
      : `The configuration is ${place.file} (${place.why}); your answers change it, everything else stays.`,
  );
}

async function agreed(talk: Talk, answers: Answers): Promise<boolean> {
  const { found, ask, say } = talk;
  const { service, credentials, endpoint, folder, existingOf, rate, install } = answers;
  const files = folder.files === null ? 'all files' : counted(folder.files, 'file');
  const backlog =
    folder.isNew && folder.existing === 'send' && folder.files !== 0 ? `, and sends the ${files} in it` : '';
  const stored =
    credentials.kind === 'kept'
      ? 'as they are'
      : `into ${credentials.store === 'file' ? 'a file' : 'the keychain'}, ${credentials.why}`;
  const where = endpoint.uid ?? `to be created as "${endpoint.create?.name ?? ''}"`;
  say('');
  say('This is what happens next:');
  say(`  Configuration: ${found.place.file}`);
  say(
    `  Service: ${service.baseUrl}${credentials.company === null ? ' (not checked)' : ` (${credentials.company})`}`,
  );
  say(`  Connection: ${transportOf(service.baseUrl)}`);
  say(`  Credentials: ${stored}`);
  say(`  Endpoint: ${endpoint.alias}, ${where}`);
  say(`  Folder: ${folder.path}${folder.create ? ' (to be made)' : ''}${backlog}`);
  for (const [path, existing] of existingOf) say(`  Files already in ${path}: ${existing}`);
  const wanted = wantedOf(talk, answers, endpoint.uid ?? TO_BE_CREATED);
  const { config } = plan(found, wanted);
  const rerouted = reroutedBy(found, config);
  for (const { path, alias } of config.folders)
    if (path !== folder.path) say(`  Also watched: ${path}, for ${alias}`);
  for (const line of linesOf(rerouted, leavesPractice(found, wanted))) say(`  ${line}`);
  const shownIn = config.folders.find(({ path }) => path === folder.path)?.needsAttention ?? null;
  say(`  What could not be sent is shown in: ${shownIn ?? 'no folder'}`);
  say(`  Limit: ${rate}`);
  const { email } = config.alerts;
  say(`  Alerts by mail: ${email === null ? 'none' : `${email.to.join(', ')}, through ${email.server}`}`);
  say(`  Installed as a service: ${install ?? 'no'}`);
  return ask === null || (await ask.confirm('Go ahead?', true));
}

function transportOf(baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:') return 'encrypted (https)';
  return isLoopback(hostname)
    ? 'not encrypted (http), within this machine'
    : 'NOT ENCRYPTED (http): others on the network can read credentials and receipts';
}

/** What comes next, in commands that can be copied. */
async function farewell(
  io: Io,
  { found }: Talk,
  { service, install }: Answers,
  { changed, stateDir }: Done,
): Promise<void> {
  if (!changed) print(io, 'Everything is set up already; nothing was changed.');
  const usual = await placeForConfig(undefined, found.context);
  const config = usual.file === found.place.file ? '' : ` --config ${quoted(found.place.file)}`;
  const { practice } = service;
  print(io);
  if (practice !== null) {
    const port = practice.port === 8470 ? '' : ` --port ${practice.port}`;
    print(io, 'To go on practising, in two terminals:');
    print(io, `  receiptd sandbox${port}`);
  } else print(io, install === null ? 'Next:' : 'It is working. To watch it:');
  if (install === null) {
    print(io, `  receiptd run${config}`);
    print(io, '    Uploads stop when it ends, or its window is closed.');
  }
  if (practice === null && install === null && (await couldBeService(io, found, stateDir))) {
    print(io, `  receiptd service install${config}`);
    print(io, '    Instead of `run`: it starts with the machine and runs in the background.');
  }
  print(io, `  receiptd status${config}`);
  print(io, `  receiptd console${config}`);
}

/** Whether a service can be installed here, and none is. */
async function couldBeService(io: Io, { context, place }: Found, stateDir: string): Promise<boolean> {
  const manager = managerHere(context, place.file);
  if (!manager.runs) return false;
  const installed = managerOf(hostOf(io), manager.scope, '', stateDir).installed();
  return (await installed.catch(() => null)) === null;
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
}

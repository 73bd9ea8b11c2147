import { placeForConfig } from '../../config/locate.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isLoopback } from '../../core/domain/loopback.ts';
import { joined, plain, says, type Said } from '../../core/domain/setupWords.ts';
import { canAsk } from '../ask.ts';
import { speakerOf } from '../language.ts';
import { EXIT, type ExitStatus } from '../exitStatus.ts';
import { commandLine } from '../help.ts';
import { loadContext, print, printJson, type Io } from '../io.ts';
import { escapeUnsafe } from '../../core/domain/escape.ts';
import { hostOf, managerOf } from '../serviceHost.ts';
import { apply, type AppliedSetup } from './apply.ts';
import type { Conversation } from './conversation.ts';
import { givenAnswers, type SetupOptions } from './given.ts';
import { Interview } from './interview.ts';
import { refuseMissing } from './missing.ts';
import { managerHere } from './install.ts';
import { plan, readFound, TO_BE_CREATED } from './plan.ts';
import type { ExistingConfig } from './wanted.ts';
import { leavesPractice } from './practiceState.ts';
import { createPrompts, SetupEnded } from './prompts.ts';
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
  const speak = await speakerOf(io);
  const say = asks ? sayOn(io, speak) : () => {};
  return converse(io, options, {
    ask: asks ? await createPrompts(io, speak) : null,
    say,
    wayOut: says('greet.terminal'),
    // Also reported when nobody is asked, to show how far setup got.
    tellEnd: asks ? say : (said) => void io.stderr.write(`${speak(said)}\n`),
    goOn: async (talk, answers, done) => farewell(io, talk, answers, done),
  });
}

/*
 * Set-up:
 *
 *   asking ──all answered, and agreed to──▶ applying ──▶ done
 *     │  nothing is changed (interview.ts)    │  each part whole or not at all
 *     └──Ctrl-C──▶ ended, nothing changed     └──Ctrl-C──▶ ended; reports what was done
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
  const interview = new Interview(ask, say);
  const talk: Talk = { io, given, found, ask: interview.ask, say: interview.say, once: interview.once };
  demandTransport(talk);
  if (ask === null) {
    const isUnattended = options.yes === true || options.nonInteractive === true;
    await refuseMissing(talk, provisionalConfig(talk), isUnattended);
  }
  const speak = await speakerOf(io);
  const done: Said[] = [];
  try {
    greet(talk, wayOut);
    const answers = await interview.run(async () => {
      const all = await askAll(talk);
      if (ask !== null) await agree({ ...talk, say }, all, interview);
      return all;
    });
    const result = await apply(talk, answers, (said) => {
      done.push(said);
      if (options.json !== true) print(io, escapeUnsafe(speak(said)));
      if (options.json === true || options.browser === true) say(said);
    });
    if (options.json === true) printJson(io, result);
    else await goOn(talk, answers, result);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof SetupEnded || io.stop.aborted) {
      tellEnd(says(done.length === 0 ? 'end.early' : 'end.partly'));
      return EXIT.interrupted;
    }
    if (error instanceof ReceiptdError && ask !== null && done.length === 0) say(says('end.nothing'));
    throw error;
  } finally {
    await interview.close();
  }
}

function greet({ found, say }: Talk, wayOut: Said): void {
  const { before } = found;
  const { file, why } = found.place;
  say(joined(says('greet'), wayOut));
  say(
    before === null
      ? joined(says('config.new', { file }), why, says('config.newEnd'))
      : joined(says('config.there', { file }), why, says('config.thereEnd')),
  );
}

/** Says what is going to happen, until the person agrees. @throws SetupEnded, WentBack */
async function agree(talk: Talk, answers: Answers, interview: Interview): Promise<void> {
  const { found, say } = talk;
  const { service, credentials, endpoint, folder, existingOf, rate, install, console } = answers;
  say(plain(''));
  say(says('plan.begin'));
  say(says('plan.config', { file: found.place.file }));
  const url = service.baseUrl;
  const { company } = credentials;
  say(company === null ? says('plan.serviceUnchecked', { url }) : says('plan.service', { url, company }));
  say(says(transportOf(url)));
  say(
    credentials.kind === 'kept'
      ? says('plan.credentialsKept')
      : joined(
          says(credentials.store === 'file' ? 'plan.credentialsFile' : 'plan.credentialsKeychain'),
          credentials.why,
        ),
  );
  const { alias: its, uid } = endpoint;
  say(
    uid === null
      ? says('plan.endpointNew', { alias: its, name: endpoint.create?.name ?? '' })
      : says('plan.endpoint', { alias: its, uid }),
  );
  say(
    joined(
      says('plan.folder', { path: folder.path }),
      ...(folder.create ? [says('plan.folderMade')] : []),
      ...(folder.isNew && folder.existing === 'send' && folder.files !== 0 ? [sends(folder.files)] : []),
    ),
  );
  for (const [path, existing] of existingOf) {
    if (existing === 'send') say(says('plan.existingSend', { path }));
    else if (existing === 'skip') say(says('plan.existingSkip', { path }));
    else say(says('plan.existingSince', { path, day: existing.slice('since '.length) }));
  }
  const wanted = wantedOf(talk, answers, uid ?? TO_BE_CREATED);
  const { config } = plan(found, wanted);
  const rerouted = reroutedBy(found, config);
  for (const { path, alias } of config.folders)
    if (path !== folder.path) say(says('plan.also', { path, alias }));
  for (const line of linesOf(rerouted, leavesPractice(found, wanted))) say(joined(says('indent'), line));
  const shownIn = config.folders.find(({ path }) => path === folder.path)?.needsAttention ?? null;
  say(shownIn === null ? says('plan.noAttention') : says('plan.attention', { path: shownIn }));
  say(says('plan.rate', { rate }));
  const { email } = config.alerts;
  say(
    email === null
      ? says('plan.noMail')
      : says('plan.mail', { to: email.to.join(', '), server: email.server }),
  );
  const installed = install === 'system' ? 'plan.installedMachine' : 'plan.installedPerson';
  say(says(install === null ? 'plan.notInstalled' : installed));
  if (console.listen !== undefined) say(says('plan.console', { address: console.listen }));
  if (console.password !== null) say(says('plan.consolePassword'));
  if (console.saves !== null) say(says(console.saves.may ? 'plan.consoleSaves' : 'plan.consoleReads'));
  const decided = await interview.decide(says('plan.agree'), [
    { label: says('answer.yes'), value: 'yes' },
    { label: says('plan.change'), value: 'change' },
    { label: says('plan.cancel'), value: 'no' },
  ]);
  if (decided === 'change') await interview.change();
  if (decided === 'no') throw new SetupEnded('not agreed to');
}

function sends(files: number | null): Said {
  return files === null ? says('plan.sendsAll') : says('plan.sends', { files });
}

function transportOf(baseUrl: string): 'plan.encrypted' | 'plan.plainHere' | 'plan.plain' {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:') return 'plan.encrypted';
  return isLoopback(hostname) ? 'plan.plainHere' : 'plan.plain';
}

/** Prints the next steps, as commands to copy. */
async function farewell(
  io: Io,
  { found }: Talk,
  { service, install }: Answers,
  { changed, stateDir }: AppliedSetup,
): Promise<void> {
  const speak = await speakerOf(io);
  const tell = (said: Said) => print(io, speak(said));
  if (!changed) tell(says('end.unchanged'));
  const usual = await placeForConfig(undefined, found.context);
  const config = usual.file === found.place.file ? '' : ` --config ${quoted(found.place.file)}`;
  const { practice } = service;
  print(io);
  if (practice !== null) {
    const port = practice.port === 8470 ? '' : ` --port ${practice.port}`;
    tell(says('next.practice'));
    print(io, `  receiptd sandbox${port}`);
  } else tell(says(install === null ? 'next.begin' : 'next.installed'));
  if (install === null) {
    print(io, `  receiptd run${config}`);
    tell(says('next.run'));
  }
  if (practice === null && install === null && (await couldBeService(io, found, stateDir))) {
    print(io, `  ${commandLine('service', 'install')}${config}`);
    tell(says('next.service'));
  }
  print(io, `  receiptd status${config}`);
  print(io, `  receiptd console${config}`);
}

/** Whether a service could be installed here and none is yet. */
async function couldBeService(
  io: Io,
  { context, place }: ExistingConfig,
  stateDir: string,
): Promise<boolean> {
  const manager = managerHere(context, place.file);
  if (!manager.runs) return false;
  const installed = managerOf(hostOf(io), manager.scope, '', stateDir).installed();
  return (await installed.catch(() => null)) === null;
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
}

import type { TroubleJson } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { moment } from '../format.ts';
import { href } from '../router.ts';
import { explanationOf } from '../explanations.ts';
import { t } from '../texts.ts';
import { Notice, announce } from './Notice.tsx';
import { Section } from './Page.tsx';
import { ActButton } from './Button.tsx';
import { Details, Why } from './Explanations.tsx';
import { Words } from './Words.tsx';

/** What needs a person comes first. */
export function Troubles({ troubles }: { readonly troubles: readonly TroubleJson[] }) {
  const sorted = [...troubles].sort((a, b) => Number(b.person) - Number(a.person));
  return (
    <Section title={t.troubles.title} id="troubles">
      <ul class="troubles">
        {sorted.map((trouble) => (
          <li key={trouble.text}>
            <Notice tone={trouble.person ? 'bad' : 'warn'} actions={<Remedies trouble={trouble} />}>
              <p>
                <strong>{trouble.person ? t.troubles.person : t.troubles.passing}</strong>{' '}
                <Words text={sentences(trouble.about).join(' ')} />
              </p>
              <More trouble={trouble} />
            </Notice>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type About = TroubleJson['about'];
type Hold = Extract<About, { kind: 'hold' }>;

/** Sentences about the problem: what is wrong, since when, and what to do. */
function sentences(about: About): string[] {
  switch (about.kind) {
    case 'error': {
      const explanation = explanationOf(about.code);
      if (explanation === null) return [t.reasons.unknown];
      const what =
        about.subject === null ? explanation.what : `${explanation.what}: ${nameOf(about.subject)}`;
      return [`${what}.`, t.holds.since(moment(about.since)), explanation.help];
    }
    case 'hold':
      return holdSentences(about);
    case 'needs':
      return needSentences(about);
    case 'orphans':
      return [
        t.needs.orphans(about.endpoint, about.waiting),
        t.needs.orphansHelp[about.tookSome ? 'tookSome' : 'tookNone'],
      ];
  }
}

/** Alert channels have translated names; folders and agents keep their own. */
const nameOf = (subject: string): string =>
  (t.alerts.channels as Readonly<Partial<Record<string, string>>>)[subject] ?? subject;

function holdSentences(hold: Hold): string[] {
  const { since, until, waiting } = hold;
  const [what, help] = holdWords(hold);
  return [
    `${what}.`,
    t.holds.since(moment(since)),
    ...(waiting > 0 ? [t.holds.waiting(waiting)] : []),
    ...(help === null ? [] : [help]),
    ...(until !== null && Date.parse(until) > Date.now() ? [t.holds.until(moment(until))] : []),
  ];
}

function holdWords({
  scope,
  reason,
  target,
  account,
  agent,
  isAsked,
  by,
}: Hold): [what: string, help: string | null] {
  const { holds } = t;
  if (reason === 'PAUSED') return [holds.paused(target), by === null ? null : holds.pausedBy(by)];
  switch (scope) {
    case 'service':
      if (!isAsked) return [holds.service(target), holds.help.service];
      return [
        agent === null ? holds.serviceAsked(target) : holds.serviceAskedAgent(target, agent),
        holds.help.service,
      ];
    case 'credentials':
      return [account === null ? holds.credentials : holds.credentialsOf(account), holds.help.credentials];
    case 'endpoint':
      return reason === 'HTTP_429'
        ? [holds.limited(target), holds.help.limited]
        : [holds.endpoint(target), holds.help.endpoint];
    case 'folder':
      return [holds.folder(target), holds.help.folder];
  }
}

function needSentences({ state, reason, count }: Extract<About, { kind: 'needs' }>): string[] {
  const { documents, files, help, nothing } = t.needs;
  const helps: Readonly<Partial<Record<string, string>>> = help;
  const advice = [helps[reason ?? state] ?? helps[state] ?? '', nothing];
  if (state === 'failed' || state === 'unconfirmed' || state === 'lost')
    return [documents[state](count), ...advice];
  return [files(t.rejected.reasons[reason ?? state] ?? t.states[state], count), ...advice];
}

/** Messages of the agent and the service, if they say more than the text shown. */
function More({ trouble: { about, text } }: { readonly trouble: TroubleJson }) {
  if (about.kind === 'error') return <Details text={text} />;
  if (about.kind !== 'hold') return null;
  if (about.reason === 'PAUSED') return null;
  return <Why reason={about.reason} message={about.message} />;
}

/** States of files that never became documents; a separate page shows them with remedies. */
const UNSENT: readonly string[] = ['rejected', 'incomplete', 'unreadable'];

const placeOf = (state: string): string =>
  UNSENT.includes(state) ? href(['rejected']) : href(['documents'], { state, attention: 'needed' });

function Remedies({ trouble: { about, remedy } }: { readonly trouble: TroubleJson }) {
  if (remedy?.kind === 'list') {
    return (
      <a class="button" href={placeOf(remedy.state)}>
        {t.troubles.list}
      </a>
    );
  }
  if (remedy?.kind === 'resume') {
    const { target } = remedy;
    return <Resume target={target} text={t.troubles.resume(target)} />;
  }
  if (remedy?.kind === 'tryHeld') return <TryHeld />;
  if (about.kind === 'error') return <OfError code={about.code} subject={about.subject} />;
  return <Open place={about.kind === 'hold' && about.scope === 'folder' ? 'folders' : 'endpoints'} />;
}

function Resume({ target, text }: { readonly target: string; readonly text: string }) {
  const perform = async () => {
    await call('resume', { target });
    announce(t.done.resumed(target));
  };
  return (
    <ActButton class="primary" perform={perform}>
      {text}
    </ActButton>
  );
}

function TryHeld() {
  const perform = async () => {
    await call('tryHeld', {});
    announce(t.done.tried);
  };
  return (
    <ActButton class="primary" perform={perform}>
      {t.troubles.retry}
    </ActButton>
  );
}

/** Page to fix a problem, by the prefix of its code; otherwise the log. */
const PLACES: readonly (readonly [codes: RegExp, place: keyof typeof OPENED])[] = [
  [/^(?:FOLDER|FILE|ATTENTION|WATCH)_/, 'folders'],
  [/^(?:CONFIG_|TEMPLATE_|FOLDERS_|HTTPS_|ACCOUNT_|PORT_|CONSOLE_)/, 'file'],
  [/^ENDPOINT_/, 'endpoints'],
  [/^AGENT_/, 'fleet'],
  [/^ALERT_/, 'alerts'],
  [/^RESULT/, 'results'],
  [/^MONITORING_/, 'monitoring'],
  [/^SPOOL_/, 'storage'],
];

const OPENED = {
  folders: [['folders'], t.nav.folders],
  endpoints: [['endpoints'], t.nav.endpoints],
  fleet: [['fleet'], t.nav.fleet],
  log: [['log'], t.nav.log],
  file: [['config', 'file'], t.config.title],
  alerts: [['config', 'alerts'], t.settings.sections.alerts.title],
  results: [['config', 'results'], t.settings.sections.results.title],
  monitoring: [['config', 'monitoring'], t.settings.sections.monitoring.title],
  storage: [['config', 'storage'], t.settings.sections.storage.title],
} as const satisfies Readonly<Record<string, readonly [path: readonly string[], title: string]>>;

function Open({ place }: { readonly place: keyof typeof OPENED }) {
  const [path, title] = OPENED[place];
  return (
    <a class="button" href={href(path)}>
      {t.troubles.open(title)}
    </a>
  );
}

function OfError({ code, subject }: { readonly code: string; readonly subject: string | null }) {
  const [, place = 'log'] = PLACES.find(([codes]) => codes.test(code)) ?? [];
  if (code.startsWith('CREDENTIALS_') || code.startsWith('KEYCHAIN_')) return <TryHeld />;
  if (place !== 'folders' || subject === null) return <Open place={place} />;
  return (
    <>
      {code === 'FOLDER_UNREACHABLE' && <Resume target={subject} text={t.troubles.confirmFolder} />}
      <a class="button" href={href(['folders', 'edit'], { path: subject })}>
        {t.troubles.editFolder}
      </a>
    </>
  );
}

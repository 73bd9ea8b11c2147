import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import type { EndpointKey } from '../../../core/domain/document.ts';
import type { Action, Problem } from '../../../core/domain/problem.ts';
import { courseOf, cureOf, detailOf, explain, urgencyOf } from '../../../texts/explain.ts';
import { useState } from 'preact/hooks';
import { call, callInParts } from '../api.ts';
import { useOverview } from '../live.ts';
import { href } from '../router.ts';
import { t } from '../texts.ts';
import { Notice, announce } from './Notice.tsx';
import { Section } from './Page.tsx';
import { ActButton, Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { SelectField } from './Field.tsx';
import { Details, Why } from './Explanations.tsx';
import { Words } from './Words.tsx';
import type { Told } from '../explanations.ts';

const URGENCIES = ['needed', 'paused', 'passing'] as const;
const TONES = { needed: 'bad', paused: 'info', passing: 'warn' } as const;

/** What needs attention comes first, then what is paused, then what resolves itself. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const titles = { needed: t.tally.person, paused: t.troubles.paused, passing: t.troubles.passing };
  return (
    <>
      {URGENCIES.map((urgency) => (
        <ProblemList
          key={urgency}
          id={urgency === 'needed' ? 'attention' : urgency}
          title={titles[urgency]}
          problems={problems.filter((problem) => urgencyOf(problem) === urgency)}
        />
      ))}
    </>
  );
}

interface ProblemListProps {
  readonly id: string;
  readonly title: string;
  readonly problems: readonly Problem[];
}

function ProblemList({ id, title, problems }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <Section title={title} id={id}>
      <ul class="troubles">
        {problems.map((problem) => {
          const [first = '', ...others] = sentences(problem);
          return (
            <li key={problem.key}>
              <Notice tone={TONES[urgencyOf(problem)]} actions={<Actions problem={problem} />}>
                <p>
                  <strong>
                    <Words text={first} />
                  </strong>{' '}
                  <Words text={others.join(' ')} />
                </p>
                <More problem={problem} />
              </Notice>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** The parameters of each are those of its code. */
export function problemsIn({ problems }: OverviewResponse): readonly Problem[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return problems as unknown as readonly Problem[];
}

function sentences(problem: Problem): string[] {
  const { before, after } = courseOf(t, problem, Date.now());
  const what = explain(t, problem.code, problem.params)?.what;
  return [...(what === undefined ? [] : [`${what}.`]), ...before, cureOf(t, problem), ...after];
}

function whyOf({ params }: Problem): Told['fact'] {
  return 'why' in params && params.why ? { ...params.why } : null;
}

/** What the agent and the service say about it. */
function More({ problem }: { readonly problem: Problem }) {
  const detail = detailOf(t, problem);
  if (detail === null) return null;
  return 'reason' in problem.params ? (
    <Why reason={problem.params.reason} message={detail} fact={whyOf(problem)} />
  ) : (
    <Details text={detail} />
  );
}

/** States of files that never became documents; a separate page shows them with remedies. */
const UNSENT: readonly string[] = ['rejected', 'incomplete', 'unreadable'];

function placeOf({ states, folder }: Extract<Action, { operation: 'list' }>): string {
  if (states.every((state) => UNSENT.includes(state))) return href(['rejected']);
  const [state, ...others] = states;
  return href(['documents'], {
    ...(others.length === 0 && state !== undefined && { state }),
    ...(folder !== null && { folder }),
    attention: 'needed',
  });
}

function Actions({ problem: { code, actions } }: { readonly problem: Problem }) {
  return (
    <>
      {actions.map((action) => {
        switch (action.operation) {
          case 'list':
            return (
              <a key="list" class="button" href={placeOf(action)}>
                {t.troubles.list}
              </a>
            );
          case 'resume': {
            const { target } = action;
            const text =
              code === 'UPLOADS_PAUSED' ? t.troubles.resume(target ?? '') : t.troubles.confirmFolder;
            return <Resume key="resume" target={target} text={text} />;
          }
          case 'tryHeld':
            return <TryHeld key="tryHeld" />;
          case 'changeConfig':
            return action.folder === null ? (
              <Open key="open" place={action.section} />
            ) : (
              <a key="edit" class="button" href={href(['folders', 'edit'], { path: action.folder })}>
                {t.troubles.editFolder}
              </a>
            );
          case 'move':
            return <Move key="move" from={action.from} />;
          case 'log':
            return <Open key="log" place="log" />;
        }
      })}
    </>
  );
}

function Resume({ target, text }: { readonly target: string | null; readonly text: string }) {
  const perform = async () => {
    await call('resume', target === null ? {} : { target });
    announce(target === null ? t.pauseAll.resumed : t.done.resumed(target));
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

function Move({ from }: { readonly from: EndpointKey }) {
  const endpoints = useOverview()?.endpoints ?? [];
  const [isAsked, setAsked] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const alias = chosen ?? endpoints[0]?.alias ?? '';
  const move = async () => {
    let count = 0;
    for await (const part of callInParts('actOnMany', {
      act: 'move',
      endpoint: alias,
      filter: { endpoint: from },
    }))
      count += part.count;
    setAsked(false);
    announce(t.done.moved(count, alias));
  };
  return (
    <>
      <Button class="primary" onClick={() => setAsked(true)}>
        {t.troubles.move}
      </Button>
      {isAsked && (
        <Dialog
          title={t.troubles.move}
          confirm={t.troubles.moveConfirm}
          onConfirm={move}
          onClose={() => setAsked(false)}
        >
          <SelectField
            id="move-endpoint"
            label={t.resend.endpoint}
            value={alias}
            options={endpoints.map((each) => ({ value: each.alias, text: each.alias }))}
            onValue={setChosen}
          />
        </Dialog>
      )}
    </>
  );
}

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

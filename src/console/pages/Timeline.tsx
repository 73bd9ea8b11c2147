import type { ComponentChildren } from 'preact';
import type { DocumentDetailJson } from '../../daemon/control/protocol/documents.ts';
import { bytes, duration, instant } from '../format.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { t } from '../texts.ts';

interface Step {
  readonly at: string;
  readonly tone: string;
  readonly icon: IconName;
  readonly what: string;
  readonly more: ComponentChildren;
}

/** Everything that happened to it, in the order in which it happened. */
export function Timeline({ document }: { readonly document: DocumentDetailJson }) {
  const steps = [...filesOf(document), named(document), ...attemptsOf(document), ...resultsOf(document)];
  steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <ol class="timeline">
      {steps.map(({ at, tone, icon, what, more }, index) => (
        <li key={index} class={tone}>
          <Icon name={icon} />
          <div>
            <p>
              <strong>{what}</strong> <time dateTime={at}>{instant(at)}</time>
            </p>
            {more !== null && <div class="muted small">{more}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function named({ createdAt, name }: DocumentDetailJson): Step {
  return { at: createdAt, tone: 'calm', icon: 'check', what: t.timeline.named, more: name };
}

function filesOf({ files }: DocumentDetailJson): Step[] {
  return files.flatMap(({ path, verdict, size, seenAt, goneAt, disposed, archivedTo }) => {
    const what = verdict === 'document' ? t.timeline.seen : t.timeline.seenAs(t.states[verdict]);
    const steps: Step[] = [
      { at: seenAt, tone: 'calm', icon: 'info', what, more: `${path} · ${bytes(size)}` },
    ];
    if (goneAt !== null) {
      const gone = disposed === null ? t.timeline.gone : t.timeline.disposed[disposed];
      steps.push({ at: goneAt, tone: 'calm', icon: 'dash', what: gone, more: archivedTo ?? path });
    }
    return steps;
  });
}

const LOOKS: Readonly<Record<string, readonly [tone: string, icon: IconName]>> = {
  accepted: ['ok', 'check'],
  refused: ['bad', 'cross'],
  trouble: ['warn', 'alert'],
  unknown: ['warn', 'question'],
  notSent: ['calm', 'dash'],
};

function attemptsOf({ attempts }: DocumentDetailJson): Step[] {
  return attempts.map(({ startedAt, finishedAt, outcome, httpStatus, bytes: sent, message }) => {
    const [tone, icon] = LOOKS[outcome ?? ''] ?? (['busy', 'up'] as const);
    const facts = [
      httpStatus === null ? null : `HTTP ${httpStatus}`,
      bytes(sent),
      finishedAt === null ? null : duration(Date.parse(finishedAt) - Date.parse(startedAt)),
    ].filter((fact) => fact !== null);
    return {
      at: startedAt,
      tone,
      icon,
      what: outcome === null ? t.timeline.running : t.timeline.attempts[outcome],
      more: (
        <>
          {facts.join(' · ')}
          {message !== null && <p>{message}</p>}
        </>
      ),
    };
  });
}

function resultsOf({ results }: DocumentDetailJson): Step[] {
  return results.map(({ receivedAt, status, size }) => ({
    at: receivedAt,
    tone: 'ok',
    icon: 'info',
    what: t.timeline.result(status),
    more: bytes(size),
  }));
}

import type { ComponentChildren } from 'preact';
import type { DocumentDetailJson } from '../../../control/protocol/documents.ts';
import { bytes, duration, instant } from '../format.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { t } from '../texts.ts';
import { Details, Why } from '../parts/Explanations.tsx';
import { codeIn, told } from '../explanations.ts';

interface TimelineStep {
  readonly at: string;
  readonly tone: string;
  readonly icon: IconName;
  readonly what: string;
  readonly more: ComponentChildren;
}

/** Everything that happened to the document, in chronological order. */
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

function named({ createdAt, name }: DocumentDetailJson): TimelineStep {
  return { at: createdAt, tone: 'calm', icon: 'check', what: t.timeline.named, more: name };
}

function filesOf({ files }: DocumentDetailJson): TimelineStep[] {
  return files.flatMap(
    ({ path, verdict, size, seenAt, goneAt, disposed, archivedTo, remark, remarkFact }) => {
      const what = verdict === 'document' ? t.timeline.seen : t.timeline.seenAs(t.states[verdict]);
      const steps: TimelineStep[] = [
        { at: seenAt, tone: 'calm', icon: 'info', what, more: `${path} · ${bytes(size)}` },
      ];
      if (remark !== null)
        steps.push({
          at: seenAt,
          tone: 'warn',
          icon: 'alert',
          what: t.timeline.looked,
          more: <Details text={told({ message: remark, fact: remarkFact })} />,
        });
      if (goneAt !== null) {
        const gone = disposed === null ? t.timeline.gone : t.timeline.disposed[disposed];
        steps.push({ at: goneAt, tone: 'calm', icon: 'dash', what: gone, more: archivedTo ?? path });
      }
      return steps;
    },
  );
}

type TimelineAttempt = DocumentDetailJson['attempts'][number];
type AttemptEnding = keyof typeof t.timeline.attempts;

const LOOKS: Readonly<Record<AttemptEnding, readonly [tone: string, icon: IconName]>> = {
  accepted: ['ok', 'check'],
  refused: ['bad', 'cross'],
  limited: ['warn', 'wait'],
  busy: ['warn', 'wait'],
  trouble: ['warn', 'alert'],
  unknown: ['warn', 'question'],
  strange: ['warn', 'question'],
  notSent: ['calm', 'dash'],
};

/** Distinguishes an answer that leaves the outcome unknown from no answer at all. */
function endingOf({ outcome, httpStatus }: TimelineAttempt): AttemptEnding | null {
  const isAnswered = (outcome === 'unknown' || outcome === 'trouble') && httpStatus !== null;
  if (isAnswered && httpStatus >= 500) return 'busy';
  return outcome === 'unknown' && isAnswered ? 'strange' : outcome;
}

function attemptsOf({ attempts }: DocumentDetailJson): TimelineStep[] {
  return attempts.map((attempt) => {
    const { startedAt, finishedAt, httpStatus, bytes: sent, message, fact } = attempt;
    const ending = endingOf(attempt);
    const [tone, icon] = ending === null ? (['busy', 'up'] as const) : LOOKS[ending];
    const facts = [
      httpStatus === null || message !== null ? null : `HTTP ${httpStatus}`,
      bytes(sent),
      finishedAt === null ? null : duration(Date.parse(finishedAt) - Date.parse(startedAt)),
    ].filter((each) => each !== null);
    return {
      at: startedAt,
      tone,
      icon,
      what: ending === null ? t.timeline.running : t.timeline.attempts[ending],
      more: (
        <>
          {facts.join(' · ')}
          {message !== null && (
            <div>
              <Why reason={reasonOf(attempt)} message={message} fact={fact} isShort />
            </div>
          )}
        </>
      ),
    };
  });
}

/** Reason code of an attempt: its HTTP status, or the code of the fault if there was no answer. */
function reasonOf({ httpStatus, fact }: DocumentDetailJson['attempts'][number]): string | null {
  return httpStatus === null ? codeIn(fact) : `HTTP_${httpStatus}`;
}

function resultsOf({ results }: DocumentDetailJson): TimelineStep[] {
  return results.map(({ receivedAt, status, size }) => ({
    at: receivedAt,
    tone: 'ok',
    icon: 'info',
    what: t.timeline.result(status),
    more: bytes(size),
  }));
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DocumentDetailJson } from '../../../control/protocol/documents.ts';
import { call } from '../api.ts';
import { bytes, instant, number } from '../format.ts';
import { pretty } from '../json.ts';
import { useOverview } from '../live.ts';
import { Dismissal } from '../parts/Dismissal.tsx';
import { useAct, useAsk, useThrottled } from '../parts/hooks.ts';
import { Failure, Loading, Notice, announce } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { StateBadge } from '../parts/State.tsx';
import { imageUrl } from '../parts/Thumb.tsx';
import { href, type Route } from '../router.ts';
import { isOf } from '../tally.ts';
import { t } from '../texts.ts';
import { filterHref, filterOf, type FilterText } from './documentFilter.ts';
import { Neighbours } from './Neighbours.tsx';
import { Payload } from './Payload.tsx';
import { Preview } from './Preview.tsx';
import { ResendDialog } from './ResendDialog.tsx';
import { Timeline } from './Timeline.tsx';
import { Button } from '../parts/Button.tsx';
import { Why } from '../parts/Explanations.tsx';

const REFRESH_MS = 1500;

export function DocumentPage({ id, route }: { readonly id: number; readonly route: Route }) {
  const filter = filterOf(route.query);
  const back = { href: filterHref(filter), text: t.documents.title };
  const tick = useThrottled(useOverview(), REFRESH_MS);
  const { data, error, again } = useAsk(
    async (signal) => {
      const { documents } = await call('document', { id }, signal);
      return documents.find((each) => each.id === id) ?? documents[0] ?? null;
    },
    String(id),
    tick,
  );
  if (data === null) {
    return (
      <Page title={t.document.title(String(id))} back={back}>
        {error === null ? <Loading /> : <Failure error={error} again={again} />}
      </Page>
    );
  }
  return <Shown document={data} filter={filter} again={again} />;
}

interface ShownProps {
  readonly document: DocumentDetailJson;
  /** Filter of the list that the page was opened from. */
  readonly filter: FilterText;
  readonly again: () => void;
}

function Shown({ document, filter, again }: ShownProps) {
  const back = { href: filterHref(filter), text: t.documents.title };
  const { id, name, state } = document;
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  const retry = async () => {
    const { queued } = await call('retry', { names: [name] });
    announce(t.done.retried(queued));
    again();
  };
  const actions = (
    <>
      {state === 'queued' ? (
        <Button class="primary" disabled={act.busy} onClick={() => void act.run(retry)}>
          {t.document.sendNow}
        </Button>
      ) : (
        state !== 'uploading' && (
          <Button class={state === 'accepted' ? '' : 'primary'} onClick={() => setAsking(true)}>
            {t.document.sendAgain}
          </Button>
        )
      )}
      <a class="button" href={`${imageUrl(id)}?download=1`} download>
        {t.document.downloadImage}
      </a>
      <a class="button" href={`/v1/documents/${id}/evidence`} download>
        {t.document.downloadEvidence}
      </a>
    </>
  );
  return (
    <Page title={name} back={back} actions={actions}>
      <Neighbours id={id} filter={filter} />
      <Failure error={act.error} />
      <Dismissal of={document} target={name} onDone={again} />
      {isAsking && (
        <ResendDialog document={document} onRetry={retry} onClose={() => setAsking(false)} onDone={again} />
      )}
      <div class="document">
        <Preview key={id} document={document} />
        <div class="document-facts">
          <Facts document={document} />
        </div>
      </div>
      <Section title={t.document.timeline} id="timeline">
        <Timeline document={document} />
      </Section>
      {document.results.length > 0 && (
        <Section title={t.document.results} id="results">
          <ul>
            {document.results.map(({ id, receivedAt, status }) => (
              <li key={id}>
                {instant(receivedAt)} {status} <Payload id={id} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title={t.document.answer} id="answer">
        {document.response === null ? (
          <p class="muted">{document.attempts.length === 0 ? t.document.notSent : t.document.noAnswer}</p>
        ) : (
          <>
            <details>
              <summary>{t.document.asItCame}</summary>
              <pre class="scroll" tabIndex={0} role="group" aria-label={t.document.answer}>
                <code>{pretty(document.response)}</code>
              </pre>
            </details>
            {document.responseCut !== null && (
              <p class="muted">
                {t.document.answerCut(bytes(document.responseCut.bytes), document.responseCut.sha256)}
              </p>
            )}
          </>
        )}
      </Section>
    </Page>
  );
}

function Facts({ document }: { readonly document: DocumentDetailJson }) {
  const overview = useOverview();
  const alias = overview?.endpoints.find((each) => isOf(each, document))?.alias;
  const facts = { ...t.columns, ...t.document.facts };
  const { notBefore, state } = document;
  return (
    <>
      {document.message !== null && (
        <Notice
          tone={state === 'failed' || state === 'lost' ? 'bad' : state === 'accepted' ? 'info' : 'warn'}
        >
          <Why {...document} />
        </Notice>
      )}
      {document.answerLost && state !== 'accepted' && (
        <Notice tone="warn">
          <p>{t.document.answerLost}</p>
        </Notice>
      )}
      <dl class="facts">
        <Fact name={facts.state}>
          <StateBadge state={state} />
        </Fact>
        <Fact name={facts.status}>{document.status ?? '–'}</Fact>
        <Fact name={facts.endpoint}>
          {alias === undefined ? '' : `${alias} · `}
          <span class="mono">{document.endpointUid}</span>
        </Fact>
        <Fact name={facts.service}>{document.baseUrl}</Fact>
        <Fact name={facts.folder}>
          <a href={href(['documents'], { folder: document.folder })}>
            <Wrapped text={document.folder} />
          </a>
        </Fact>
        <Fact name={facts.path}>
          <Wrapped text={document.path} />
        </Fact>
        <Fact name={facts.type}>
          {document.type.toUpperCase()} · {bytes(document.size)}
        </Fact>
        <Fact name={facts.sha256}>
          <span class="mono hash">{document.sha256}</span>
        </Fact>
        <Fact name={facts.lane}>{t.document.lanes[document.lane]}</Fact>
        <Fact name={facts.attempts}>{number(document.attemptCount)}</Fact>
        {document.oddAnswers > 0 && <Fact name={facts.oddAnswers}>{number(document.oddAnswers)}</Fact>}
        <Fact name={facts.created}>{instant(document.createdAt)}</Fact>
        <Fact name={facts.updated}>{instant(document.updatedAt)}</Fact>
        {notBefore !== null && state === 'queued' && <Fact name={facts.notBefore}>{instant(notBefore)}</Fact>}
        <Fact name={facts.number}>{String(document.id)}</Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

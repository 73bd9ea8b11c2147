import { moment } from '../format.ts';
import { useOverview } from '../live.ts';
import { useCall } from '../parts/hooks.ts';
import { Answer, Loading } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { RecentChange } from '../parts/LastChange.tsx';
import { PauseButton } from '../parts/PauseButton.tsx';
import { EndpointTable } from '../parts/StatusTables.tsx';
import { Table } from '../parts/Table.tsx';
import { href } from '../router.ts';
import { objectAt } from '../settings/edits.ts';
import { allOf, fieldsOf, textOf } from '../settings/fields.ts';
import { loadLabels, rateWords, wordsFor } from '../settings/labels.ts';
import { endpointId } from '../tally.ts';
import { t } from '../texts.ts';

await loadLabels();

export function EndpointsPage() {
  const overview = useOverview();
  return (
    <Page
      title={t.endpoints.pageTitle}
      actions={
        <a class="button primary" href={href(['endpoints', 'new'])}>
          {t.endpoints.create}
        </a>
      }
    >
      <RecentChange sections={['endpoints', 'delivery']} />
      {overview === null ? (
        <Loading />
      ) : (
        <EndpointTable
          overview={overview}
          actions={({ alias, paused }) => (
            <>
              <a
                class="button"
                href={href(['endpoints', 'edit'], { alias })}
                aria-label={t.of(t.edit, alias)}
              >
                {t.edit}
              </a>
              <PauseButton target={alias} isPaused={paused} />
            </>
          )}
        />
      )}
      <Section
        title={t.endpoints.delivery}
        id="delivery"
        actions={
          <a class="button" href={href(['delivery'])}>
            {t.endpoints.changeLimits}
          </a>
        }
      >
        <Delivery />
      </Section>
      <Section title={t.endpoints.known} id="known">
        <Known />
      </Section>
    </Page>
  );
}

/** Translates a keyword of the config file for the reader. */
function shown(text: string): string {
  const words: Readonly<Partial<Record<string, string>>> = t.form.words;
  return words[text] ?? text;
}

function Delivery() {
  const config = useCall('config', {});
  return (
    <Answer asked={config}>
      {(data) => (
        <dl class="facts columns">
          {allOf(fieldsOf(data, 'delivery', 'delivery.')).map((field) => {
            const its = textOf(field, objectAt(data.values, ['delivery']) ?? {}).replaceAll('\n', ', ');
            const text = shown(field.unit === null ? its : rateWords(its, field.unit));
            return (
              <div key={field.id}>
                <dt>{wordsFor(field.key).label}</dt>
                <dd>{text || <span class="muted">{t.form.standard(shown(field.initial ?? ''))}</span>}</dd>
              </div>
            );
          })}
        </dl>
      )}
    </Answer>
  );
}

/** Endpoints created from this agent; the service itself offers no list. */
function Known() {
  const known = useCall('knownEndpoints', {});
  return (
    <Answer asked={known}>
      {({ endpoints }) => (
        <Table
          caption={t.endpoints.known}
          rows={endpoints}
          rowKey={({ endpoint }) => endpointId(endpoint)}
          columns={[
            { head: t.endpoints.uid, class: 'mono', cell: ({ endpoint }) => endpoint.uid },
            { head: t.endpoints.service, cell: ({ endpoint }) => endpoint.baseUrl },
            { head: t.endpoints.nameThere, cell: ({ name }) => name ?? '–' },
            { head: t.endpoints.created, cell: ({ createdAt }) => (createdAt ? moment(createdAt) : '–') },
          ]}
        />
      )}
    </Answer>
  );
}

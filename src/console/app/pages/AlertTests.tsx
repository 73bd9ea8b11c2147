import { useState } from 'preact/hooks';
import type { Response } from '../../../control/protocol/protocol.ts';
import { call } from '../api.ts';
import { Button } from '../parts/Button.tsx';
import { Form, TextField } from '../parts/Field.tsx';
import { useAct, useAsk } from '../parts/hooks.ts';
import { announce, Answer, Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Page.tsx';
import { Details, Refusal } from '../parts/Explanations.tsx';
import { t } from '../texts.ts';
import { errorWords } from '../../../texts/explain.ts';

type Channel = Response<'alerts'>['channels'][number];
type TestedChannel = Response<'testAlerts'>['results'][number];

/** Stores the mail server's password and sends a test through each channel, using the configuration in effect. */
export function AlertTests() {
  const asked = useAsk(
    async (signal) => ({
      ...(await call('alerts', {}, signal)),
      ...(await call('mailPassword', {}, signal)),
    }),
    '',
  );
  return (
    <Answer asked={asked}>
      {({ channels, where }) => (
        <>
          {where !== 'notNeeded' && <Password where={where} onStored={asked.again} />}
          <Section title={t.alerts.test} id="test-alerts">
            {channels.length === 0 ? (
              <p class="muted">{t.alerts.noChannel}</p>
            ) : (
              <>
                <p class="muted lead">{t.alerts.testMeans}</p>
                <ul class="tests">
                  {channels.map((channel) => (
                    <ChannelTest key={channel} channel={channel} />
                  ))}
                </ul>
              </>
            )}
          </Section>
        </>
      )}
    </Answer>
  );
}

function ChannelTest({ channel }: { readonly channel: Channel }) {
  const act = useAct();
  const [tested, setTested] = useState<TestedChannel | null>(null);
  const name = t.channels[channel];
  const test = async () => {
    setTested(null);
    const { results } = await call('testAlerts', { channel });
    const found = results.find((each) => each.channel === channel) ?? null;
    setTested(found);
    if (found !== null && found.problem === null) announce(t.alerts.delivered(name));
  };
  return (
    <li>
      <div class="row">
        <strong>{name}</strong>
        <Button disabled={act.busy} aria-label={t.of(t.alerts.send, name)} onClick={() => void act.run(test)}>
          {act.busy ? t.alerts.sending : t.alerts.send}
        </Button>
        {tested !== null && tested.problem === null && <span class="ok">{t.alerts.taken}</span>}
      </div>
      <Refusal error={act.error} />
      {tested !== null && tested.problem !== null && (
        <Notice tone="bad" urgent>
          <p>
            <strong>{t.alerts.notDelivered}</strong> {t.alerts.correct}
          </p>
          <Details text={tested.error === undefined ? tested.problem : errorWords(t, tested.error)} />
        </Notice>
      )}
    </li>
  );
}

function Password({
  where,
  onStored,
}: {
  readonly where: 'missing' | 'stored' | 'inFile';
  readonly onStored: () => void;
}) {
  const [typed, setTyped] = useState('');
  const act = useAct();
  const store = async () => {
    await call('setMailPassword', { password: typed });
    setTyped('');
    announce(t.alerts.password.stored);
    onStored();
  };
  return (
    <Section title={t.alerts.password.title} id="mail-password">
      <p class={where === 'missing' ? 'lead' : 'muted lead'}>{t.alerts.password.where[where]}</p>
      {where !== 'inFile' && (
        <Form class="password" onSubmit={() => void act.run(store)}>
          <TextField
            id="mail-password-field"
            label={t.alerts.password.label}
            help={t.alerts.password.help}
            type="password"
            required
            value={typed}
            autocomplete="off"
            onValue={setTyped}
          />
          <Refusal error={act.error} />
          <div class="form-actions">
            <button type="submit" disabled={act.busy || typed === ''}>
              {t.alerts.password.save}
            </button>
          </div>
        </Form>
      )}
    </Section>
  );
}

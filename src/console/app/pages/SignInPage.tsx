import { useEffect, useState } from 'preact/hooks';
import { session, signIn } from '../api.ts';
import { reconnectNow } from '../live.ts';
import { Form, TextField } from '../parts/Field.tsx';
import { useAct } from '../parts/hooks.ts';
import { Failure } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { t } from '../texts.ts';

/** @param problem why the sign-in link did not work; null without one */
export function SignInPage({ problem }: { readonly problem: unknown }) {
  const [hasPassword, setHasPassword] = useState(false);
  const [password, setPassword] = useState('');
  const act = useAct();
  useEffect(() => {
    session().then(
      ({ password }) => setHasPassword(password),
      () => setHasPassword(false),
    );
  }, []);
  return (
    <div class="sign-in">
      <Page title={t.signIn.title}>
        <Failure error={problem} />
        <p>{t.signIn.how}</p>
        <pre>
          <code>receiptd console</code>
        </pre>
        <p class="muted">{t.signIn.once}</p>
        {hasPassword && (
          <Form
            onSubmit={() =>
              void act.run(async () => {
                await signIn({ password });
                reconnectNow();
              })
            }
          >
            <h2>{t.signIn.orPassword}</h2>
            <TextField
              id="password"
              label={t.signIn.password}
              type="password"
              autocomplete="current-password"
              required
              value={password}
              onValue={setPassword}
            />
            <Failure error={act.error} />
            <button type="submit" class="primary" disabled={act.busy}>
              {t.signIn.submit}
            </button>
          </Form>
        )}
      </Page>
    </div>
  );
}

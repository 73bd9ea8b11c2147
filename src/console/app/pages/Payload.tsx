import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { pretty } from '../json.ts';
import { Button } from '../parts/Button.tsx';
import { useAsk } from '../parts/hooks.ts';
import { Failure, Loading } from '../parts/Notice.tsx';
import { t } from '../texts.ts';

/** The posted body, unchanged; loaded only when opened. */
export function Payload({ id }: { readonly id: number }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Button class="small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? t.results.hide : t.results.show}
      </Button>
      {isShown && <Shown id={id} />}
    </>
  );
}

function Shown({ id }: { readonly id: number }) {
  const { data, error, again } = useAsk((signal) => call('result', { id }, signal), String(id));
  if (data === null) return error === null ? <Loading /> : <Failure error={error} again={again} />;
  const { payload, encoding } = data.result;
  if (payload === null) return <p class="muted">{t.results.erased}</p>;
  return (
    <pre class="scroll" tabIndex={0} role="group" aria-label={t.results.payload}>
      <code>{encoding === 'utf8' ? pretty(payload) : `base64: ${payload}`}</code>
    </pre>
  );
}

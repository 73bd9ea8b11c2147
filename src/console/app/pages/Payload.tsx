import { useState } from 'preact/hooks';
import { pretty } from '../json.ts';
import { Button } from '../parts/Button.tsx';
import { useCall } from '../parts/hooks.ts';
import { Answer } from '../parts/Notice.tsx';
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
  const asked = useCall('result', { id });
  return (
    <Answer asked={asked}>
      {({ result: { payload, encoding } }) =>
        payload === null ? (
          <p class="muted">{t.results.erased}</p>
        ) : (
          <pre class="scroll" tabIndex={0} role="group" aria-label={t.results.payload}>
            <code>{encoding === 'utf8' ? pretty(payload) : `base64: ${payload}`}</code>
          </pre>
        )
      }
    </Answer>
  );
}

import { call } from '../api.ts';
import { useAct, useCall } from '../parts/hooks.ts';
import { ConfigProblems } from '../parts/LastChange.tsx';
import { Answer, Failure, announce } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { t } from '../texts.ts';
import { Button } from '../parts/Button.tsx';
import { href } from '../router.ts';

export function ConfigFile() {
  const config = useCall('config', {});
  const act = useAct();
  const reload = async () => {
    config.take(await call('reload', {}));
    announce(t.config.reloaded);
  };
  return (
    <Page
      title={t.config.title}
      back={{ href: href(['config']), text: t.settings.title }}
      actions={
        <Button disabled={act.busy} onClick={() => void act.run(reload)}>
          {t.config.reload}
        </Button>
      }
    >
      <p class="muted lead">{t.config.means}</p>
      <Failure error={act.error} />
      <Answer asked={config}>
        {(data) => (
          <>
            <ConfigProblems config={data} />
            <dl class="facts">
              <div>
                <dt>{t.config.file}</dt>
                <dd class="mono">{data.file}</dd>
              </div>
              <div>
                <dt>{t.config.revision}</dt>
                <dd class="mono hash">{data.revision}</dd>
              </div>
            </dl>
            <pre class="scroll yaml" tabIndex={0} role="group" aria-label={t.config.text}>
              <code>{data.text.split('\n').map(coloured)}</code>
            </pre>
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Dims comments, so that the actual settings stand out. */
function coloured(line: string, index: number) {
  return /^\s*#/.test(line) ? (
    <span key={index} class="comment">
      {line}
      {'\n'}
    </span>
  ) : (
    `${line}\n`
  );
}

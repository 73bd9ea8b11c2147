import { useEffect, useRef, useState } from 'preact/hooks';
import type { Response } from '../../../control/protocol/protocol.ts';
import { ApiError, call, isAbort, signIn } from '../api.ts';
import { Button } from '../parts/Button.tsx';
import { TextField } from '../parts/Field.tsx';
import { FolderPicker } from '../parts/FolderPicker.tsx';
import { useAct } from '../parts/hooks.ts';
import { Failure, Loading, Notice } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { Details, Problem } from '../parts/Explanations.tsx';
import { Words } from '../parts/Words.tsx';
import { hidesDetails, textOf, type Said } from '../setupTexts.ts';
import { t } from '../texts.ts';

type State = Response<'setup'>;
type Question = NonNullable<State['question']>;
type Answer = string | number | boolean;

/** The questions of `receiptd setup --browser`, one at a time. That process decides what to ask and validates the answers. */
export function SetupPage() {
  const [state, setState] = useState<State | null>(null);
  const [lost, setLost] = useState<unknown>(null);
  useEffect(() => {
    const control = new AbortController();
    follow(setState, control.signal).catch((error: unknown) => {
      if (!isAbort(error)) setLost(error);
    });
    return () => control.abort();
  }, []);
  if (lost !== null && state?.end?.isDone !== true) return <Lost error={lost} />;
  if (state === null) return <Loading />;
  return <Conversation state={state} />;
}

/** Redeems the link, then long-polls the state and shows each change. */
async function follow(show: (state: State) => void, signal: AbortSignal): Promise<void> {
  const token = /^#setup=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    // Before anything else: it must not stay in the address bar or the history.
    history.replaceState(null, '', '#/setup');
    await signIn({ token: decodeURIComponent(token) });
  }
  let seen: number | undefined;
  let isOver = false;
  while (!isOver) {
    const state = await call('setup', seen === undefined ? {} : { seen }, signal);
    // One more request tells the agent that the page has seen the result.
    isOver = state.end?.isDone === true && seen === state.revision;
    seen = state.revision;
    show(state);
  }
}

function Lost({ error }: { readonly error: unknown }) {
  const isStranger = error instanceof ApiError && error.status === 401;
  return (
    <div class="sign-in">
      <Page title={isStranger ? t.setup.notSignedIn : t.setup.title}>
        <Failure error={error instanceof ApiError && error.status === 0 ? t.setup.lost : error} />
        {isStranger && (
          <>
            <p>{t.setup.how}</p>
            <pre>
              <code>receiptd setup --browser</code>
            </pre>
          </>
        )}
      </Page>
    </div>
  );
}

function Conversation({ state: { lines, question, end } }: { readonly state: State }) {
  const restart = useAct();
  const again = () => void restart.run(async () => void (await call('restartSetup', {})));
  const isOpen = end === null || !end.isDone;
  return (
    <div class="setup">
      <Page
        title={end?.isDone ? t.setup.done : t.setup.title}
        actions={
          isOpen && (question !== null || end !== null) && <Button onClick={again}>{t.setup.restart}</Button>
        }
      >
        <Failure error={restart.error} />
        <ol class="told" aria-live="polite">
          {lines.map(({ said, answer }, index) => (
            <li key={index} class={answer === null ? '' : 'answered'}>
              {answer === null ? <Told said={said} /> : textOf(said)}{' '}
              {answer !== null && <strong>{textOf(answer)}</strong>}
            </li>
          ))}
        </ol>
        {question !== null && (
          <Ask key={question.id} question={question} isFirst={lines.every(({ answer }) => answer === null)} />
        )}
        {question === null && end === null && (
          <p class="muted loading" role="status">
            {t.setup.busy}
          </p>
        )}
        {end !== null && (
          <Notice tone={end.isDone ? 'ok' : 'bad'} urgent>
            <p>
              {!end.isDone && <strong>{t.setup.failed}. </strong>}
              <Told said={end.message} />
            </p>
          </Notice>
        )}
        {end?.console && (
          <p>
            <a class="button primary" href={end.console}>
              {t.setup.openConsole}
            </a>
          </p>
        )}
      </Page>
    </div>
  );
}

/** A text in the reader's language; the agent's own sentence is folded below if it says more. */
function Told({ said }: { readonly said: Said }) {
  return (
    <>
      <Words text={textOf(said)} />
      {hidesDetails(said) && <Details text={said.text} />}
    </>
  );
}

function Ask({ question, isFirst }: { readonly question: Question; readonly isFirst: boolean }) {
  const { id, kind, said, otherwise, choices } = question;
  const text = textOf(said);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(typeof otherwise === 'number' ? otherwise : -1);
  const [problem, setProblem] = useState<Said | null>(null);
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, button')?.focus();
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const send = (answer: Answer) =>
    void act.run(async () => {
      setProblem(null);
      const { wrong } = await call('answerSetup', { question: id, answer });
      setProblem(wrong);
    });
  const back = () => void act.run(async () => void (await call('backInSetup', { question: id })));
  const isTrouble = act.error !== null || problem !== null;
  const described = !isTrouble ? {} : { 'aria-describedby': 'setup-problem' };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (kind !== 'yesNo') send(kind === 'choice' ? chosen : typed);
      }}
    >
      {kind === 'choice' || kind === 'yesNo' ? (
        <fieldset class="field" {...described}>
          <legend>{text}</legend>
          {choices.map(({ label, about }, index) => (
            <label key={index} class="check choice">
              <input
                type="radio"
                name="choice"
                checked={chosen === index}
                onChange={() => setChosen(index)}
              />
              <span>
                {textOf(label)}
                {about !== null && (
                  <span class="muted small">
                    {' '}
                    <Words text={textOf(about)} />
                  </span>
                )}
              </span>
            </label>
          ))}
          {kind === 'yesNo' && (
            <div class="actions">
              {[true, false].map((answer) => (
                <Button
                  key={String(answer)}
                  class={otherwise === answer ? 'primary' : ''}
                  disabled={act.busy}
                  onClick={() => send(answer)}
                >
                  {answer ? t.setup.yes : t.setup.no}
                </Button>
              ))}
            </div>
          )}
        </fieldset>
      ) : (
        <TextField
          id="answer"
          label={text}
          type={kind === 'secret' ? 'password' : 'text'}
          autocomplete="off"
          spellcheck={false}
          placeholder={typeof otherwise === 'string' ? otherwise : ''}
          value={typed}
          onValue={setTyped}
          {...described}
        />
      )}
      {kind === 'folder' && <FolderPicker onPicked={setTyped} />}
      {isTrouble && (
        <div id="setup-problem" class="act-error" role="alert">
          {problem === null ? <Problem error={act.error} /> : <Told said={problem} />}
        </div>
      )}
      <div class="form-actions">
        {kind !== 'yesNo' && (
          <button type="submit" class="primary" disabled={act.busy || (kind === 'choice' && chosen < 0)}>
            {t.setup.next}
          </button>
        )}
        {!isFirst && (
          <Button disabled={act.busy} onClick={back}>
            {t.setup.back}
          </Button>
        )}
      </div>
    </form>
  );
}

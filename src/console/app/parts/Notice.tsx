import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Icon, type IconName } from './Icon.tsx';
import { Button } from './Button.tsx';
import type { Loaded } from './hooks.ts';
import { Problem } from './Explanations.tsx';

export type Tone = 'ok' | 'info' | 'warn' | 'bad';

const ICONS: Readonly<Record<Tone, IconName>> = { ok: 'check', info: 'info', warn: 'wait', bad: 'alert' };

interface NoticeProps {
  readonly tone: Tone;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Announced by screen readers, because it responds to what the person just did. */
  readonly urgent?: boolean;
}

export function Notice({ tone, children, actions, urgent = false }: NoticeProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (urgent) box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={box} class={`notice ${tone}`} role={urgent ? 'alert' : undefined}>
      <Icon name={ICONS[tone]} />
      <div class="notice-text">{children}</div>
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

/** Explains an error and offers to try again; nothing if `error` is null. */
export function Failure({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  if (error === null) return null;
  return (
    <Notice tone="bad" urgent actions={again && <Button onClick={again}>{t.again}</Button>}>
      <Problem error={error} />
    </Notice>
  );
}

export function Loading() {
  return (
    <p class="muted loading" role="status">
      {t.loading}
    </p>
  );
}

interface AnswerProps<T> {
  readonly asked: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows the answer, or that it is loading, or why it could not be loaded. */
export function Answer<T>({ asked: { data, error, again }, children }: AnswerProps<T>) {
  return (
    <>
      <Failure error={error} again={again} />
      {data === null ? error === null && <Loading /> : children(data)}
    </>
  );
}

let tell: (text: string) => void = () => {};

/** Reports what was done, at the edge of the page and to screen readers. */
export function announce(text: string): void {
  tell(text);
}

const SHOWN_MS = 6000;

export function Announcer() {
  const [said, setSaid] = useState<{ text: string; at: number } | null>(null);
  useEffect(() => {
    tell = (text) => setSaid({ text, at: Date.now() });
  }, []);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div class="announcer" role="status" aria-live="polite">
      {said && <p class="said">{said.text}</p>}
    </div>
  );
}

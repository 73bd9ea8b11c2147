import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { Wrapped } from './Places.tsx';

interface PageProps {
  readonly title: string;
  /** Beside the heading: what can be done with the whole page. */
  readonly actions?: ComponentChildren;
  readonly back?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
}

/**
 * A screen reader is told of the new page by the heading, which gets the focus: with the page and not a
 * moment after it, when somebody may have moved the focus on already.
 */
export function Page({ title, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  const troubles = useLivePart(({ overview }) => overview?.troubles.filter(({ person }) => person).length);
  useEffect(() => {
    // Seen in the tab, whatever page is open.
    document.title = `${troubles ? `(${troubles}) ` : ''}${title} – ${t.product}`;
  }, [title, troubles]);
  return (
    <main id="main">
      {back && (
        <a class="back" href={back.href}>
          ← {back.text}
        </a>
      )}
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

interface SectionProps {
  readonly title: string;
  /** Tells it from others of the same title. */
  readonly about?: string;
  readonly id: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, about, id, actions, children }: SectionProps) {
  return (
    <section aria-labelledby={about === undefined ? id : `${id} ${id}-about`}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {about !== undefined && (
        <p class="muted" id={`${id}-about`}>
          <Wrapped text={about} />
        </p>
      )}
      {children}
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { Wrapped } from './Wrapped.tsx';

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly date?: string;
  /** Actions for the whole page, beside the heading. */
  readonly actions?: ComponentChildren;
  readonly back?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
}

/**
 * Focuses the heading so that screen readers announce the new page; together with rendering, because later the person may
 * have moved the focus.
 */
export function Page({ title, date, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  const troubles = useLivePart(
    ({ overview }) => overview?.problems.filter(({ needsAttention }) => needsAttention).length,
  );
  useEffect(() => {
    // Shows the number of problems in the tab on every page.
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
          {date && (
            <>
              {' '}
              <span class="date">{date}</span>
            </>
          )}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

interface SectionProps {
  readonly title: string;
  /** Distinguishes it from others with the same title. */
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

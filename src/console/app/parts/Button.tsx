import type { ButtonHTMLAttributes } from 'preact';

/** A button that does not submit the form, unlike the HTML default. */
export function Button(props: ButtonHTMLAttributes) {
  return <button type="button" {...props} />;
}

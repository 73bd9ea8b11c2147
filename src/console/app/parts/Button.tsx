import type { ButtonHTMLAttributes } from 'preact';

/** One that submits nothing, which a plain button in a form would. */
export function Button(props: ButtonHTMLAttributes) {
  return <button type="button" {...props} />;
}

import { useEffect, useRef } from 'preact/hooks';
import { keep, readKept } from './kept.ts';

/** By `KeyboardEvent.key`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = 'shortcuts';

/** Can be switched off, because single letters interfere with dictation. */
export const areShortcutsOn = (): boolean => readKept(KEY) !== 'off';
export const setShortcuts = (isOn: boolean): void => keep(KEY, isOn ? 'on' : 'off');

/** Elements that handle keys themselves. */
const OWN_KEYS = 'input:not([type="checkbox"]), textarea, select, dialog, summary, [role="group"][tabindex]';

/** Shortcuts active while the component is mounted, except during typing. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined || (event.key !== '?' && !areShortcutsOn())) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.target instanceof Element && event.target.closest(OWN_KEYS) !== null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** Focuses the next or previous link of a list. */
export function moveFocus(selector: string, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = links.findIndex((link) => link === document.activeElement);
  const to = at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[to]?.focus();
}

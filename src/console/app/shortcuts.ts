import { useEffect, useRef } from 'preact/hooks';
import { keep, readKept } from './kept.ts';

/** By `KeyboardEvent.key`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = 'shortcuts';

/** Single letters trip up people who dictate: they can be switched off. */
export const areShortcutsOn = (): boolean => readKept(KEY) !== 'off';
export const setShortcuts = (isOn: boolean): void => keep(KEY, isOn ? 'on' : 'off');

/** Where keys have another meaning already. */
const OWN_KEYS = 'input:not([type="checkbox"]), textarea, select, dialog, summary, [role="group"][tabindex]';

/** Keys that do something while this is shown, unless somebody types. */
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

/** The next or previous of the links in a list. */
export function moveFocus(selector: string, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = links.findIndex((link) => link === document.activeElement);
  const to = at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[to]?.focus();
}

import { call } from '../api.ts';
import { useNow, useAsk } from './hooks.ts';
import { LastChange } from './LastChange.tsx';

const RECENT_MS = 10 * 60_000;

/** Shown after returning from a form: the change just saved in one of these sections. */
export function RecentChange({ sections }: { readonly sections: readonly string[] }) {
  const { data, take } = useAsk((signal) => call('config', {}, signal), '');
  const now = useNow(30_000);
  const undo = data?.undo ?? null;
  if (data === null || undo === null || now - Date.parse(undo.at) > RECENT_MS) return null;
  const isOfThese = undo.keys.every((key) => sections.includes(key.split(/[.[]/, 1)[0] ?? ''));
  return isOfThese ? <LastChange config={data} onUndone={take} /> : null;
}

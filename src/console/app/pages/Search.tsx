import { useEffect, useRef, useState } from 'preact/hooks';
import { TextField } from '../parts/Field.tsx';

/** Pause between two keys of a fast typist. A search is cancelled when typing continues. */
const TYPING_MS = 100;

interface SearchProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly text: string;
  readonly maxLength: number;
  readonly onText: (text: string) => void;
}

/** Search field; calls `onText` when typing pauses. */
export function Search({ id, label, hint = '', text, maxLength, onText }: SearchProps) {
  const [typed, setTyped] = useState(text);
  const latest = useRef(onText);
  latest.current = onText;
  const told = useRef(text);
  useEffect(() => {
    // Ignore our own text coming back: more may have been typed since.
    if (text === told.current) return;
    told.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
      latest.current(typed);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      {...{ id, label, maxLength }}
      look="search"
      type="search"
      value={typed}
      spellcheck={false}
      placeholder={hint}
      onValue={setTyped}
    />
  );
}

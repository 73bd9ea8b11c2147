import { useEffect, useRef, useState } from 'preact/hooks';

/** As long as between two keys of who types fast; a search that goes on with another word is given up. */
const TYPING_MS = 100;

interface SearchProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly text: string;
  readonly maxLength: number;
  readonly onText: (text: string) => void;
}

/** Words to look for; told once somebody pauses in typing. */
export function Search({ id, label, hint = '', text, maxLength, onText }: SearchProps) {
  const [typed, setTyped] = useState(text);
  const latest = useRef(onText);
  latest.current = onText;
  const told = useRef(text);
  useEffect(() => {
    // What comes back of our own is older than what was typed since.
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
    <div class="field search">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed}
        maxLength={maxLength}
        spellcheck={false}
        placeholder={hint}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </div>
  );
}

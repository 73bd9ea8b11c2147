import { useState } from 'preact/hooks';
import { areShortcutsOn, setShortcuts, useShortcuts } from '../shortcuts.ts';
import { t } from '../texts.ts';
import { Button } from './Button.tsx';
import { useModal } from './Dialog.tsx';

/** `?` lists the shortcuts and lets people switch them off. */
export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ '?': () => setOpen(true) });
  return isOpen ? <Help onClose={() => setOpen(false)} /> : null;
}

function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">{t.shortcuts.title}</h2>
      <dl class="shortcuts">
        {Object.entries(t.shortcuts.keys).map(([keys, means]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            setShortcuts(currentTarget.checked);
            setOn(currentTarget.checked);
          }}
        />
        {t.shortcuts.on}
      </label>
      <div class="dialog-actions">
        <Button onClick={() => dialog.current?.close()}>{t.close}</Button>
      </div>
    </dialog>
  );
}

import { useState } from 'preact/hooks';
import type { DocumentDetailJson } from '../../../control/protocol/documents.ts';
import { call } from '../api.ts';
import { useOverview } from '../live.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { SelectField } from '../parts/Field.tsx';
import { announce } from '../parts/Notice.tsx';
import { isOf } from '../tally.ts';
import { t } from '../texts.ts';

interface ResendDialogProps {
  readonly document: DocumentDetailJson;
  /** Sends it under its name, unless it was sent. */
  readonly onRetry: () => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Says what it means to send this document again, which depends on whether the service has it. */
export function ResendDialog({ document, onRetry, onClose, onDone }: ResendDialogProps) {
  const endpoints = useOverview()?.endpoints ?? [];
  const [alias, setAlias] = useState('');
  const others = endpoints.filter((each) => !isOf(each, document));
  const isSent = document.state === 'accepted';
  const resend = async () => {
    const where = alias === '' ? {} : { endpoint: alias };
    const { outcome, name } = await call('resend', { name: document.name, ...where });
    announce(outcome === 'queued' ? t.resend.queued(name) : t.resend.duplicate(alias, name));
    onDone();
  };
  const send = async () => {
    await (isSent ? resend() : onRetry());
    onClose();
  };
  return (
    <Dialog title={t.resend.title} confirm={t.resend.confirm} onConfirm={send} onClose={onClose}>
      {isSent && (
        <SelectField
          id="resend-endpoint"
          label={t.resend.endpoint}
          value={alias}
          options={[
            { value: '', text: t.resend.same },
            ...others.map((each) => ({ value: each.alias, text: each.alias })),
          ]}
          onValue={setAlias}
        />
      )}
      <p>
        {!isSent
          ? t.resend.meansUnderName(document.name)
          : alias === ''
            ? t.resend.meansSame(document.name)
            : t.resend.meansOther(alias)}
      </p>
    </Dialog>
  );
}

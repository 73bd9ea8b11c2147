import { useState } from 'preact/hooks';
import type { DocumentDetailJson } from '../../../control/protocol/documents.ts';
import { call } from '../api.ts';
import { useOverview } from '../live.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useAct } from '../parts/hooks.ts';
import { announce } from '../parts/Notice.tsx';
import { t } from '../texts.ts';

interface ResendDialogProps {
  readonly document: DocumentDetailJson;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ResendDialog({ document, onClose, onDone }: ResendDialogProps) {
  const endpoints = useOverview()?.endpoints ?? [];
  const [alias, setAlias] = useState('');
  const act = useAct();
  const others = endpoints.filter(
    ({ endpoint }) => endpoint.uid !== document.endpointUid || endpoint.baseUrl !== document.baseUrl,
  );
  const send = async () => {
    const where = alias === '' ? {} : { endpoint: alias };
    const { outcome, name } = await call('resend', { name: document.name, ...where });
    announce(outcome === 'queued' ? t.resend.queued(name) : t.resend.duplicate(alias, name));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t.resend.title}
      confirm={t.resend.confirm}
      act={act}
      onConfirm={() => void act.run(send)}
      onClose={onClose}
    >
      <div class="field">
        <label for="resend-endpoint">{t.resend.endpoint}</label>
        <select
          id="resend-endpoint"
          value={alias}
          onChange={({ currentTarget }) => setAlias(currentTarget.value)}
        >
          <option value="">{t.resend.same}</option>
          {others.map((each) => (
            <option key={each.alias} value={each.alias}>
              {each.alias}
            </option>
          ))}
        </select>
      </div>
      <p>{alias === '' ? t.resend.meansSame(document.name) : t.resend.meansOther(alias)}</p>
    </Dialog>
  );
}

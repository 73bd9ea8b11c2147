import { expect, it } from 'vitest';
import { LedgerView } from './ledgerView.ts';
import { Obligations } from './obligations.ts';
import { Share } from './share.ts';
import { Timeline } from './timeline.ts';
import { Dice } from '../support/dice.ts';
import { sha256 as hashOf } from '../support/digest.ts';

it('a previously refused image that is scanned again is owed as soon as it fits into the spool', () => {
  const view = new LedgerView();
  const timeline = new Timeline(Dice.of(1, 'order'));
  const kind = { fileSystem: { name: 'ext4', network: false }, tickMs: 1, clockAheadMs: 0 };
  const share = new Share('/scans', kind, timeline);
  const file = share.write('again.jpg', Buffer.from('refused before'));
  const sha256 = hashOf(file.bytes);
  const refused = { uid: 'office', sha256, state: 'failed', begun: 1 } as ReturnType<
    LedgerView['documentOf']
  >;
  view.documentOf = () => refused;
  const obligations = new Obligations(view);
  obligations.scannedAgain({ uid: 'office', sha256, share, path: 'again.jpg', file }, refused!);
  expect(obligations.owed(() => false)).toEqual([]);
  expect(obligations.owed(() => true)).toHaveLength(1);
});

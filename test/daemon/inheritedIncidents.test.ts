import { expect, it } from 'vitest';
import { InheritedIncidents } from '../../src/daemon/inheritedIncidents.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';

const incident = (key: string) => ({
  key,
  code: 'FOLDER_UNREACHABLE' as const,
  params: { folder: key, detail: '' },
});

it('an incident stays open if the next generation finds it again, and is closed otherwise', async () => {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const all = new OpenIncidents({ clock, log });
  all.open(incident('of the process'));
  const incidents = new InheritedIncidents(all);
  incidents.open(incident('a'));
  incidents.open(incident('b'));
  const { since } = all.list()[1] ?? {};
  await clock.advance(60_000);
  incidents.passOn();
  incidents.open(incident('a'));
  expect(all.list().map(({ key }) => key)).toEqual(['of the process', 'a', 'b']);
  incidents.settle();
  expect(all.list().map(({ key }) => key)).toEqual(['of the process', 'a']);
  expect(all.list()[1]?.since).toBe(since);
  expect(log.said('A problem began').map(({ fields }) => fields?.folder)).toEqual([
    'of the process',
    'a',
    'b',
  ]);
  incidents.passOn();
  incidents.passOn();
  incidents.settle();
  expect(all.list().map(({ key }) => key)).toEqual(['of the process']);
});

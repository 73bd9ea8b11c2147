import { expect, it, vi } from 'vitest';
import { Member } from '../../src/ledger/fleet/member.ts';
import { isFault } from '../../src/core/messages.ts';
import { agentOptions } from './support/agents.ts';

it('says which failures of a part are of the server, and may be tried again', async () => {
  const [lost, faulty] = [new Error('Connection terminated'), new Error('a bad row')];
  const member = new Member(agentOptions('postgres://server/database'));
  vi.spyOn(member, 'session', 'get').mockReturnValue({ agent: 1, epoch: 1 });
  vi.spyOn(member.core, 'run').mockResolvedValue([[{ isDone: true }, { fault: lost }, { fault: faulty }]]);
  const [ended = []] = await member.run([['end', []]]);
  expect(ended[0]).toEqual({ isDone: true });
  expect(ended.slice(1).map((each) => isFault(each) && each.fault)).toMatchObject([
    { code: 'LEDGER_UNREACHABLE', cause: lost },
    { message: 'a bad row' },
  ]);
});

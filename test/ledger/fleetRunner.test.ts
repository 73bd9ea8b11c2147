import { expect, it } from 'vitest';
import { FleetRunner, type FleetRunnerOptions } from '../../src/ledger/fleet/runner.ts';
import { isFault } from '../../src/core/messages.ts';

it('says which failures of a part are of the server, and may be tried again', async () => {
  const [lost, faulty] = [new Error('Connection terminated'), new Error('a bad row')];
  const answers = [[{ isDone: true }, { fault: lost }, { fault: faulty }]];
  // What it does not use here is left out.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const runner = new FleetRunner({
    core: { run: async () => answers },
    member: { session: { epoch: 1 }, where: 'the database' },
    trouble: { error: () => null },
  } as unknown as FleetRunnerOptions);
  const [ended = []] = await runner.run([['end', []]]);
  expect(ended[0]).toEqual({ isDone: true });
  expect(ended.slice(1).map((each) => isFault(each) && each.fault)).toMatchObject([
    { code: 'LEDGER_UNREACHABLE', cause: lost },
    { message: 'a bad row' },
  ]);
});

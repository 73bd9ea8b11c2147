import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packagedUnit } from '../../../src/features/os-service/packagedUnit.ts';

it('waits for its configuration, which a unit of `service install` with another one does not', async () => {
  const [head = ''] = packagedUnit().split('[Service]');
  expect(head).toContain('\nConditionPathExists=/etc/receiptd/receiptd.yaml\n');
  // What the package adds holds for a unit in /etc/systemd/system as well.
  const dropIn = await readFile(join(import.meta.dirname, '../../../packaging/debian/receiptd.conf'), 'utf8');
  expect(dropIn).not.toMatch(/^(Condition|Assert)/m);
});

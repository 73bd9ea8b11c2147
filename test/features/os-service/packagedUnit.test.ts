import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packagedUnit } from '../../../src/features/os-service/packagedUnit.ts';

it('the packaged unit waits for its configuration; a unit of `service install` for another one does not', async () => {
  const [head = ''] = packagedUnit().split('[Service]');
  expect(head).toContain('\nConditionPathExists=/etc/receiptd/receiptd.yaml\n');
  // The drop-in of the package also applies to a unit in /etc/systemd/system.
  const dropIn = await readFile(join(import.meta.dirname, '../../../packaging/debian/receiptd.conf'), 'utf8');
  expect(dropIn).not.toMatch(/^(Condition|Assert)/m);
});

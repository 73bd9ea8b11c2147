import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemUnit } from '../../src/features/os-service/systemd/unit.ts';
import { anAgent } from '../features/os-service/agents.ts';

it('docs/service.md shows the unit that is installed', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/service.md'), 'utf8');
  const [, shown] = /```ini\n(# Made by .*?)```/s.exec(text) ?? [];
  expect(shown).toBe(systemUnit(anAgent({ command: ['/usr/bin/receiptd'] }), 'receiptd'));
});

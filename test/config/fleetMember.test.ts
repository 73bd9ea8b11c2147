import { expect, it } from 'vitest';
import { agentName, databasePlace, sharesOf } from '../../src/config/fleetMember.ts';
import type { PostgresConfig } from '../../src/config/config.ts';

const LEDGER: PostgresConfig = {
  kind: 'postgres',
  url: 'postgres://receiptd@db1:5433,db2/office?sslmode=verify-full',
  passwordFile: null,
  ca: null,
  agent: null,
  lease: 15_000,
};

it.each([
  ['scan-pc', 'scan-pc'],
  ['Scan_PC.office.example.com', 'Scan_PC-office-example-com'],
  ['-x', 'agent-x'],
  ['share', 'agent-share'],
  ['büro', 'b-ro'],
  [`${'a'.repeat(62)}.example`, 'a'.repeat(62)],
  ['…', 'agent'],
])('an agent on the host %s is called %s', (host, name) => {
  expect(agentName(LEDGER, host)).toBe(name);
  expect(agentName({ ...LEDGER, agent: 'front' }, host)).toBe('front');
});

it('shares are listed by their paths on this machine', () => {
  const folders = [
    { path: '/a', share: 'scans' },
    { path: '/b', share: null },
  ];
  expect([...sharesOf(folders)]).toEqual([['/a', 'scans']]);
});

it('the location of the ledger contains no user name', () => {
  expect(databasePlace(LEDGER)).toBe('the database office at db1, db2');
});

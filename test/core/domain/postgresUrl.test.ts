import { expect, it } from 'vitest';
import { readPostgresUrl, withParameter } from '../../../src/core/domain/postgresUrl.ts';

it.each([
  ['postgres://ann@db.example.com/ledger', { user: 'ann', hosts: ['db.example.com'], database: 'ledger' }],
  ['postgresql://ann@db:5433/ledger', { hosts: ['db'] }],
  ['postgres://ann@a:5432,b,[fe80::1]:5433/ledger', { hosts: ['a', 'b', 'fe80::1'] }],
  ['postgres://ann@/ledger?host=%2Frun%2Fpostgresql', { hosts: ['/run/postgresql'] }],
  ['postgres://ann@%2Frun%2Fpostgresql/ledger', { hosts: ['/run/postgresql'], database: 'ledger' }],
  ['postgres://a%40b@db/my%20ledger', { user: 'a@b', database: 'my ledger' }],
  ['postgres://ann:open@db/ledger', { user: 'ann', hasPassword: true }],
  ['postgres://ann:@db/ledger', { hasPassword: true }],
  ['postgres://ann@db/ledger?password=open', { hasPassword: true }],
  ['postgres://db', { user: '', hasPassword: false, hosts: ['db'], database: '' }],
  ['postgres://', { hosts: [] }],
])('reads %s', (text, read) => {
  expect(readPostgresUrl(text)).toMatchObject(read);
});

it.each([
  'https://ann@db/ledger',
  'postgres:ann@db/ledger',
  'db/ledger',
  'postgres://ann@db:0/ledger',
  'postgres://ann@db:65536/ledger',
  'postgres://ann@a,,b/ledger',
  'postgres://ann@db/ledger/more',
  'postgres://ann@db/%zz',
  'postgres://ann@db/ledger#part',
  'postgres://a@b@db/ledger',
])('rejects %s', (text) => {
  expect(readPostgresUrl(text)).toBeNull();
});

it('sets a parameter, replacing an existing one', () => {
  expect(withParameter('postgres://a@db/l', 'sslmode', 'disable')).toBe('postgres://a@db/l?sslmode=disable');
  expect(withParameter('postgres://a@db/l?sslmode=require&host=%2Frun', 'sslmode', 'verify-full')).toBe(
    'postgres://a@db/l?host=%2Frun&sslmode=verify-full',
  );
});

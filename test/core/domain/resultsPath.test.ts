import { expect, it } from 'vitest';
import { withoutSecret } from '../../../src/core/domain/resultsPath.ts';

it('stores the service’s record of an endpoint without the secret, however its JSON encodes the address', () => {
  const secret = 'aZ_-'.repeat(11).slice(0, 43);
  expect(withoutSecret(`{"outgoingUrl":"https://a.example/results/${secret}/u"}`)).toBe(
    '{"outgoingUrl":"https://a.example/results/[redacted]/u"}',
  );
  expect(withoutSecret(`https:\\/\\/a\\/results\\/${secret}`)).toBe('https:\\/\\/a\\/results\\/[redacted]');
  const other = `{"outgoingUrl":"https://a.example/results/${secret}x","n":1.10}`;
  expect(withoutSecret(other)).toBe(other);
});

import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/core/domain/nearest.ts';

const KEYS = ['baseUrl', 'recursive', 'rate', 'path', 'concurrency', 'endpoint'];

describe('a suggestion', () => {
  it.each([
    ['base_url', 'baseUrl'],
    ['baseURL', 'baseUrl'],
    ['recursiv', 'recursive'],
    ['rtae', 'rate'],
    ['concurency', 'concurrency'],
    ['endpiont', 'endpoint'],
    ['paths', 'path'],
  ])('for %s is %s', (written, meant) => {
    expect(nearest(written, KEYS)).toBe(meant);
  });

  it.each(['x', 'settle', 'colour', ''])('is not made for %j', (written) => {
    expect(nearest(written, KEYS)).toBeUndefined();
  });

  it('is the nearest candidate, not the first near one', () => {
    expect(nearest('offices', ['officer2', 'office', 'offices1'])).toBe('office');
    expect(nearest('perMont', ['perMonday', 'perMonth'])).toBe('perMonth');
  });
});

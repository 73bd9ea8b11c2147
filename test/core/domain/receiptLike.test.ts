import { describe, expect, it } from 'vitest';
import { needsPerson, type Case } from '../../../src/core/domain/needsPerson.ts';
import { mayBeReceipt, type Content } from '../../../src/core/domain/receiptLike.ts';

describe('a file that cannot be sent may be a receipt', () => {
  it.each<[string, Content]>([
    ['scan.jpg', 'text'],
    ['2026/SCAN.JPEG', 'unknown'],
    ['photo.heic', 'unread'],
    ['invoice.pdf', 'file'],
    ['page.jp2', 'image'],
    ['notes.txt', 'image'],
    ['SCAN0001', 'unknown'],
    ['SCAN0001', 'unread'],
    ['scan.v2', 'unread'],
    ['.jpg', 'unknown'],
  ])('if its name or its content suggests one, or neither tells what it is: %s (%s)', (path, content) => {
    expect(mayBeReceipt(path, content)).toBe(true);
  });

  it.each<[string, Content]>([
    ['notes.txt', 'text'],
    ['readme', 'text'],
    ['desktop.ini', 'unknown'],
    ['Thumbs.db', 'unknown'],
    ['backup.zip', 'unread'],
    ['archive', 'file'],
    ['film.mp4', 'unread'],
    ['sub/._scan.jpg', 'unknown'],
  ])('but not if both name and content rule it out: %s (%s)', (path, content) => {
    expect(mayBeReceipt(path, content)).toBe(false);
  });
});

describe('a person is needed', () => {
  const one: Case = { state: 'rejected', reason: 'TOO_LARGE', isGone: false, isDismissed: false };

  it('for files that will not be sent automatically', () => {
    expect(needsPerson(one)).toBe(true);
    for (const state of ['failed', 'unconfirmed', 'lost', 'incomplete', 'unreadable'] as const)
      expect(needsPerson({ ...one, state })).toBe(true);
  });

  it('not for anything that is sent, is no receipt, has left, or was dismissed', () => {
    for (const state of ['queued', 'uploading', 'held', 'accepted', 'duplicate', 'skipped'] as const)
      expect(needsPerson({ ...one, state })).toBe(false);
    expect(needsPerson({ ...one, reason: 'NOT_AN_IMAGE' })).toBe(false);
    expect(needsPerson({ ...one, isGone: true })).toBe(false);
    expect(needsPerson({ ...one, isDismissed: true })).toBe(false);
    expect(needsPerson({ ...one, state: 'failed', isDismissed: true })).toBe(false);
  });
});

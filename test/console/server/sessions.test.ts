import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sessions } from '../../../src/console/server/sessions.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function prepare() {
  const clock = new FakeClock();
  return { clock, sessions: new Sessions({ clock, random: randomBytes }) };
}

describe('the token of a sign-in link', () => {
  it('can be used once', () => {
    const { sessions } = prepare();
    const { token } = sessions.issueToken();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect([sessions.redeem(token), sessions.redeem(token)]).toEqual([true, false]);
  });

  it('is valid for five minutes', async () => {
    const { clock, sessions } = prepare();
    const { token: used, validUntil } = sessions.issueToken();
    const { token: late } = sessions.issueToken();
    expect(validUntil).toBe(clock.now() + 5 * MINUTE);
    await clock.advance(5 * MINUTE - 1);
    expect(sessions.redeem(used)).toBe(true);
    await clock.advance(1);
    expect(sessions.redeem(late)).toBe(false);
  });

  it('is rejected if it was never issued', () => {
    const { sessions } = prepare();
    sessions.issueToken();
    expect(['', 'a', '__proto__'].map((token) => sessions.redeem(token))).toEqual([false, false, false]);
  });

  it('is dropped once twenty newer ones are issued', () => {
    const { sessions } = prepare();
    const tokens = Array.from({ length: 21 }, () => sessions.issueToken().token);
    expect(tokens.map((token) => sessions.redeem(token))).toEqual([false, ...Array<boolean>(20).fill(true)]);
  });

  it('is pending until it is used or expires', async () => {
    const { clock, sessions } = prepare();
    expect(sessions.sweep()).toBe(false);
    sessions.redeem(sessions.issueToken().token);
    expect(sessions.sweep()).toBe(false);
    sessions.issueToken();
    expect(sessions.sweep()).toBe(true);
    await clock.advance(5 * MINUTE);
    expect(sessions.sweep()).toBe(false);
  });
});

describe('a session', () => {
  it('ends after twelve hours without use', async () => {
    const { clock, sessions } = prepare();
    const secret = sessions.begin(null);
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(12 * HOUR - 1);
      expect(sessions.find([secret])).not.toBeNull();
    }
    await clock.advance(12 * HOUR);
    expect(sessions.find([secret])).toBeNull();
  });

  it('ends after seven days, even if it is in use', async () => {
    const { clock, sessions } = prepare();
    const secret = sessions.begin(null);
    for (let hours = 6; hours < 7 * 24; hours += 6) {
      await clock.advance(6 * HOUR);
      expect(sessions.find([secret])).not.toBeNull();
    }
    await clock.advance(7 * DAY - 27 * 6 * HOUR);
    expect(sessions.find([secret])).toBeNull();
  });

  it('ends once there are a hundred newer ones', () => {
    const { sessions } = prepare();
    const secrets = Array.from({ length: 101 }, () => sessions.begin(null));
    expect(secrets.map((secret) => sessions.find([secret]) !== null)).toEqual([
      false,
      ...Array<boolean>(100).fill(true),
    ]);
  });

  it('notifies its listeners when it ends', async () => {
    const { clock, sessions } = prepare();
    const [ended, idle] = [sessions.begin(null), sessions.begin('print')];
    const over: string[] = [];
    sessions.find([ended])?.onOver(() => over.push('ended'));
    sessions.find([ended])?.onOver(() => over.push('taken back'))();
    sessions.find([idle])?.onOver(() => over.push('idle'));
    sessions.end([ended]);
    expect(over).toEqual(['ended']);
    await clock.advance(12 * HOUR);
    sessions.sweep();
    expect(over).toEqual(['ended', 'idle']);
  });

  it('is found among forged cookies', () => {
    const { sessions } = prepare();
    expect(sessions.find(['planted', sessions.begin('print')])?.password).toBe('print');
    expect(sessions.find(['planted'])).toBeNull();
    expect(sessions.find([])).toBeNull();
  });
});

describe('a clock jump', () => {
  it('backward extends neither a link nor a session', async () => {
    const { clock, sessions } = prepare();
    const { token } = sessions.issueToken();
    const secret = sessions.begin(null);
    clock.jump(-400 * DAY);
    await clock.advance(5 * MINUTE);
    expect(sessions.redeem(token)).toBe(false);
    expect(sessions.find([secret])).not.toBeNull();
    await clock.advance(12 * HOUR);
    expect(sessions.find([secret])).toBeNull();
  });

  it('forward, as after a suspend, ends what has expired', () => {
    const { clock, sessions } = prepare();
    const { token } = sessions.issueToken();
    const secret = sessions.begin(null);
    clock.jump(13 * HOUR);
    expect(sessions.redeem(token)).toBe(false);
    expect(sessions.find([secret])).toBeNull();
  });
});

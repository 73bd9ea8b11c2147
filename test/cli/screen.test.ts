import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { Screen, wrap } from '../../src/cli/screen.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';

const texts = await cliTextsIn('en', String);

describe('a line that is too long for the screen', () => {
  it('wraps and keeps its indentation', () => {
    expect(wrap('short', 10)).toEqual(['short']);
    expect(wrap('  one two three', 9)).toEqual(['  one two', '  three']);
  });

  it('is measured in terminal columns: wide characters count double, color codes not at all', () => {
    expect(wrap('領収書 領収書', 8)).toEqual(['領収書', '領収書']);
    expect(wrap('\x1b[31mred\x1b[39m word', 8)).toEqual(['\x1b[31mred\x1b[39m word']);
  });

  it('stays whole if it is a single word', () => {
    expect(wrap('/a/very/long/path', 5)).toEqual(['/a/very/long/path']);
  });
});

function terminal(rows: number, columns: number) {
  let text = '';
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => void modes.push(raw) });
  const stdout = Object.assign(new PassThrough(), { rows, columns });
  stdout.on('data', (data: Buffer) => (text += data.toString()));
  return {
    io: { stdin, stdout, texts } as unknown as Io,
    stdin,
    modes,
    take: () => [text, (text = '')][0] ?? '',
  };
}

describe('a screen', () => {
  it('redraws in place and restores the terminal on close', () => {
    const { io, modes, take } = terminal(10, 40);
    const screen = new Screen(io);
    expect(take()).toBe('\x1b[?1049h\x1b[?25l');
    screen.draw(['one', 'two']);
    expect(take()).toBe('\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J');
    screen.close();
    expect(take()).toBe('\x1b[?25h\x1b[?1049l');
    expect(modes).toEqual([true, false]);
  });

  it('shows how many lines did not fit', () => {
    const { io, take } = terminal(3, 60);
    const screen = new Screen(io);
    take();
    screen.draw(['1', '2', '3', '4', '5']);
    const drawn = take();
    expect(drawn).toContain(`2\x1b[K\r\n${texts.moreLines(3)}`);
    expect(drawn).not.toContain('\r\n3');
    screen.close();
  });

  it('assumes 80 by 24 if the terminal reports no size', () => {
    const { io, take } = terminal(0, 0);
    const screen = new Screen(io);
    take();
    screen.draw(Array.from({ length: 24 }, (_, n) => `line ${n}`));
    expect(take()).toContain('line 23');
    screen.close();
  });

  it('receives keys until it is closed', () => {
    const { io, stdin } = terminal(3, 60);
    const screen = new Screen(io);
    const keys: string[] = [];
    screen.onKey((key) => keys.push(key));
    stdin.emit('data', Buffer.from('q'));
    screen.close();
    stdin.emit('data', Buffer.from('x'));
    expect(keys).toEqual(['q']);
  });
});

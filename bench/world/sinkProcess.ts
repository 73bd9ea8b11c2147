import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SinkReport } from './sink.ts';

export interface Sink {
  readonly url: string;
  readonly port: number;
  reset(): Promise<void>;
  report(): Promise<SinkReport>;
  close(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./sink.js', import.meta.url));

/** Starts the sink as a child process. */
export async function startSink({
  answerAfterMs = 0,
}: { readonly answerAfterMs?: number } = {}): Promise<Sink> {
  const child = spawn(process.execPath, [PROGRAM, '--answer-after', String(answerAfterMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(said.toString().trim());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    reset: async () => void (await fetch(`${url}/reset`)),
    report: async () => (await (await fetch(`${url}/report`)).json()) as SinkReport,
    close: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

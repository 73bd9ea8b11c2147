/** A day of the built program, recorded under strace: everything that it makes durable, and everything that it says. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MAIN,
  OFFICE,
  prepare,
  Running,
  sha256,
  type Site,
  temporaryDirectory,
  until,
} from '../../e2e/support/agent.ts';
import { compiledSources } from '../../support/compiled.ts';
import { drawReceipt } from '../../support/images.ts';
import { launch } from '../../support/launch.ts';
import { freePort } from '../../support/ports.ts';
import { readTrace, straceOptions, type Timed } from './trace.ts';

/** Occurs in paths, but not in names. */
export const PERSONAL = 'of-jane-doe';

export interface Story {
  readonly site: Site;
  readonly calls: readonly Timed[];
  /** With `spool: always`. */
  readonly isSpooled: boolean;
  /** Paths of the scans, by their hash. */
  readonly scans: ReadonlyMap<string, string>;
}

export class Recorder {
  readonly site: Site;
  readonly #traces: { readonly file: string; readonly running: Running }[] = [];
  readonly #put: Timed[] = [];
  readonly scans = new Map<string, string>();

  constructor(site: Site) {
    this.site = site;
  }

  start(args: readonly string[], inject: readonly string[] = [], input?: string): Running {
    return this.node([MAIN, ...args, '--config', this.site.config], inject, input);
  }

  /** Runs a script under strace. */
  node(args: readonly string[], inject: readonly string[] = [], input?: string): Running {
    const file = `${this.site.dir}.trace-${this.#traces.length}`;
    const { PATH = '', HOME = '' } = process.env;
    // strace counts faults per thread.
    const env = {
      PATH,
      HOME,
      TMPDIR: tmpdir(),
      ...this.site.env,
      ...(inject.length > 0 && { UV_THREADPOOL_SIZE: '1' }),
    };
    const command = [...straceOptions(file, inject), process.execPath, ...args];
    const running = new Running(
      launch('strace', command, { cwd: this.site.dir, env, stdin: input === undefined ? 'ignore' : 'pipe' }),
    );
    running.child.stdin?.end(input);
    this.#traces.push({ file, running });
    return running;
  }

  async must(args: string, { inject = [] as string[], input }: { inject?: string[]; input?: string } = {}) {
    const ended = await this.start(args.split(' '), inject, input).ended;
    if (ended.status !== 0) throw new Error(`${args}: ${JSON.stringify(ended)}`);
  }

  async put(path: string, bytes: Buffer): Promise<void> {
    this.#put.push({ kind: 'put', path, bytes, time: Date.now() });
    await writeFile(path, bytes);
  }

  async remove(path: string): Promise<void> {
    this.#put.push({ kind: 'unlink', path, time: Date.now() });
    await rm(path);
  }

  async scan(...path: string[]): Promise<string> {
    const bytes = await drawReceipt({ type: 'jpeg', seed: path.join('/') });
    this.scans.set(sha256(bytes), join(...path));
    await this.put(this.site.file(...path), bytes);
    return sha256(bytes);
  }

  async end({ isSpooled = false } = {}): Promise<Story> {
    const calls = [...this.#put];
    for (const { file, running } of this.#traces) {
      const { pid } = running;
      await running.ended;
      // strace outlives the program that it traces.
      await until(async () =>
        new RegExp(`^${pid} .*\\+\\+\\+ (?:exited|killed)`, 'm').test(await readFile(file, 'latin1')),
      );
      calls.push(...(await readTrace(file)));
    }
    const { site, scans } = this;
    return { site, scans, isSpooled, calls: calls.toSorted((a, b) => a.time - b.time) };
  }
}

/** One thing after the other, so that at each answer everything before it is over. */
export async function recordDay(): Promise<Story> {
  const site = await prepare({}, { dir: await temporaryDirectory() });
  const port = await freePort();
  const recorder = new Recorder(site);
  await site.configure({
    spool: 'always',
    folders: [
      {
        path: site.file('inbox'),
        endpoint: 'office',
        name: '{hash:16}',
        afterUpload: 'archive',
        archiveTo: site.file('archive'),
      },
      { path: site.file('kept'), endpoint: 'office' },
    ],
    results: { listen: `127.0.0.1:${port}`, command: ['/bin/sh', '-c', `cat >> ${site.file('booked')}`] },
  });
  await recorder.put(site.config, await readFile(site.config));
  const agent = recorder.start(['run']);
  await agent.logged('receiptd has started');
  const url = (
    await site.look('results', 'url', '--endpoint', 'office', '--base', `http://127.0.0.1:${port}`)
  ).stdout.trim();
  const list = () => site.list();
  const settled = async (count: number) => {
    await until(
      async () =>
        (await list()).filter(({ state }) => state !== 'queued' && state !== 'uploading').length === count,
    );
  };
  await recorder.scan('inbox', `a-${PERSONAL}.jpg`);
  await settled(1);
  await until(async () => (await list())[0]?.archivedTo !== null);
  await recorder.scan('kept', 'b.jpg');
  await settled(2);
  site.sandbox.misbehave({ kind: 'status', status: 422, times: 1 });
  const refused = await recorder.scan('kept', 'c.jpg');
  await settled(3);
  const name = (sha: string, rows: Awaited<ReturnType<typeof list>>) =>
    rows.find((each) => each.sha256 === sha)?.name ?? '';
  const rows = await list();
  const [first = ''] = recorder.scans.keys();
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ name: name(first, rows), endpointUid: OFFICE, status: 'DONE' }),
  });
  if (answer.status !== 204) throw new Error(`${url}: ${answer.status}`);
  await until(async () =>
    /^[1-9]/.test(await readFile(join(site.stateDir, 'results-handed'), 'utf8').catch(() => '')),
  );
  await recorder.must(`dismiss ${name(refused, rows)}`);
  await recorder.must(`retry ${name(refused, rows)}`);
  await until(async () => (await site.list('--state', 'accepted')).length === 3);
  await recorder.must(`backup ${site.file('backup.receiptd')}`);
  await recorder.must(`erase ${name(first, rows)} --yes`);
  await agent.stop();
  return recorder.end({ isSpooled: true });
}

/** Commands that change the state directory or the configuration while no agent runs. */
export async function recordCommands(): Promise<Story> {
  const site = await prepare({}, { dir: await temporaryDirectory() });
  const recorder = new Recorder(site);
  await site.configure({
    results: { listen: '127.0.0.1:8470' },
    folders: [
      {
        path: site.file('inbox'),
        endpoint: 'office',
        afterUpload: 'archive',
        archiveTo: site.file('archive'),
      },
    ],
  });
  await recorder.put(site.config, await readFile(site.config));
  const archive = site.file('moved.receiptd');
  await recorder.scan('inbox', 'a.jpg');
  await recorder.must('run --once');
  await recorder.must('results url --endpoint office --base http://127.0.0.1:8470');
  await recorder.must('login --store file --client-id e2e', { input: 'e2e-secret\n' });
  await recorder.must(`backup --final ${archive}`);
  await recorder.must('backup --reopen --yes');
  await recorder.scan('inbox', 'b.jpg');
  // It can't be linked into its archive, so it is copied.
  await recorder.must('run --once', { inject: ['link,linkat:error=EXDEV:when=1'] });
  await recorder.must(`restore ${archive} --older --yes`);
  // The journal is all that is left, so the ledger is made anew from it.
  await recorder.remove(join(site.stateDir, 'ledger.db'));
  await recorder.must('run --once');
  await recorder.must(`restore ${archive} --beside ${site.file('beside')}`);
  return recorder.end();
}

/** What an agent makes durable while its shared ledger is away. */
export async function recordDeferring(): Promise<Story> {
  const site = await prepare({}, { dir: await temporaryDirectory() });
  const recorder = new Recorder(site);
  const script = join(await compiledSources(), 'test', 'reliability', 'durability', 'deferring.js');
  const { status, stderr } = await recorder.node([script, site.dir]).ended;
  if (status !== 0) throw new Error(stderr);
  return recorder.end();
}

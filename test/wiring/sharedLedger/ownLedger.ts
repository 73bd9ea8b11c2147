import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { openOwn } from '../../../src/wiring/ledger.ts';
import type { Config } from '../../../src/config/config.ts';
import { parseConfig } from '../../../src/config/load.ts';
import type { EndpointKey } from '../../../src/core/domain/document.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Admitted } from '../../../src/core/ports/ledgerIntake.ts';
import { hashOf, naming } from '../../contract/ledger/support.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { begin, finish } from '../../support/uploads.ts';

export const OFFICE: EndpointKey = {
  baseUrl: 'https://service.example/api',
  uid: '11111111-2222-4333-8444-555555555555',
};
export const AT = 1_700_000_000_000;

/** A machine with its own SQLite ledger. */
export class Machine {
  readonly config: Config;
  readonly dir: string;
  ledger!: Ledger;
  /** Number of documents so far, which makes names and bytes unique. */
  #made = 0;

  private constructor(dir: string) {
    this.dir = dir;
    const text = `stateDir: ${dir}/state
service: { baseUrl: ${OFFICE.baseUrl} }
endpoints:
  office: { uid: ${OFFICE.uid} }
folders:
  - { path: ${dir}/inbox, endpoint: office }
`;
    const context = { env: {}, cwd: dir, platform: 'linux' as const, home: dir, isRoot: false };
    this.config = parseConfig(text, join(dir, 'receiptd.yaml'), context);
  }

  static async make(): Promise<Machine> {
    const machine = new Machine(await mkdtemp(join(memoryDirectory(), 'receiptd-move-')));
    const { prepareStateDir } = await import('../../../src/state-dir/stateDir.ts');
    await prepareStateDir(machine.config);
    await machine.open();
    return machine;
  }

  async open(): Promise<void> {
    this.ledger = await openOwn(this.config, { onMended: () => {} });
  }

  sharedAt(url: string, agent: string): Config['ledger'] {
    return { kind: 'postgres', url, passwordFile: null, ca: null, agent, lease: 15_000 };
  }

  get folder(): string {
    return join(this.dir, 'inbox');
  }

  async admit(content: string, name: string): Promise<Admitted> {
    this.#made += 1;
    const identity = { size: 7, mtimeNs: 2n ** 60n + BigInt(this.#made), ctimeNs: 3n, inode: 2n ** 63n + 5n };
    return this.ledger.admit({
      endpoint: OFFICE,
      file: { folder: this.folder, path: `sub/Beleg ${content}.jpg`, identity },
      sha256: hashOf(content),
      type: 'jpeg',
      lane: this.#made % 3 === 0 ? 'backlog' : 'fresh',
      at: AT + this.#made,
      naming: name.includes('#') ? naming(name.replace('#', '{seq}'), content) : [name],
    });
  }

  /** Creates documents in each state in turn, with their files, attempts and results. */
  async work(from: number, count: number): Promise<void> {
    const { ledger, folder } = this;
    const many = Array.from({ length: count }, (_, n) => from + n);
    const erased: number[] = [];
    await Promise.all(
      many.map(async (n) => {
        const { document } = await this.admit(`${this.dir} ${n}`, `R-#-${n}`);
        const at = AT + 1_000 + n;
        if (n % 12 === 0) return;
        if (n % 12 === 1) return ledger.markLost(document.id, `weg: "${n}"`, at);
        const attempt = await begin(ledger, document.id, at, 7);
        if (n % 400 === 2) return;
        const ended = (
          outcome: 'accepted' | 'refused' | 'trouble' | 'unknown',
          httpStatus: number | null,
        ) => ({
          at: at + 5,
          outcome,
          httpStatus,
          message: outcome === 'accepted' ? null : `Ärger \\ {${n}}, 'NULL'`,
        });
        const why = { reason: 'SOME', message: 'x\ty\nz' };
        if (n % 12 === 3)
          return finish(ledger, attempt, {
            ...ended('refused', 422),
            transition: { state: 'failed', ...why },
          });
        if (n % 12 === 4)
          return finish(ledger, attempt, {
            ...ended('unknown', null),
            transition: { state: 'unconfirmed', ...why },
          });
        if (n % 12 === 5) {
          const later = {
            state: 'queued' as const,
            notBefore: at + 60_000,
            answerLost: true,
            serverError: true,
          };
          return finish(ledger, attempt, { ...ended('trouble', 503), transition: { ...later, ...why } });
        }
        const accepted = { state: 'accepted' as const, serviceStatus: 'PROCESSING', response: `{"n":${n}}` };
        await finish(ledger, attempt, { ...ended('accepted', 201), transition: accepted });
        if (n % 12 === 6) erased.push(document.id);
        if (n % 12 === 7) await ledger.gone(folder, [`sub/Beleg ${this.dir} ${n}.jpg`], at + 9);
        return undefined;
      }),
    );
    await ledger.erase(erased, AT + 2_000 + from);
    const identity = { size: 1, mtimeNs: 1n, ctimeNs: 2n, inode: 3n };
    await ledger.note(
      { folder, path: `notes ${from}.txt`, identity },
      { verdict: 'rejected', reason: 'TYPE', message: 'no image', sha256: null, policy: 'p', at: AT },
    );
    await ledger.recordAct({ at: AT + from, kind: 'retry', by: 'ann', detail: `all of ${from}` });
  }

  async remove(): Promise<void> {
    await this.ledger.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export async function ask<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, options: '-c search_path=receiptd' });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdmitItem, EndItem } from '../../../src/core/messages.ts';
import type { OpenAgent } from '../../../src/ledger/next/fleet/open.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { ask, openPostgres } from './support/agents.ts';

const OFFICE = { baseUrl: 'https://service.example', uid: 'office' };
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

function image(content: string, more: Partial<AdmitItem> = {}): AdmitItem {
  return {
    folder: { owner: 'share:scans', path: '' },
    path: `${content}.jpg`,
    size: 1,
    identity: '1',
    at: 1_000,
    endpoint: OFFICE,
    sha256: sha(content),
    type: 'jpeg',
    priority: 0,
    naming: [content, `${content}-2`],
    ...more,
  };
}

describe.skipIf(!needsPostgres())('a ledger in PostgreSQL', () => {
  let database: FreshDatabase;
  const agents: OpenAgent[] = [];
  const open = async (...args: [name?: string]): Promise<OpenAgent> => {
    const agent = await openPostgres(database.url, ...args);
    agents.push(agent);
    return agent;
  };

  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    await database.remove();
  });

  it('records the life of a document', async () => {
    const { core } = await open();
    const [[admitted]] = await core.run([['admit', [image('a')]]]);
    const document = (admitted as { document: number }).document;
    const [[begun]] = await core.run([['begin', [{ document, bytes: 1, at: 1_001 }]]]);
    const { attempt } = begun as { attempt: number };
    const end: EndItem = {
      attempt,
      document,
      outcome: 'accepted',
      http: 200,
      message: null,
      next: { state: 'accepted', status: 'RECEIVED' },
      at: 1_002,
    };
    expect(await core.run([['end', [end]]])).toEqual([[{ isDone: true }]]);
    expect(await ask(database.url, 'SELECT state, name FROM documents')).toEqual([
      { state: 'accepted', name: 'a' },
    ]);
    expect(await ask(database.url, 'SELECT state, n::int FROM counts WHERE n <> 0')).toEqual([
      { state: 'accepted', n: 1 },
    ]);
  });
});

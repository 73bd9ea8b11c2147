import { Client } from 'pg';

export type Value = string | number | bigint | boolean | null;

/** A statement as it is sent to the database. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (Value | readonly Value[])[];
}

function isStatement(query: unknown): query is Statement {
  return typeof query === 'object' && query !== null && 'text' in query && 'values' in query;
}

/** Statements with parameters that `work` sends from this process, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const query: unknown = Reflect.get(Client.prototype, 'query');
  const record = function (this: Client, ...all: unknown[]): unknown {
    const [first] = all;
    if (isStatement(first)) sent.push(first);
    return typeof query === 'function' ? (Reflect.apply(query, this, all) as unknown) : undefined;
  };
  Reflect.set(Client.prototype, 'query', record);
  try {
    await work();
  } finally {
    Reflect.set(Client.prototype, 'query', query);
  }
  return sent;
}

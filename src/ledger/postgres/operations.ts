import type { EndpointKey } from '../../core/domain/document.ts';
import type { Transaction } from './transaction.ts';

/** A write, as the store queues it. */
export interface Operation {
  /** Shares its transaction with no other write. */
  readonly isAlone: boolean;
  /** Shares its statements with others that have the same `run`. */
  readonly isBatched: boolean;
  /** Does the work of these operations; resolves how to settle each one. */
  readonly run: (sql: Transaction, operations: readonly Operation[]) => Promise<readonly (() => void)[]>;
  /** The endpoint whose row it locks. */
  readonly endpoint: EndpointKey | null;
  readonly reject: (error: unknown) => void;
}

/** Makes the operation of one write. The functions settle its promise. */
export type Requested<T> = (resolve: (value: T) => void, reject: (error: unknown) => void) => Operation;

export function single<T>(
  work: (sql: Transaction) => Promise<T>,
  { endpoint = null, isAlone = false }: Partial<Pick<Operation, 'endpoint' | 'isAlone'>> = {},
): Requested<T> {
  return (resolve, reject) => {
    const run: Operation['run'] = async (sql) => {
      const value = await work(sql);
      return [() => resolve(value)];
    };
    return { run, isBatched: false, endpoint, isAlone, reject };
  };
}

/** `work` gets the items of a group and resolves as many values, in their order. */
export function batched<Item, T>(
  work: (sql: Transaction, items: readonly Item[]) => Promise<readonly T[]>,
  endpointOf: (item: Item) => EndpointKey | null,
): (item: Item) => Requested<T> {
  const asked = new WeakMap<Operation, { readonly item: Item; readonly resolve: (value: T) => void }>();
  const run: Operation['run'] = async (sql, operations) => {
    const each = operations.flatMap((operation) => asked.get(operation) ?? []);
    const values = await work(
      sql,
      each.map(({ item }) => item),
    );
    return each.map(
      ({ resolve }, at) =>
        () =>
          resolve(values[at] as T),
    );
  };
  return (item) => (resolve, reject) => {
    const operation = { run, isBatched: true, endpoint: endpointOf(item), isAlone: false, reject };
    asked.set(operation, { item, resolve });
    return operation;
  };
}

const GROUP_LIMIT = 200;

/** Removes from the queue what shares the next transaction. */
export function takeGroup(queue: Operation[]): Operation[] {
  const alone = queue.findIndex(({ isAlone }) => isAlone);
  return queue.splice(0, alone < 0 ? GROUP_LIMIT : Math.min(GROUP_LIMIT, Math.max(1, alone)));
}

type Batch = readonly [Operation, ...Operation[]];

/**
 * Groups operations into rounds that run one after the other. Admissions, and starts and ends of requests, concern
 * different documents, so these may overtake each other; everything else keeps its place.
 */
export function inOrder(group: readonly Operation[]): Batch[][] {
  const order: Batch[][] = [];
  let open = new Map<Operation['run'], [Operation, ...Operation[]]>();
  const close = (): void => {
    if (open.size > 0) order.push([...open.values()]);
    open = new Map();
  };
  for (const operation of group) {
    if (operation.isBatched) {
      const batch = open.get(operation.run);
      if (batch) batch.push(operation);
      else open.set(operation.run, [operation]);
    } else {
      close();
      order.push([[operation]]);
    }
  }
  close();
  return order;
}

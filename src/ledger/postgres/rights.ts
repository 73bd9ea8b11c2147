import { ReceiptdError } from '../../core/domain/errors.ts';
import { COUNTED, TABLE_NAMES } from '../schema.ts';
import type { Connection } from './connection.ts';
import type { Sql } from './statements.ts';

/**
 * Rights of agents: add and change rows, and delete short-lived ones. They can't delete documents, other records or lines of chains; of those lines, they
 * can only blank personal data.
 */
const GRANTS: readonly (readonly [rights: string, on: readonly string[]])[] = [
  ['SELECT', ['tables', 'chain', 'archives']],
  ['UPDATE (behind)', ['tables']],
  ['SELECT, INSERT, UPDATE', ['agents', ...TABLE_NAMES, ...Object.keys(COUNTED)]],
  ['INSERT', ['chain']],
  ['UPDATE (personal)', ['chain']],
  ['SELECT, INSERT, UPDATE, DELETE', ['leads', 'erasures']],
];

const ROLES_THAT_MAY = `
SELECT DISTINCT r.rolname AS role
  FROM pg_namespace n, aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
 WHERE n.nspname = 'receiptd' AND a.privilege_type = 'USAGE' AND a.grantee <> n.nspowner
 ORDER BY 1`;

const OWNS = `SELECT pg_has_role(nspowner, 'MEMBER') AS owns FROM pg_namespace WHERE nspname = 'receiptd'`;
const STANDING = `
SELECT rolsuper AS "isSuper", pg_has_role(oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'receiptd'), 'MEMBER') AS owns
  FROM pg_roles WHERE rolname = :role`;

/**
 * Whether this role may grant anything: of a role that has rights itself, the server would accept it, and grant nothing. It may also remove lines of
 * chains.
 */
export async function isOwner(sql: Pick<Sql, 'get'>): Promise<boolean> {
  return (await sql.get<{ owns: boolean }>(OWNS))?.owns === true;
}

/**
 * Grants `role` (null: only every role that has access already) exactly what agents need. Within a transaction of the owner.
 * @returns the roles that may work as agents
 * @throws ReceiptdError ROLE_UNFIT
 */
export async function grantRights(connection: Connection, role: string | null): Promise<readonly string[]> {
  if (role !== null) await demandPlain(connection, role);
  const known = (await connection.all<{ role: string }>(ROLES_THAT_MAY)).map((row) => row.role);
  const roles = [...new Set([...known, ...(role === null ? [] : [role])])].sort();
  for (const each of roles) {
    const to = quoted(each);
    // Revokes what earlier versions granted.
    await connection.exec(`REVOKE ALL ON ALL TABLES IN SCHEMA receiptd FROM ${to}`);
    await connection.exec(`GRANT USAGE ON SCHEMA receiptd TO ${to}`);
    for (const [rights, on] of GRANTS) await connection.exec(`GRANT ${rights} ON ${on.join(', ')} TO ${to}`);
  }
  return roles;
}

/** Refuses a role that owns tables: it would keep every right, whatever is granted. */
async function demandPlain(sql: Pick<Sql, 'get'>, role: string): Promise<void> {
  const standing = await sql.get<{ isSuper: boolean; owns: boolean }>(STANDING, { role });
  if (!standing) throw new ReceiptdError('ROLE_UNFIT.missing', { role, quoted: quoted(role) });
  if (standing.isSuper || standing.owns) throw new ReceiptdError('ROLE_UNFIT.ownsLedger', { role });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

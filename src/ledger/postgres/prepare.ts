import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Connection } from './connection.ts';
import { migrate } from './migrate.ts';

/**
 * Rights of agents: add and change rows, and delete short-lived ones. They can't delete history, documents or other
 * records; in the history, they can only blank personal data.
 */
const GRANTS: readonly (readonly [rights: string, on: string])[] = [
  ['SELECT', 'migrations, archives'],
  [
    'SELECT, INSERT, UPDATE',
    'agents, endpoints, folders, documents, attempts, sightings, results, document_counts, file_counts, imports, originals, issued',
  ],
  ['SELECT, INSERT', 'acts, history'],
  ['UPDATE (personal)', 'history'],
  ['SELECT, INSERT, UPDATE, DELETE', 'holds, leads, starts, budgets, folder_marks'],
  ['USAGE, SELECT', 'ALL SEQUENCES IN SCHEMA receiptd'],
  ['EXECUTE', 'ALL FUNCTIONS IN SCHEMA receiptd'],
];

const ROLES_THAT_MAY = `
SELECT DISTINCT r.rolname AS role
  FROM pg_namespace n, aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
 WHERE n.nspname = 'receiptd' AND a.privilege_type = 'USAGE' AND a.grantee <> n.nspowner
 ORDER BY 1`;

const STANDING = `
SELECT rolsuper AS "isSuper", pg_has_role(oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'receiptd'), 'MEMBER') AS owns
  FROM pg_roles WHERE rolname = :role`;

/**
 * Creates or upgrades the schema, and grants `role` (null: every role that has access already) exactly what agents
 * need. Must be run by the owner of the database or the schema. Idempotent.
 * @returns the roles that may work as agents
 * @throws ReceiptdError LEDGER_REFUSED, LEDGER_OLDER, LEDGER_NEWER, ROLE_UNFIT
 */
export async function prepare(
  connection: Connection,
  where: string,
  role: string | null,
): Promise<readonly string[]> {
  await migrate(connection, where);
  try {
    await connection.exec('BEGIN');
    if (role !== null) await demandPlain(connection, role);
    await connection.exec('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA receiptd FROM PUBLIC');
    await connection.exec('SELECT make_history_partitions()');
    const known = (await connection.all<{ role: string }>(ROLES_THAT_MAY)).map((row) => row.role);
    const roles = [...new Set([...known, ...(role === null ? [] : [role])])].sort();
    for (const each of roles) {
      const to = quoted(each);
      // Revokes what earlier versions granted.
      await connection.exec(`REVOKE ALL ON ALL TABLES IN SCHEMA receiptd FROM ${to}`);
      await connection.exec(`GRANT USAGE ON SCHEMA receiptd TO ${to}`);
      for (const [rights, on] of GRANTS) await connection.exec(`GRANT ${rights} ON ${on} TO ${to}`);
    }
    await connection.exec('COMMIT');
    return roles;
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    if (systemCode(error) !== '42501') throw error;
    throw new ReceiptdError('LEDGER_REFUSED.notOwnerToPrepare', { where }, { cause: error });
  }
}

/** Refuses a role that owns tables: it would keep every right, whatever is granted. */
async function demandPlain(connection: Connection, role: string): Promise<void> {
  const standing = await connection.get<{ isSuper: boolean; owns: boolean }>(STANDING, { role });
  if (!standing) throw new ReceiptdError('ROLE_UNFIT.missing', { role, quoted: quoted(role) });
  if (standing.isSuper || standing.owns) throw new ReceiptdError('ROLE_UNFIT.ownsLedger', { role });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What the two dialects of SQL express differently. */
export interface DisposalDialect {
  /** The id of the folder that the parameters name. */
  readonly folderId: string;
  /** The columns of a file's identity, of the sighting `s`. */
  readonly identity: string;
  /** Joins a table to the one that decides which index is used. */
  readonly join: string;
  readonly isNot: string;
  /** The parameters `:after` and `:stays`, and the larger of two values. */
  readonly after: string;
  readonly stays: string;
  readonly larger: (one: string, other: string) => string;
  /** `FROM` and `WHERE … AND`: the sightings `o` of the same bytes as the sighting `s`. */
  readonly ofSameBytes: string;
  /** Whether the document `d` ever had one of the statuses, even if it has another one now. */
  readonly reached: string;
}

/** Which originals may be disposed of, and which stay. */
export function disposalSql({
  folderId,
  identity,
  join,
  isNot,
  after,
  stays,
  larger,
  ofSameBytes,
  reached,
}: DisposalDialect) {
  const ORIGINALS_RULE = `SELECT rule, stays FROM originals WHERE folder_id = ${folderId}`;

  const SET_ORIGINALS_RULE = `
INSERT INTO originals (folder_id, rule, stays) VALUES (${folderId}, :rule, :stays)
ON CONFLICT (folder_id) DO UPDATE SET rule = excluded.rule, stays = excluded.stays`;

  /** The first image admitted before the first watch, for example while the ledger was away. */
  const FIRST_SEEN = `
SELECT s.id FROM sightings s
 WHERE s.folder_id = ${folderId} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.document_id IS NOT NULL
 ORDER BY s.id LIMIT 1`;
  const FIRST_SPLIT_SEEN = `
SELECT s.id FROM sightings s
 WHERE s.folder_id = ${folderId} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.verdict = 'split' AND s.split_into IS NULL
 ORDER BY s.id LIMIT 1`;

  const ACCEPTED_FILES = `
  FROM sightings s ${join} documents d ON d.id = s.document_id
 WHERE s.folder_id = ${folderId} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.document_id IS NOT NULL
   AND d.state = 'accepted'`;

  /**
   * Whether the image was seen before, under any name and in any folder: a renamed or returned file, or one in a folder
   * that has another path now, is seen again but is not new.
   */
  const LAY_THERE = `EXISTS (SELECT 1 FROM sightings o
                WHERE o.document_id = s.document_id AND o.id <= ${stays})`;

  /** Split files whose pages are all accepted documents for which `isReached` holds; blank pages were left out. */
  const acceptedSplit = (isReached: string) => `
  FROM sightings s
 WHERE s.folder_id = ${folderId} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.verdict = 'split' AND s.split_into IS NULL
   AND NOT EXISTS (SELECT 1 FROM sightings p LEFT JOIN documents d ON d.id = p.document_id
                    WHERE p.file_id = s.id AND NOT (p.verdict = 'rejected' AND p.reason = 'BLANK')
                      AND (d.state ${isNot} 'accepted' OR NOT ${isReached}))`;

  /** For a split file: whether its bytes were seen before, in another sighting. */
  const BYTES_LAY_THERE = `EXISTS (SELECT 1 FROM ${ofSameBytes} o.id <= ${stays})`;

  const COLUMNS = `s.id, s.dir, s.name, s.sha256, ${identity}`;

  const DISPOSABLE_FILES = `
SELECT ${COLUMNS} ${ACCEPTED_FILES}
   AND s.id > ${larger(after, stays)} AND (${stays} = 0 OR NOT ${LAY_THERE})`;

  const disposableSplit = (isReached: string) => `
SELECT ${COLUMNS} ${acceptedSplit(isReached)}
   AND s.id > ${larger(after, stays)} AND (${stays} = 0 OR NOT ${BYTES_LAY_THERE})`;

  const DISPOSABLE = `${DISPOSABLE_FILES} ORDER BY s.id LIMIT :limit`;
  const DISPOSABLE_SPLIT = `${disposableSplit('TRUE')} ORDER BY s.id LIMIT :limit`;
  const DISPOSABLE_ON = `${DISPOSABLE_FILES} AND ${reached} ORDER BY s.id LIMIT :limit`;
  const DISPOSABLE_SPLIT_ON = `${disposableSplit(reached)} ORDER BY s.id LIMIT :limit`;

  const ACCEPTED_ORIGINALS = `SELECT count(*) AS count ${ACCEPTED_FILES}`;
  const ACCEPTED_SPLIT_ORIGINALS = `SELECT count(*) AS count ${acceptedSplit('TRUE')}`;
  const STAYING_ORIGINALS = `${ACCEPTED_ORIGINALS} AND ${LAY_THERE}`;
  const STAYING_SPLIT_ORIGINALS = `${ACCEPTED_SPLIT_ORIGINALS} AND ${BYTES_LAY_THERE}`;

  const BEGUN_DISPOSALS = `
SELECT s.id, s.dir, s.name, s.sha256, s.disposing AS how, ${identity}
  FROM sightings s
 WHERE s.folder_id = ${folderId} AND s.disposing IS NOT NULL
 ORDER BY s.id`;

  return {
    ORIGINALS_RULE,
    SET_ORIGINALS_RULE,
    FIRST_SEEN,
    FIRST_SPLIT_SEEN,
    DISPOSABLE,
    DISPOSABLE_SPLIT,
    DISPOSABLE_ON,
    DISPOSABLE_SPLIT_ON,
    ACCEPTED_ORIGINALS,
    ACCEPTED_SPLIT_ORIGINALS,
    STAYING_ORIGINALS,
    STAYING_SPLIT_ORIGINALS,
    BEGUN_DISPOSALS,
  };
}

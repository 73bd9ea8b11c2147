import { disposalSql } from '../../disposalSql.ts';
import { FOLDER_ID, IDENTITY, OF_BYTES } from './sightings.ts';

/** Includes sightings that are gone, since the file may be back before the next listing. A page has the location of its file. */
export const SOURCES = `
SELECT s.id AS sighting, f.path AS folder, s.dir, s.name, coalesce(s.archived_to, o.archived_to || '//' || s.name) AS archivedTo, ${IDENTITY}
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id LEFT JOIN sightings o ON o.id = s.file_id
 WHERE s.id IN ${OF_BYTES(':sha256')} AND s.disposed IS NOT 'deleted' AND o.disposed IS NOT 'deleted'
 ORDER BY s.id DESC
 LIMIT 100`;

/** Which originals may be disposed of, and which stay. */
export const ORIGINALS = disposalSql({
  folderId: FOLDER_ID,
  identity: IDENTITY,
  join: 'CROSS JOIN',
  isNot: 'IS NOT',
  after: ':after',
  stays: ':stays',
  larger: (one, other) => `max(${one}, ${other})`,
  ofSameBytes: `${OF_BYTES('s.sha256')} o WHERE`,
  reached: `(coalesce(d.service_status IN (SELECT value FROM json_each(:statuses)), FALSE)
        OR EXISTS (SELECT 1 FROM results r
                    WHERE r.document_id = d.id AND r.status IN (SELECT value FROM json_each(:statuses))))`,
});

export const DISPOSING = `UPDATE sightings SET disposing = :how, updated_at = :at WHERE id = :id`;

export const DISPOSED = `
UPDATE sightings
   SET disposing = NULL, disposed = :how, archived_to = :archivedTo, updated_at = :at,
       gone_at = CASE :how WHEN 'kept' THEN gone_at ELSE coalesce(gone_at, :at) END
 WHERE id = :id`;

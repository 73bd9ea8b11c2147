import { disposalSql } from '../../disposalSql.ts';
import { FOLDER_ID, IDENTITY } from './sightings.ts';

/** Includes sightings that are gone, since the file may be back before the next listing. A page has the location of its file. */
export const SOURCES = `
SELECT s.id AS sighting, f.place, f.path AS folder, s.dir, s.name, coalesce(s.archived_to, o.archived_to || '//' || s.name) AS "archivedTo", ${IDENTITY}
  FROM sightings s JOIN folders f ON f.id = s.folder_id LEFT JOIN sightings o ON o.id = s.file_id
 WHERE s.sha256 = :sha256 AND s.disposed IS DISTINCT FROM 'deleted' AND o.disposed IS DISTINCT FROM 'deleted' AND f.place = ANY (:reached::text[])
 ORDER BY s.id DESC
 LIMIT 100`;

/** Which originals may be disposed of, and which stay. */
export const ORIGINALS = disposalSql({
  folderId: FOLDER_ID,
  identity: IDENTITY,
  join: 'JOIN',
  isNot: 'IS DISTINCT FROM',
  after: ':after::bigint',
  stays: ':stays::bigint',
  larger: (one, other) => `greatest(${one}, ${other})`,
  ofSameBytes: 'sightings o WHERE o.sha256 = s.sha256 AND',
  reached: `(coalesce(d.service_status = ANY (:statuses::text[]), FALSE)
        OR EXISTS (SELECT 1 FROM results r WHERE r.document_id = d.id AND r.status = ANY (:statuses::text[])))`,
});

import { IDENTITY, OF_BYTES } from './sightings.ts';

/** Marks a sighting as a page of a file. */
export const SET_FILE = `UPDATE sightings SET file_id = :file WHERE id = :id`;

/** For the sighting of a file. */
export const SET_SPLIT = `UPDATE sightings SET pages = :pages, split_into = :endpointId WHERE id = :id`;

export const PAGE = `
SELECT s.id, s.verdict, s.document_id AS documentId, s.sha256, s.reason
  FROM sightings s WHERE s.file_id = :file AND s.dir = :dir AND s.name = :name`;

/** The split file at a path, if there is one. */
export const CURRENT_SPLIT = `
SELECT s.id, s.sha256, s.disposed, e.base_url AS baseUrl, e.uid, ${IDENTITY},
       EXISTS (SELECT 1 FROM sightings p JOIN documents d ON d.id = p.document_id
                WHERE p.file_id = s.id AND d.state = 'lost') AS hasLost,
       EXISTS (SELECT 1 FROM sightings p JOIN documents d ON d.id = p.document_id
                WHERE p.file_id = s.id AND d.endpoint_id = :endpointId) AS isThere
  FROM sightings s LEFT JOIN endpoints e ON e.id = s.split_into
 WHERE s.folder_id = :folderId AND s.dir = :dir AND s.name = :name AND s.gone_at IS NULL AND s.verdict = 'split'`;

export const OPEN_SPLITS = `
SELECT s.id, f.path AS folder, s.dir, s.name, s.sha256, e.base_url AS baseUrl, e.uid, ${IDENTITY}
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id CROSS JOIN endpoints e ON e.id = s.split_into
 WHERE s.split_into IS NOT NULL AND s.verdict = 'split' AND s.id > :after
 ORDER BY s.id LIMIT :limit`;

export const IS_OPEN = `SELECT id FROM sightings WHERE id = :id AND split_into IS NOT NULL AND verdict = 'split'`;

export const PAGES = `
SELECT p.id, p.dir, p.name, p.verdict, p.sha256, d.state, p.reason
  FROM sightings p LEFT JOIN documents d ON d.id = p.document_id
 WHERE p.file_id = :file`;

export const PAGES_OF_BYTES = `
SELECT p.id, p.dir, p.name, p.verdict, p.sha256, d.state, p.reason
  FROM sightings s CROSS JOIN sightings p ON p.file_id = s.id CROSS JOIN documents d ON d.id = p.document_id
 WHERE s.id IN ${OF_BYTES(':sha256')} AND s.pages IS NOT NULL AND d.endpoint_id = :endpointId`;

import { OF_BYTES } from './sightings.ts';

const FOLDER_ID = `(SELECT id FROM folders WHERE path = :folder)`;

/** 64-bit columns as text: a JavaScript number would round them. */
const IDENTITY = `s.size, CAST(s.mtime_ns AS TEXT) AS mtimeNs, CAST(s.ctime_ns AS TEXT) AS ctimeNs,
       CAST(s.inode AS TEXT) AS inode`;

/** Includes sightings that are gone, since the file may be back before the next listing. A page has the location of its file. */
export const SOURCES = `
SELECT s.id AS sighting, f.path AS folder, s.dir, s.name, coalesce(s.archived_to, o.archived_to || '//' || s.name) AS archivedTo, ${IDENTITY}
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id LEFT JOIN sightings o ON o.id = s.file_id
 WHERE s.id IN ${OF_BYTES(':sha256')} AND s.disposed IS NOT 'deleted' AND o.disposed IS NOT 'deleted'
 ORDER BY s.id DESC
 LIMIT 100`;

export const ORIGINALS_RULE = `SELECT rule, stays FROM originals WHERE folder_id = ${FOLDER_ID}`;

export const SET_ORIGINALS_RULE = `
INSERT INTO originals (folder_id, rule, stays) VALUES (${FOLDER_ID}, :rule, :stays)
ON CONFLICT (folder_id) DO UPDATE SET rule = excluded.rule, stays = excluded.stays`;

/** The first image admitted before the first watch, for example while the ledger was away. */
export const FIRST_SEEN = `
SELECT s.id FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.document_id IS NOT NULL
 ORDER BY s.id LIMIT 1`;
export const FIRST_SPLIT_SEEN = `
SELECT s.id FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.verdict = 'split' AND s.split_into IS NULL
 ORDER BY s.id LIMIT 1`;

const ACCEPTED_FILES = `
  FROM sightings s CROSS JOIN documents d ON d.id = s.document_id
 WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.document_id IS NOT NULL
   AND d.state = 'accepted'`;

/**
 * Whether the image was seen before, under any name and in any folder: a renamed or returned file, or one in a folder
 * that has another path now, is seen again but is not new.
 */
const LAY_THERE = `EXISTS (SELECT 1 FROM sightings o
                WHERE o.document_id = s.document_id AND o.id <= :stays)`;

/** Split files whose pages are all accepted documents for which `isReached` holds; blank pages were left out. */
const acceptedSplit = (isReached: string) => `
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.disposed IS NULL AND s.verdict = 'split' AND s.split_into IS NULL
   AND NOT EXISTS (SELECT 1 FROM sightings p LEFT JOIN documents d ON d.id = p.document_id
                    WHERE p.file_id = s.id AND NOT (p.verdict = 'rejected' AND p.reason = 'BLANK')
                      AND (d.state IS NOT 'accepted' OR NOT ${isReached}))`;

/** For a split file: whether its bytes were seen before, in another sighting. */
const BYTES_LAY_THERE = `EXISTS (SELECT 1 FROM ${OF_BYTES('s.sha256')} o WHERE o.id <= :stays)`;

const COLUMNS = `s.id, s.dir, s.name, s.sha256, ${IDENTITY}`;

const DISPOSABLE_FILES = `
SELECT ${COLUMNS} ${ACCEPTED_FILES}
   AND s.id > max(:after, :stays) AND (:stays = 0 OR NOT ${LAY_THERE})`;

const disposableSplit = (isReached: string) => `
SELECT ${COLUMNS} ${acceptedSplit(isReached)}
   AND s.id > max(:after, :stays) AND (:stays = 0 OR NOT ${BYTES_LAY_THERE})`;

/** Whether the document ever had one of these statuses, even if it has another one now. */
const REACHED = `(coalesce(d.service_status IN (SELECT value FROM json_each(:statuses)), FALSE)
        OR EXISTS (SELECT 1 FROM results r
                    WHERE r.document_id = d.id AND r.status IN (SELECT value FROM json_each(:statuses))))`;

export const DISPOSABLE = `${DISPOSABLE_FILES} ORDER BY s.id LIMIT :limit`;
export const DISPOSABLE_SPLIT = `${disposableSplit('TRUE')} ORDER BY s.id LIMIT :limit`;
export const DISPOSABLE_ON = `${DISPOSABLE_FILES} AND ${REACHED} ORDER BY s.id LIMIT :limit`;
export const DISPOSABLE_SPLIT_ON = `${disposableSplit(REACHED)} ORDER BY s.id LIMIT :limit`;

export const ACCEPTED_ORIGINALS = `SELECT count(*) AS count ${ACCEPTED_FILES}`;
export const ACCEPTED_SPLIT_ORIGINALS = `SELECT count(*) AS count ${acceptedSplit('TRUE')}`;
export const STAYING_ORIGINALS = `${ACCEPTED_ORIGINALS} AND ${LAY_THERE}`;
export const STAYING_SPLIT_ORIGINALS = `${ACCEPTED_SPLIT_ORIGINALS} AND ${BYTES_LAY_THERE}`;

export const DISPOSING = `UPDATE sightings SET disposing = :how, updated_at = :at WHERE id = :id`;

export const BEGUN_DISPOSALS = `
SELECT s.id, s.dir, s.name, s.sha256, s.disposing AS how, ${IDENTITY}
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.disposing IS NOT NULL
 ORDER BY s.id`;

export const DISPOSED = `
UPDATE sightings
   SET disposing = NULL, disposed = :how, archived_to = :archivedTo, updated_at = :at,
       gone_at = CASE :how WHEN 'kept' THEN gone_at ELSE coalesce(gone_at, :at) END
 WHERE id = :id`;

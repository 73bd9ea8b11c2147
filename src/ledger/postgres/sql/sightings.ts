const FOLDER_ID = `(SELECT id FROM folders WHERE place = :place AND path = :folder)`;

export const MARK_WATCHED = `UPDATE folders SET watched_at = :at WHERE place = :place AND path = :folder`;

/** Each agent sees a shared folder through a file system of its own. */
export const SET_FOLDER_MARK = `
INSERT INTO folder_marks (folder_id, agent_id, mark) VALUES (${FOLDER_ID}, :agentId, :mark)
ON CONFLICT (folder_id, agent_id) DO UPDATE SET mark = excluded.mark`;

export const GONE = `
UPDATE sightings SET gone_at = :at, updated_at = :at WHERE id = ANY (:ids::bigint[]) AND gone_at IS NULL`;

export const INSERT_SIGHTING = `
INSERT INTO sightings (id, folder_id, dir, name, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, policy,
                       reason, message, seen_at, updated_at)
SELECT :id::bigint, id, :dir, :name, :size::bigint, :mtimeNs::bigint, :ctimeNs::bigint, :inode::bigint, :verdict,
       :documentId::bigint, :sha256, :policy, :reason, :message, :at::bigint, :at::bigint
  FROM folders WHERE place = :place AND path = :folder`;

export const UPDATE_SIGHTING = `
UPDATE sightings
   SET size = :size, mtime_ns = :mtimeNs, ctime_ns = :ctimeNs, inode = :inode, verdict = :verdict,
       document_id = :documentId, sha256 = :sha256, policy = :policy, reason = :reason, message = :message,
       updated_at = :at
 WHERE id = :id`;

export const DISPOSING = `UPDATE sightings SET disposing = :how, updated_at = :at WHERE id = :id`;

export const DISPOSED = `
UPDATE sightings
   SET disposing = NULL, disposed = :how, archived_to = :archivedTo, updated_at = :at,
       gone_at = CASE :how WHEN 'kept' THEN gone_at ELSE coalesce(gone_at, :at::bigint) END
 WHERE id = :id`;

import { endpointId, type EndpointKey, type FileIdentity } from '../core/domain/document.ts';
import { parseTemplate } from '../core/domain/nameTemplate.ts';
import type { FolderSettings } from '../core/domain/settings.ts';

type NamingSettings = Pick<FolderSettings, 'path' | 'alias' | 'nameMaxBytes' | 'template'>;

/** Name template and limit if no folder is configured for the endpoint any more. */
const WITHOUT_FOLDER = { template: parseTemplate('{stem}-{hash:12}'), nameMaxBytes: 255 };

export function nameContext(
  path: string,
  identity: FileIdentity,
  hash: string,
  captured: Date | null,
  settings: Omit<NamingSettings, 'template'>,
  { now, host, page = 1, pages = 1 }: { now: number; host: string; page?: number; pages?: number },
) {
  return {
    folder: settings.path,
    path,
    hash,
    host,
    endpoint: settings.alias,
    date: new Date(now),
    captured: captured ?? new Date(Number(identity.mtimeNs / 1_000_000n)),
    maxBytes: settings.nameMaxBytes,
    page,
    pages,
  };
}

/**
 * Settings for a file that was taken earlier: those of its folder or, if that is no longer configured with the endpoint, of another
 * folder with the same endpoint.
 */
export function settingsFor(
  { folder, endpoint }: { readonly folder: string; readonly endpoint: EndpointKey },
  folders: readonly FolderSettings[],
): FolderSettings | undefined {
  const ofEndpoint = folders.filter((each) => endpointId(each.endpoint) === endpointId(endpoint));
  return ofEndpoint.find(({ path }) => path === folder) ?? ofEndpoint[0];
}

/** How to name a file that was taken earlier: it needs a name even if no folder is configured for its endpoint any more. */
export function namingFor(
  file: { readonly folder: string; readonly endpoint: EndpointKey },
  folders: readonly FolderSettings[],
): NamingSettings {
  return { ...WITHOUT_FOLDER, alias: file.endpoint.uid, ...settingsFor(file, folders), path: file.folder };
}

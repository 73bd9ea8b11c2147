import type { Peer } from './peers.ts';

/** A shell loop that waits for a file to be closed and sends it. Prints `Watches established` once it watches. */
export const INOTIFY_LOOP: Peer = {
  name: 'inotifywait and curl',
  needs: ['inotifywait', 'curl'],
  async command({ folder, url }) {
    const to = `${url}/v2/endpoints/bench/documents?name=`;
    const send = `curl -sf -o /dev/null --data-binary "@${folder}/$file" "${to}$file"`;
    const wait = `inotifywait --monitor --event close_write --format %f "${folder}"`;
    return { file: 'sh', args: ['-c', `${wait} | while IFS= read -r file; do ${send}; done`] };
  },
};

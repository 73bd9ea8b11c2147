/** States. */
export function statesTexts() {
  return {
    states: {
      queued: 'waiting',
      uploading: 'being sent',
      held: 'on hold',
      accepted: 'sent',
      duplicate: 'duplicate',
      split: 'split into pages',
      rejected: 'not sent',
      failed: 'refused',
      unconfirmed: 'unconfirmed',
      lost: 'lost',
      incomplete: 'incomplete',
      unreadable: 'not readable',
      skipped: 'skipped',
    },
    folderStates: {
      watching: 'watching',
      missing: 'missing',
      unreadable: 'not readable',
      notADirectory: 'not a folder',
      unreachable: 'not reachable',
      taken: 'other agent',
      starting: 'starting',
      paused: 'paused',
    },
    endpointStates: { open: 'open', allPaused: 'everything paused', paused: 'paused', held: 'on hold' },
    tally: { accepted: 'Sent', waiting: 'Waiting', person: 'Needs attention', other: 'Left out' },
  };
}

import type { Log } from '../../../src/core/ports/log.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import type { OpenFolder } from '../../../src/keeper/locateBytes.ts';
import { RememberedFolders } from '../../../src/intake/remembered.ts';
import { composePipeline } from '../../../src/wiring/pipeline.ts';
import { modelFolder, modelHints } from './modelFolder.ts';
import { modelSplitter } from './paged.ts';
import { inspector } from './pictures.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** The real pipeline over models of everything else. Resolves once it has stopped. */
export async function runAgent(world: World, process: Process, stop: AbortSignal): Promise<void> {
  const { config, hints } = world.plan;
  const clock = world.timeline.clockOf(process);
  const log = logOf(world, process);
  const ledger = world.state.openLedger(process);
  const spool = world.state.openSpool(process, config.spoolLimit);
  const incidents = new OpenIncidents({ clock, log });
  // Small pieces, because each life of an agent would clear 16 MB.
  const buffers = new ImageBuffers(() => {}, { slabBytes: 64 * 1024, mostBytes: 1024 * 1024 });
  const parts = {
    clock,
    random: () => process.dice.next(),
    log,
    incidents,
    ledger,
    spool,
    deferred: world.plan.ledgerAway.length > 0 ? world.state.openDeferredJournal(process) : null,
    remembered: new RememberedFolders(clock, config.folders),
    ...world.service.clientOf(process),
    credentialsChanged: async () => false,
    folders: foldersOf(world, process, buffers),
    buffers,
    ...(world.plan.memory && { memory: world.plan.memory }),
    hints: modelHints(world.shares, process, hints),
    splitter: modelSplitter(world.office.files, process, (image, of) => world.office.drawn(image, of)),
    papers: world.state.openPapers(process),
    inspector,
    host: 'scanner-pc',
    background: [],
    asleepMs: () => world.timeline.asleepMs,
  };
  const pipeline = await composePipeline(config, parts, { once: false });
  world.gatherer.statusOf = () => ({
    inFlight: pipeline.pacer.onTheWire,
    spoolUsed: spool.usedBytes,
    spent: pipeline.notes().flatMap((note) => (note.kind === 'spent' ? { ...note, uid: note.endpoint } : [])),
  });
  world.results.receiving = {
    ledger,
    clock,
    onRecorded: ({ document }) => {
      if (document?.state === 'accepted') pipeline.intakeOf(document.folder)?.disposeSoon();
    },
  };
  await pipeline.agent.run(stop);
  await pipeline.payloads.close();
}

function foldersOf(world: World, process: Process, buffers: ImageBuffers): OpenFolder {
  const opened = new Map<string, ReturnType<typeof modelFolder>>();
  return (path) => {
    const known = opened.get(path);
    if (known) return known;
    for (const share of world.shares.values()) {
      const { recursive = false } = world.plan.config.folders.find((each) => each.path === share.path) ?? {};
      const archive = path === share.archivePath || path.startsWith(`${share.archivePath}/`);
      if (path !== share.path && !archive) continue;
      const below = archive ? path.slice(share.archivePath.length + 1) : undefined;
      const folder = modelFolder(share, process, {
        recursive,
        oracle: world.gatherer,
        buffers,
        ...(below !== undefined && { below }),
      });
      opened.set(path, folder);
      return folder;
    }
    throw new Error(`The agent opened ${path}.`);
  };
}

function logOf(world: World, process: Process): Log {
  const write = (level: string) => (message: string, fields?: object) => {
    if (process.isDead) return;
    const line = fields ? `${message} ${JSON.stringify(fields)}` : message;
    world.gatherer.take({ kind: 'text', where: 'the log', text: line });
    if (level !== 'debug') world.story.tell(level, line);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

import type { Scenario } from '../scenario.ts';
import { backlog } from './backlog.ts';
import { commands } from './commands.ts';
import { console } from './console.ts';
import { fair } from './fair.ts';
import { fleet } from './fleet.ts';
import { idle } from './idle.ts';
import { latency } from './latency.ts';
import { link } from './link.ts';
import { pages } from './pages.ts';
import { queue } from './queue.ts';
import { results } from './results.ts';
import { service } from './service.ts';
import { start } from './start.ts';
import { tasks } from './tasks.ts';

/** All scenarios, in the order in which they run and are reported. */
export const SCENARIOS: readonly Scenario[] = [
  backlog,
  service,
  latency,
  start,
  idle,
  queue,
  fleet,
  console,
  tasks,
  fair,
  results,
  link,
  pages,
  commands,
];

/** Every setting applies as the table says: beside the agent, by a new start of it within the process, or at the next start. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { readConfig, type ReadConfig } from '../../src/config/load.ts';
import { SETTINGS, type Setting } from '../../src/config/settings.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { Settings } from '../../src/wiring/settings.ts';
import { everySetting, placeOf } from '../config/settings.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { tempDir } from '../support/tempDir.ts';

type Values = Record<string, unknown>;

const FULL = everySetting();

/** They have no default; so they change to another value. */
const REQUIRED: Readonly<Record<string, string>> = {
  'service.baseUrl': 'https://another.example',
  'endpoints.*.uid': 'u-4',
  'folders[].path': '/srv/another',
  'folders[].endpoint': 'office',
};

/** A copy without one setting, and without what holds it as often as `above`. */
function without(setting: Setting, above: number): object {
  const copy = structuredClone(FULL);
  const path = placeOf(setting);
  const steps = path.slice(0, path.length - above);
  const last = steps.pop() ?? '';
  const holder = steps.reduce<Values>((at, step) => at[step] as Values, copy);
  if (above === 0 && setting.key in REQUIRED) holder[last] = REQUIRED[setting.key];
  else delete holder[last];
  // Only a shared ledger has shares, and a new folder with one waits.
  if (setting.key === 'folders[].path' || (above > 0 && last === 'ledger'))
    delete (copy['folders'] as Values[])[0]?.['share'];
  return copy;
}

it('each is in what a running agent is given once the file says so, or waits for a restart', async () => {
  const dir = tempDir('live-settings');
  const file = join(dir, 'receiptd.yaml');
  const context = { env: {}, platform: process.platform, home: dir, cwd: dir, isRoot: false };
  const full = JSON.stringify(FULL);
  await writeFile(file, full);
  const [clock, log] = [new FakeClock(), new RecordedLog()];
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const lasting = { ledger, incidents: new OpenIncidents({ clock, log }), log, clock };
  let replaced: Config[] = [];
  let taken: Config[] = [];
  const replace = async (config: Config): Promise<void> => void replaced.push(config);
  const settings = await Settings.read({
    file,
    context,
    lasting,
    replace,
    foresee: async () => [],
    unwritable: async () => [],
  });
  settings.inEffect.onTaken((config) => taken.push(config));
  let last = full;
  const apply = async (text: string): Promise<void> => {
    // Two settings that need each other leave the same file.
    if (text === last) await apply(full);
    last = text;
    [replaced, taken] = [[], []];
    await writeFile(file, text);
    await settings.inEffect.readAgain();
  };
  // Functions can't be compared; what they come from is compared with them.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const whole = readConfig(full, file, context);
  const atStart = plain(whole.config);
  /** What needs the setting, such as a certificate its key, is left out with it. */
  const fewer = (setting: Setting, above = 0): { text: string; read: ReadConfig } => {
    const text = JSON.stringify(without(setting, above));
    try {
      return { text, read: readConfig(text, file, context) };
    } catch (error) {
      if (above > 1) throw error;
      return fewer(setting, above + 1);
    }
  };
  // Those that replace the flow come last: going back from one of them to the whole file would replace it as well.
  const inOrder = SETTINGS.toSorted((a, b) => Number(a.applies === 'flow') - Number(b.applies === 'flow'));
  for (const setting of inOrder) {
    const { key, applies } = setting;
    const { text, read } = fewer(setting);
    expect.soft(read.parsed, `${key} changes`).not.toEqual(whole.parsed);
    const changed = plain(read.config);
    const isLost = key !== 'folders[].name' && isDeepStrictEqual(changed, atStart);
    expect.soft(isLost, `${key} is in the configuration`).toBe(false);
    await apply(text);
    const inEffect = applies === 'start' ? atStart : changed;
    expect.soft(taken.map(plain), key).toEqual([inEffect]);
    expect.soft(replaced.map(plain), key).toEqual(applies === 'flow' ? [inEffect] : []);
    const { restartNeeded } = settings.inEffect;
    const waits =
      applies === 'start' ? restartNeeded.includes(key.replace('[]', '[0]')) : restartNeeded.length > 0;
    expect.soft(waits, `${key} waits for a restart`).toBe(applies === 'start');
  }
});

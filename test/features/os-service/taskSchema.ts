/** The part of the task schema ([MS-TSCH] 2.5) that our tasks use. */

/** Elements of a type: in this order (`sequence`), or in any order (`all`). */
interface Type {
  readonly order: 'sequence' | 'all' | 'choice';
  readonly elements: Readonly<Record<string, string>>;
}

const TRIGGER = {
  Enabled: 'boolean',
  StartBoundary: 'dateTime',
  EndBoundary: 'dateTime',
  Repetition: 'repetition',
  ExecutionTimeLimit: 'duration',
};

const TYPES: Readonly<Record<string, Type>> = {
  document: { order: 'sequence', elements: { Task: 'task' } },
  task: {
    order: 'all',
    elements: {
      RegistrationInfo: 'registration',
      Triggers: 'triggers',
      Settings: 'settings',
      Principals: 'principals',
      Actions: 'actions',
    },
  },
  registration: { order: 'all', elements: { Description: 'text', Author: 'text', URI: 'text' } },
  triggers: {
    order: 'choice',
    elements: { BootTrigger: 'boot', TimeTrigger: 'time', LogonTrigger: 'logon' },
  },
  boot: { order: 'sequence', elements: { ...TRIGGER, Delay: 'duration' } },
  time: { order: 'sequence', elements: { ...TRIGGER, RandomDelay: 'duration' } },
  logon: { order: 'sequence', elements: { ...TRIGGER, UserId: 'text', Delay: 'duration' } },
  repetition: {
    order: 'all',
    elements: { Interval: 'minutes', Duration: 'duration', StopAtDurationEnd: 'boolean' },
  },
  principals: { order: 'sequence', elements: { Principal: 'principal' } },
  principal: {
    order: 'all',
    elements: { UserId: 'text', LogonType: 'logonType', RunLevel: 'runLevel', GroupId: 'text' },
  },
  settings: {
    order: 'all',
    elements: {
      AllowStartOnDemand: 'boolean',
      RestartOnFailure: 'restart',
      MultipleInstancesPolicy: 'instances',
      DisallowStartIfOnBatteries: 'boolean',
      StopIfGoingOnBatteries: 'boolean',
      AllowHardTerminate: 'boolean',
      StartWhenAvailable: 'boolean',
      RunOnlyIfNetworkAvailable: 'boolean',
      WakeToRun: 'boolean',
      Enabled: 'boolean',
      Hidden: 'boolean',
      IdleSettings: 'idle',
      ExecutionTimeLimit: 'duration',
      Priority: 'priority',
      RunOnlyIfIdle: 'boolean',
    },
  },
  restart: { order: 'all', elements: { Interval: 'minutes', Count: 'byte' } },
  idle: { order: 'all', elements: { StopOnIdleEnd: 'boolean', RestartOnIdle: 'boolean' } },
  actions: { order: 'choice', elements: { Exec: 'exec' } },
  exec: { order: 'all', elements: { Command: 'text', Arguments: 'text', WorkingDirectory: 'text' } },
};

const VALUES: Readonly<Record<string, RegExp>> = {
  text: /^[^<>]+$/,
  boolean: /^(?:true|false)$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
  duration: /^PT?\d+[DHMS]$/,
  /** At least one. */
  minutes: /^PT[1-9]\d*M$/,
  logonType: /^(?:S4U|Password|InteractiveToken|InteractiveTokenOrPassword)$/,
  runLevel: /^(?:LeastPrivilege|HighestAvailable)$/,
  instances: /^(?:Parallel|Queue|IgnoreNew|StopExisting)$/,
  priority: /^(?:\d|10)$/,
  /** An unsigned byte other than 0. */
  byte: /^(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/,
};

/** Everything that breaks the schema, with the path of its element. */
export function misfits(xml: string, type = 'document', path = ''): string[] {
  const value = VALUES[type];
  if (value !== undefined) return value.test(xml) ? [] : [`${path}: ${xml}`];
  const { order, elements } = TYPES[type] ?? { order: 'all', elements: {} };
  const inner = xml.replace(/<\?.*?\?>|<!--.*?-->/gs, '');
  const children = [...inner.matchAll(/<(\w+)(?: [^>]*)?>(.*?)<\/\1>/gs)];
  const names = children.map(([, name = '']) => name);
  const known = Object.keys(elements);
  const rest = inner.replace(/<(\w+)(?: [^>]*)?>.*?<\/\1>/gs, '').trim();
  return [
    ...(rest === '' ? [] : [`${path}: ${rest}`]),
    ...names.filter((name) => !known.includes(name)).map((name) => `${path}/${name} is not known`),
    ...(order !== 'choice' && new Set(names).size !== names.length ? [`${path}: twice`] : []),
    ...(order === 'sequence' && names.join() !== known.filter((name) => names.includes(name)).join()
      ? [`${path}: in another order`]
      : []),
    ...children.flatMap(([, name = '', text = '']) => {
      const its = elements[name];
      return its === undefined ? [] : misfits(text, its, `${path}/${name}`);
    }),
  ];
}

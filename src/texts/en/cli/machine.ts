/** Commands that set up a machine: setup, init, login, logout, whoami, endpoint, service, completion, sandbox. */
export const machineHelp = {
  setup: {
    about: 'set up everything by answering a few questions, or unattended; safe to run again',
    config:
      "config file; defaults to the existing one, otherwise to your own, or the machine's if you are root",
    yes: "don't ask; use configured or default values for anything not given",
    nonInteractive: 'same as --yes',
    browser: 'ask the questions in the browser, then start the agent',
    noOpen: 'with --browser: print the link only',
    noVerify: "don't test the credentials with the service",
    json: 'print the result as JSON',
    more: (variable: string) =>
      `You can give each answer as an option or in the environment variable shown in brackets. The secret is never an argument: setup prompts for it without showing it, or reads it from $${variable} or a file. If you run setup again, it changes only what differs, and tells you.`,
    statuses: '5 the service could not be reached; 130 canceled',
  },
  /** The answers that setup accepts as options. */
  answers: {
    baseUrl: 'address of the service',
    sandbox: 'no service yet: use the built-in practice service',
    sandboxPort: 'port of the practice service; 0 picks a free one (default 8470)',
    clientId: 'client identifier',
    clientSecretFile: 'file that contains the client secret; - reads it from standard input',
    store: 'where to store the credentials',
    endpointUid: 'uid of an existing endpoint',
    endpointAlias: 'name of the endpoint in the config file; replaces the uid if the name exists',
    createEndpoint: 'create an endpoint if none is configured',
    language: 'main language of the new endpoint, such as de-DE',
    folder: 'folder to watch',
    createFolder: 'create that folder if it does not exist',
    existing: 'what to do with files already in the folder; "since YYYY-MM-DD" works too',
    needsAttention:
      'folder that shows people which files could not be sent, relative to the watched folder; or none',
    rate: 'upload limit: N (per minute), N/s, N/min, N/h, or unlimited',
    alertEmail: 'addresses for alerts, separated by commas; or none',
    mailServer: 'mail server for alerts, such as smtp://mail.example.com:587',
    mailUser: 'user name for the mail server, or none',
    mailPasswordFile: "file that contains that user's password; only its owner may be able to read it",
    testMail: 'send a test mail',
    service: 'install as a service',
    serviceUser: 'user that a system service runs as (default receiptd)',
    consoleListen: 'address of the console, such as 127.0.0.1:8471; onDemand opens it only for a link',
    consoleSaves:
      "whether the console of a system service can save settings; the service's user then owns the config file and its directory (default yes for a new file)",
    testReceipt: 'send a test receipt',
  },
  init: {
    about: 'write a commented config file to edit',
    config: 'file to write',
    baseUrl: 'address of the service',
    uid: 'uid of the endpoint',
    folder: 'folder to watch',
  },
  login: {
    about: 'store the service credentials in the keychain or another store, or move them there',
    clientId: 'client identifier; receiptd prompts for it by default',
    from: 'move the credentials from this store to --store, without prompting',
    noVerify: "don't test them with the service",
    more: 'receiptd prompts for the secret without showing it, or reads it from standard input; it is never an argument.\nWith --store and no new credentials, existing ones are moved there.',
  },
  logout: { about: 'remove the credentials from the keychain or another store' },
  /** Of login and logout. */
  stores: {
    store: 'which store; defaults to the configured one, then to where they are now, then to keychain',
    directory: 'directory for the encrypted files of store systemd',
  },
  whoami: {
    about: 'ask the service who the credentials belong to',
    json: 'as JSON: { company, message, store, account }',
  },
  endpoint: { about: 'create an endpoint, or list known ones' },
  endpointCreate: {
    about: 'create an endpoint on the service; never retried automatically',
    name: 'name of the endpoint',
    outgoingUrl: 'address of your response handler',
    results:
      'have results posted to this agent: the address at which the service reaches it; the secret is added automatically',
    language: 'main language, such as de-DE',
    account: 'account in the config that the endpoint belongs to',
    json: "print the service's record verbatim",
  },
  endpointList: {
    about: 'list endpoints configured or created here; the service has no list',
    json: 'as JSON: [{ alias, uid, baseUrl, name }]',
  },
  service: {
    about: 'run the agent as a service; start, stop and monitor it',
    scope: 'for the machine or for you alone; defaults to system for root, otherwise user',
  },
  serviceInstall: {
    about: 'install or update the service, and start it',
    user: 'user that the service runs as; receiptd is created if missing',
    noStart: "don't start it now",
    dryRun: 'change nothing; print the service definition, the steps, and any problems',
    force: 'overwrite the service definition even if it was edited by hand',
    exec: 'for packages: the program to run, instead of this one',
    configAt: 'for packages, with --dry-run: where the config file will be',
  },
  serviceUninstall: {
    about: 'stop and remove the service; ledger, config and credentials stay',
    force: 'remove the service definition even if it was edited by hand',
  },
  serviceStart: { about: 'start the service' },
  serviceStop: { about: 'stop the service until you start it or the machine restarts' },
  serviceRestart: { about: 'restart the service' },
  serviceStatus: {
    about: 'show whether the service is installed and running, and its status',
    json: 'as JSON: { manager, file, installed, enabled, running, state, says, pid }',
    statuses: '1 not running',
  },
  logs: {
    about: "show the agent's log, from its files: also without a service, and while it does not run",
    since: 'only lines since then: 1h, 2026-01-31, today, yesterday',
    level: 'only lines of this level and above',
    search: 'only lines that contain this text; ignores case',
    lines: 'number of lines (default: 50, or all with --since)',
    follow: 'keep showing new lines',
    json: 'the lines as they are in the file, in English',
  },
  serviceLogs: {
    about: "show the service's log",
    follow: 'keep showing new lines',
    lines: 'number of lines',
  },
  completion: {
    about: 'print a shell script that completes commands, options, endpoints and documents with the Tab key',
    shell: 'which shell',
    more: 'To enable it in every new shell, add a line (for zsh, after compinit) to:',
  },
  /** Called by those scripts. */
  complete: {
    about: 'list the possible words at a place of the command line, one per line, for shell completion',
    current: 'the word being typed, after a =',
    before: 'the words before it',
  },
  sandbox: {
    about: 'run a local receipt analysis service for practice; it keeps what it receives',
    port: 'port; 0 picks a free one',
    host: 'address to listen on',
    dir: 'where to keep what it receives',
    endpointUid: 'uid of its first endpoint',
    clientId: 'client identifier to accept',
    clientSecretEnv: 'environment variable that contains the secret to accept',
    tokenLifetime: 'token lifetime',
    quota: 'number of uploads that the plan allows',
    noPlan: 'no plan: answer uploads with 403',
    onRepeat: 'answer to a name that exists already; conflict is a 409',
    outgoingUrl: 'outgoing URL of the first endpoint (`receiptd results url`)',
    results: 'results to post after each upload to an endpoint with an outgoing URL, such as READ,DONE',
    resultsAfter: 'delay before each result',
    fault: 'misbehave, see below; repeatable',
    json: 'print only its address, as one JSON line',
    more: 'Rules for --fault: delay=MS, status=CODE, cut, lost (stored, then no answer), stall, html, truncated, redirect, or a rule as JSON; followed by *N (the next N uploads) or @P (with probability P). While it runs, /sandbox/faults reads and changes the rules, /sandbox/results posts a result, and /sandbox/credentials sets other credentials.',
  },
};

/** The credentials of an account; null for the default one. */
const ofAccount = (account: string | null): string => (account === null ? '' : ` of account ${account}`);

export function machineTexts() {
  return {
    init: {
      elsewhere: 'To make commands use this file, add `--config FILE` or set RECEIPTD_CONFIG to its path.',
      shadows: (others: readonly string[]) =>
        `In this directory, commands now use this file instead of ${others.join(' and ')}.`,
      next: 'Next: edit it, then `receiptd login`, then `receiptd check`.',
      nextWithEndpoint:
        'Next: edit it, then `receiptd login`, then `receiptd endpoint create NAME` and add the uid it prints to the file, then `receiptd check`.',
    },
    login: {
      saved: (p: { account: string | null; baseUrl: string; store: string }) =>
        `Saved the credentials${ofAccount(p.account)} for ${p.baseUrl} in the ${p.store} store.`,
      removed: (p: { account: string | null; store: string }) =>
        `Removed the credentials${ofAccount(p.account)} from the ${p.store} store.`,
      none: (p: { account: string | null; store: string }) =>
        `There were no credentials${ofAccount(p.account)} in the ${p.store} store.`,
      stillHas: (store: string) =>
        `The ${store} store still has credentials, and the agent keeps using those.`,
      removeWith: (command: string) => `Remove them with: ${command}`,
      removeAtSource: "receiptd can't remove them; remove them at their source.",
      copied: (p: { account: string | null; from: string; to: string }) =>
        `Copied the credentials${ofAccount(p.account)} from the ${p.from} store to the ${p.to} store, and verified the copy.`,
      oldAtSource: (store: string) =>
        `The old copy in the ${store} store is still there, because receiptd can't remove it. Remove it at its source.`,
      oldNeeded: (store: string, command: string) =>
        `The old copy in the ${store} store is still there, because the agent needs it for now. Remove it later with: ${command}`,
      oldRemoved: (store: string) => `The old copy in the ${store} store was removed.`,
      oldThere: (store: string, command: string) =>
        `The old copy in the ${store} store is still there. Check it, and remove it with: ${command}`,
      changed: (p: { file: string; key: string; store: string }) =>
        `Changed ${p.file}: ${p.key} is now ${p.store}.`,
      edit: (p: { file: string; key: string; store: string }) =>
        `Edit ${p.file}, which can't be changed from here: set ${p.key} to ${p.store}. Until then, the agent does not use that store.`,
      editAlso: (p: { file: string; key: string }) => `Also edit ${p.file}: set ${p.key} to systemd.`,
      restartUnit:
        'Restart the agent: a unit of `receiptd service install` takes them from there. One of your own needs these lines (`systemctl edit receiptd`):',
      restartUnitOrPackage:
        'Restart the agent: a unit of `receiptd service install`, or of the Debian package, takes them from there. One of your own needs these lines (`systemctl edit receiptd`):',
      giveUnit:
        'Give them to the agent with these lines in its unit (`systemctl edit receiptd`), then restart it:',
      accepted: (company: string) => `The service accepts them: ${company}.`,
      fileInstead: (why: string) => `${why} So the credentials go into a file that only its owner can read.`,
    },
    whoami: {
      answer: (p: { company: string; message: string; store: string }) =>
        `${p.company}: ${p.message} (credentials from: ${p.store})`,
    },
    endpoint: {
      created: (name: string) => `Created "${name}". Add its uid to the config file:`,
      columns: { alias: 'ALIAS', uid: 'UID', name: 'NAME' },
      notConfigured: '(not configured)',
    },
    logs: { none: (dir: string) => `There is no log in ${dir} yet.` },
    service: {
      started: 'Started.',
      stopped: 'Stopped.',
      restarted: 'Restarted.',
      installed: (manager: string, user: string) =>
        `receiptd is now a ${manager} service, running as the user ${user}.`,
      definition: (file: string) => `Service definition: ${file}`,
      startWith: 'Start it with: receiptd service start',
      uninstalled: 'Stopped and removed the service.',
      stays: (config: string, stateDir: string) =>
        `Not removed: the configuration ${config}, and the ledger, copies and log in ${stateDir}.`,
      staysUnknown: 'Not removed: the configuration, and the ledger, copies and log in its state directory.',
      credentialsStay: 'The credentials and the user it ran as were not removed either.',
      notInstalled: 'receiptd is not installed as a service. To install it, run: receiptd service install',
      runs: (state: string, pid: number | null) =>
        `It runs: ${state}${pid === null ? '' : `, process ${pid}`}.`,
      runsNot: (state: string) => `It does not run: ${state}.`,
      seeStatus: '`receiptd status` shows how it is doing.',
      findOut: 'To find out why, run `receiptd service logs` and `receiptd check`.',
      notEnabled: 'It does not start with the machine.',
    },
    /** Notes of an installation; `would`: of a dry run. */
    installing: {
      would: {
        access: (user: string, stateDir: string) => `Would give ${user} access to ${stateDir}.`,
        define: (place: string) => `Would write ${place} and set it to start with the machine.`,
        start: 'Would start or restart the service.',
        user: (user: string) => `Would create the user ${user}.`,
        stateDir: (stateDir: string, user: string) =>
          `Would create the state directory ${stateDir}, or give it to ${user}.`,
      },
      /** Of the service manager. */
      notes: {
        unmasked: 'receiptd.service was masked, probably by a removed package, and has been unmasked.',
        packageDisabled: 'The receiptd.service of a package is now disabled.',
      },
      taskScheduler: 'the Task Scheduler',
      unchanged: (file: string) => `${file} was not changed.`,
      changed: (file: string) => `${file} was changed:`,
      linger: (user: string) =>
        `It runs while you are signed in. To start it with the machine, run: loginctl enable-linger ${user}`,
      noAccess: (p: { user: string; stateDir: string; command: string }) =>
        `${p.user} may not have access to ${p.stateDir}. To give access, run: ${p.command}`,
      userCreated: (user: string) => `Created the user ${user}.`,
      checkedLater: (user: string) =>
        `Once the user ${user} exists, its access to the folders is checked; the installation may be refused then.`,
      given: (stateDir: string, user: string) =>
        `The state directory ${stateDir} belonged to root, and now belongs to ${user}.`,
    },
    sandbox: {
      listens: (url: string, dir: string) =>
        `The practice service is listening on ${url}. It keeps what it receives in ${dir}.`,
      uid: (uid: string) => `endpoint uid:  ${uid}`,
      credentials: (clientId: string, secret: string) =>
        `credentials:   RECEIPTD_CLIENT_ID=${clientId} ${secret}`,
      secretIn: (variable: string) => `and the secret in ${variable}`,
      stop: 'Press Ctrl-C to stop it.',
      upload: 'upload',
      fault: (fault: string) => `fault: ${fault}`,
      name: (name: string) => `name "${name}"`,
    },
  };
}

import type { Entries, Within } from '../../facts.ts';
import { cureRefused, whyRefused, type RefusedDirectory } from './ledger.ts';

export function osServiceErrors() {
  return {
    'MANAGER_ABSENT.program': (p: { program: string; detail: string }) => [
      `${p.program} can't be started (${p.detail}).`,
    ],
    'MANAGER_ABSENT.launchd': (p: { detail: string | null; status: number | null }) => [
      `launchd does not answer (${p.detail ?? `status ${String(p.status)}`}).`,
      'If you use another service manager, run `receiptd run` in the foreground.',
    ],
    'MANAGER_ABSENT.taskScheduler': (p: { detail: string | null }) => [
      `The Task Scheduler does not respond (${p.detail ?? 'no answer'}).`,
      'If you use another service manager, run `receiptd run` in the foreground.',
    ],
    'MANAGER_ABSENT.systemd': (p: { isUser: boolean; isAsked: boolean; detail: string | null }) => [
      `${p.isUser ? "Your user's systemd does not answer" : 'This machine does not run systemd'}${p.isAsked ? `: ${p.detail ?? 'systemctl failed'}` : ''}.`,
      p.isUser && p.isAsked
        ? 'Log in directly instead of using su or sudo, or install a system service with `sudo receiptd service install`.'
        : 'In a container, or with another service manager, run `receiptd run` in the foreground.',
    ],
    'MANAGER_FAILED.programMissing': (p: { program: string }) => [
      `${p.program} is not installed, but it is needed to run checks as another user.`,
      'Install it; on Debian, it is in util-linux.',
    ],
    'MANAGER_FAILED.definition': (p: {
      file: string;
      action: 'read' | 'write' | 'remove';
      detail: string;
    }) => [
      `${p.file} can't be ${p.action === 'read' ? 'read' : p.action === 'write' ? 'written' : 'removed'} (${p.detail}).`,
      'Check that its directory exists and that you may write to it.',
    ],
    'MANAGER_FAILED.launchdStop': (p: { detail: string | null; status: number | null }) => [
      `launchd did not end it: ${p.detail ?? (p.status === 0 ? 'it is still there' : `status ${p.status ?? 'unknown'}`)}.`,
      'For details, run `receiptd service status`.',
    ],
    'MANAGER_FAILED.notStarted': (p: {
      unit: string;
      isHeld: boolean;
      detail: string | null;
      state: string;
    }) => [
      `${p.unit} did not start: ${p.isHeld ? `the condition ${p.detail ?? 'a condition of it'} in its unit is not met.` : (p.detail ?? `it is ${p.state}.`)}`,
      'For details, run `receiptd service logs` and `receiptd check`. Then run `receiptd service start`.',
    ],
    'MANAGER_FAILED.taskNotCreated': ['The task was not created.', 'Try again with the correct password.'],
    'MANAGER_FAILED.command': (p: {
      command: string;
      isLate: boolean;
      detail: string | null;
      status: number | null;
      creates: string | null;
    }) => [
      `\`${p.command}\` failed: ${p.isLate ? 'no answer in time' : (p.detail ?? `status ${p.status ?? 'unknown'}`)}.`,
      p.creates === null
        ? 'For details, run `receiptd service status` and `receiptd service logs`.'
        : `Create the user ${p.creates} yourself, or use an existing one with --user.`,
    ],
    'ROOT_NEEDED.systemService': (p: { option: string }) => [
      'Only root can install a system service.',
      `Use sudo, or install a user service with \`${p.option} user\`.`,
    ],
    'ROOT_NEEDED.controlService': ['Only root can do this to a system service.', 'Use sudo.'],
    'INSTALL_REFUSED.checkFailed': (p: { account: string; detail: string | null; status: number | null }) => [
      `receiptd check, run as the user ${p.account}, says: ${p.detail ?? `status ${p.status ?? 'unknown'}`}`,
      'Fix that first. Nothing was installed.',
    ],
    'INSTALL_REFUSED.finding': (p: Within & { account: string; subject: string }) => [
      `For the user ${p.account}, ${p.subject}: ${p.detail} [${p.error.code}]`,
      'Nothing was installed.',
    ],
    'INSTALL_REFUSED.leavesLedger': (p: { user: string; theirs: string; stateDir: string }) => [
      `The ledger of ${p.user} in ${p.theirs} would not be moved to ${p.stateDir}, and every file would be sent again.`,
      `Stop the agent of ${p.user}; then move the ledger (\`receiptd backup --final FILE\` as ${p.user}, \`receiptd restore FILE\` as root), or name ${p.theirs} as stateDir and install with --user ${p.user}.`,
    ],
    'INSTALL_REFUSED.stateOfOther': (p: { stateDir: string; uid: number; name: string }) => [
      `The state directory ${p.stateDir} belongs to a different user (${p.uid}) than ${p.name}, so nothing was installed.`,
      `Stop the agent that uses it, then run chown -R ${p.name}: ${p.stateDir}; or install with --user.`,
    ],
    'INSTALL_REFUSED.noSuchUser': (p: { name: string; usual: string }) => [
      `The user ${p.name} does not exist on this machine.`,
      `Use an existing user. Without --user, receiptd creates the user ${p.usual}.`,
    ],
    'INSTALL_REFUSED.controlCharacter': (p: { text: string }) => [
      `${JSON.stringify(p.text)} has a control character, which a service definition can't contain.`,
      'Rename it.',
    ],
    'INSTALL_REFUSED.programOutOfReach': (p: {
      user: string;
      isProgram: boolean;
      path: string;
      at: string | null;
    }) => [
      `The user ${p.user} can't ${p.isProgram ? 'run' : 'read'} ${p.path}${p.at === null ? '' : ` (it has no access to ${p.at})`}, so nothing was installed.`,
      'Install receiptd and Node where every user can read them, as with `npm install --global` by root or a package.',
    ],
    'INSTALL_REFUSED.npxCache': (p: { path: string }) => [
      `${p.path} is in the npx cache, which can be emptied at any time.`,
      'Install receiptd with `npm install --global` first.',
    ],
    'INSTALL_REFUSED.taskEnvironment': (p: { variables: readonly string[] }) => [
      `Windows tasks can't have environment variables, but ${p.variables.join(', ')} is set.`,
      'Set stateDir in the configuration, and remove the variable.',
    ],
    'INSTALL_REFUSED.inProfile': (p: {
      place: 'stateDir' | 'configuration' | 'program';
      path: string;
      user: string;
    }) => [
      `${p.place === 'stateDir' ? 'The state directory' : p.place === 'configuration' ? 'The configuration' : 'The program'} ${p.path} is in a user profile that ${p.user} can't read.`,
      'Move it elsewhere, such as C:\\ProgramData\\receiptd or C:\\Program Files, and set stateDir accordingly.',
    ],
    'INSTALL_REFUSED.mappedDrive': (p: { path: string; replacement: string }) => [
      `The folder ${p.path} is on a mapped drive, which only you can use and a service can't.`,
      `Use ${p.replacement} in the configuration.`,
    ],
    'INSTALL_REFUSED.folderOutOfReach': (p: {
      user: string;
      folder: string;
      code: string;
      at: string | null;
      commands: readonly string[];
    }) => [
      `The user ${p.user} can't ${p.code === 'FOLDER_UNREADABLE' ? 'read' : 'write'} the folder ${p.folder} (${p.code}), so nothing was installed.`,
      `${p.at === null ? '' : `It has no access to ${p.at}. `}To allow it: ${p.commands.join(' && ')}; or add the user to the folder's group. Then try again.`,
    ],
    'INSTALL_REFUSED.configurationOutOfReach': (p: {
      user: string;
      file: string;
      at: string | null;
      command: string | null;
    }) => [
      `The user ${p.user} can't read the configuration ${p.file}${p.at === null ? '' : ` (it has no access to ${p.at})`}, so nothing was installed.`,
      p.command === null
        ? 'Move it to /etc/receiptd, or another directory that this user can enter, and install it from there with --config.'
        : `Allow that user to ${p.at === null ? 'read it' : 'open the directory'}: ${p.command}`,
    ],
    'INSTALL_REFUSED.userNotCreated': (p: { name: string }) => [
      `The user ${p.name} does not exist on this machine.`,
      `Create the user ${p.name} yourself, or use an existing one with --user.`,
    ],
    'INSTALL_REFUSED.stateUnfit': (p: { stateDir: string; name: string; refused: RefusedDirectory }) => [
      `The state directory ${p.stateDir} cannot be given to ${p.name}: ${whyRefused(p.refused)}.`,
      cureRefused(p.refused),
    ],
    'INSTALL_EDITED.uninstall': (p: { file: string }) => [
      `${p.file} was created or edited by hand and was left unchanged.`,
      'Copy it if you want to keep it, then repeat with --force.',
    ],
    'INSTALL_EDITED.install': (p: { file: string }) => [
      `${p.file} was created or edited by hand and was left unchanged.`,
      'Compare it with `receiptd service install --dry-run`. Move your changes into a drop-in (`systemctl edit receiptd`), or add --force.',
    ],
    'NOT_INSTALLED.byPackage': (p: { file: string | null }) => [
      `The service was installed by a package: ${p.file ?? ''} does not exist.`,
      'Stop it with `receiptd service stop`, or remove the package.',
    ],
    'NOT_INSTALLED.notAService': (p: { other: string }) => [
      'receiptd is not installed as a service.',
      `Install it with \`receiptd service install\`, or check the other kind with --scope ${p.other}.`,
    ],
  } satisfies Entries;
}

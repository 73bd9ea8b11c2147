import { serviceTexts } from '../../../texts/en/written.ts';
import { win32 } from 'node:path';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { runCommand, type HostedAgent, type InstallScope } from '../agent.ts';
import { mark } from '../mark.ts';
import { plainText } from '../plainText.ts';
import { xmlComment, xmlText } from '../xml.ts';

/** Built-in Windows accounts by well-known SID, since their names are localized. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  localservice: 'S-1-5-19',
  networkservice: 'S-1-5-20',
  system: 'S-1-5-18',
};
export const WINDOWS_USER = 'LocalService';

/**
 * RestartOnFailure covers only tasks that can't be started: a program that exits, with whatever status, has not failed.
 * So the task is triggered every minute, which is ignored while it runs.
 */
const EVERY_MINUTE = `<TimeTrigger><Enabled>true</Enabled><StartBoundary>2020-01-01T00:00:00</StartBoundary><Repetition><Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition></TimeTrigger>`;

/** In the form that icacls expects. */
export function accountName(user: string): string {
  const sid = ACCOUNTS[user.toLowerCase()];
  return sid === undefined ? user : `*${sid}`;
}

/**
 * A scheduled task that starts at boot (or at the user's logon) and restarts within a minute of exiting.
 * @throws ReceiptdError INSTALL_REFUSED for what a task can't reach or express
 */
export function windowsTask(agent: HostedAgent, scope: InstallScope, user: string): string {
  if (scope === 'system') refusePlacesOfPeople(agent, user);
  if (Object.keys(agent.environment).length > 0) {
    throw new ReceiptdError('INSTALL_REFUSED.taskEnvironment', { variables: Object.keys(agent.environment) });
  }
  const [program = '', ...words] = runCommand(agent);
  const sid = ACCOUNTS[user.toLowerCase()];
  const principal =
    scope === 'user'
      ? `<UserId>${xmlText(user)}</UserId><LogonType>InteractiveToken</LogonType>`
      : sid === undefined
        ? `<UserId>${xmlText(user)}</UserId><LogonType>Password</LogonType>`
        : `<UserId>${sid}</UserId>`;
  const trigger = scope === 'user' ? 'LogonTrigger' : 'BootTrigger';
  const whose = scope === 'user' ? `<UserId>${xmlText(user)}</UserId>` : '';
  const text = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>${xmlText(serviceTexts.description)}</Description></RegistrationInfo>
  <Triggers>
    <${trigger}><Enabled>true</Enabled>${whose}</${trigger}>
    ${EVERY_MINUTE}
  </Triggers>
  <Principals><Principal id="Author">${principal}<RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <IdleSettings><StopOnIdleEnd>false</StopOnIdleEnd><RestartOnIdle>false</RestartOnIdle></IdleSettings>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <RunOnlyIfIdle>false</RunOnlyIfIdle>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(program)}</Command>
      <Arguments>${xmlText(words.map(windowsWord).join(' '))}</Arguments>
      <WorkingDirectory>${xmlText(win32.dirname(agent.configFile))}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
  return mark(text, xmlComment, 1);
}

/** Quoted for CommandLineToArgvW, also around variables, whose values may contain spaces. */
export function windowsWord(text: string): string {
  if (text !== '' && !/[\s"%]/.test(plainText(text))) return text;
  return `"${text.replace(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;
}

/** Whether the path is in a user profile, which no service account can read. */
export function isInProfile(path: string): boolean {
  return /^[a-z]:\\users\\(?!public\\)/i.test(path);
}

/** Refuses mapped drives and user profiles: a service account can't reach them. */
function refusePlacesOfPeople({ stateDir, configFile, command }: HostedAgent, user: string): void {
  for (const [place, path] of [
    ['stateDir', stateDir],
    ['configuration', configFile],
    ...command.map((each) => ['program', each] as const),
  ] as const) {
    if (!isInProfile(path)) continue;
    throw new ReceiptdError('INSTALL_REFUSED.inProfile', {
      place,
      path,
      user,
    });
  }
}

/**
 * Refuses a folder on a mapped drive: drives are mapped per logon session, and a service has none.
 * `mapped`: share by letter, `Z:` → `\\server\share`.
 * @throws ReceiptdError INSTALL_REFUSED, with the path to use instead
 */
export function refuseMappedDrives(agent: HostedAgent, mapped: ReadonlyMap<string, string>): void {
  for (const { path } of agent.folders) {
    const share = mapped.get(path.slice(0, 2).toUpperCase());
    if (share === undefined) continue;
    throw new ReceiptdError('INSTALL_REFUSED.mappedDrive', { path, replacement: `${share}${path.slice(2)}` });
  }
}

/** Parses the output of `net use` in any language: the share follows the letter. */
export function mappedDrives(netUse: string): Map<string, string> {
  const found = [...netUse.matchAll(/\b([A-Z]:)\s+(\\\\[^\\\s]+\\.*?)(?:\s{2,}.*)?\r?$/gim)];
  return new Map(found.map(([, letter = '', share = '']) => [letter.toUpperCase(), share.trim()]));
}

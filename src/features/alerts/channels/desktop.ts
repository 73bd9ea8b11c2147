import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Alert, AlertChannel } from '../../../core/ports/alert.ts';
import type { RunProgram } from './program.ts';

export interface Notice {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Shows each alert on the desktop of the user that runs the agent. */
export function createDesktopChannel({
  platform,
  run,
}: {
  readonly platform: NodeJS.Platform;
  readonly run: RunProgram;
}): AlertChannel {
  return {
    name: 'desktop',
    receiver: { of: null, setting: 'alerts.desktop' },
    async send(alert, signal) {
      const { command, env } = noticeOf(alert, platform);
      const end = await run(command, { stdin: '', env }, signal);
      if (end === null) return;
      const isLinux = platform === 'linux';
      throw new ReceiptdError('ALERT_UNDELIVERED.desktop', { program: command[0] ?? '', end, isLinux });
    },
  };
}

/** The program that shows notifications. */
export function noticeProgram(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'osascript';
  return platform === 'win32' ? 'powershell.exe' : 'notify-send';
}

/** A notification only has room for a few lines. */
const MOST_TEXT = 600;

/**
 * The program that shows it, with its arguments. Titles and texts contain file and folder names chosen by others, so they are never
 * part of a script and never look like an option.
 */
export function noticeOf(alert: Alert, platform: NodeJS.Platform): Notice {
  const title = `receiptd: ${plain(alert.subject)}`;
  const text = plain(alert.text).slice(0, MOST_TEXT);
  const program = noticeProgram(platform);
  switch (platform) {
    case 'darwin':
      return { command: [program, ...APPLE_SCRIPT, title, `receiptd: ${text}`], env: {} };
    case 'win32':
      return {
        command: [program, '-NoProfile', '-NonInteractive', '-EncodedCommand', ENCODED_TOAST],
        env: { RECEIPTD_ALERT_SUBJECT: title, RECEIPTD_ALERT_TEXT: text },
      };
    default: {
      const urgency = alert.kind === 'opened' ? 'critical' : 'normal';
      const options = ['--app-name=receiptd', `--urgency=${urgency}`, '--icon=dialog-information'];
      return { command: [program, ...options, '--', title, markup(text)], env: {} };
    }
  }
}

/** Replaces control characters, which break arguments or the layout; keeps line breaks. */
function plain(text: string): string {
  return text.replace(/[\0-\x09\x0b-\x1f\x7f]/g, ' ');
}

/** notify-send treats the body as markup, and a backslash as the start of an escape sequence. */
function markup(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Texts are passed as arguments, so that they are never part of the script. */
const APPLE_SCRIPT = [
  '-e',
  'on run argv',
  '-e',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  '-e',
  'end run',
];

/** Texts come from the environment and become text nodes, so they are never parsed. */
const TOAST = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$null = [Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom.XmlDocument, ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$texts = $toast.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($toast.CreateTextNode($env:RECEIPTD_ALERT_SUBJECT))
$null = $texts.Item(1).AppendChild($toast.CreateTextNode($env:RECEIPTD_ALERT_TEXT))
$sender = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($sender).Show(
  [Windows.UI.Notifications.ToastNotification]::new($toast))
`;
const ENCODED_TOAST = Buffer.from(TOAST, 'utf16le').toString('base64');
